import type { BinaryOutput } from "../../../shared/binary-output.ts";
import { type Connection, Connections } from "../../providers/sending/connections.ts";
import { type Exchange, ExchangeError, send } from "../../providers/sending/send.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";
import { isPrivateHost } from "./private-host.ts";
import { MAX_DESCRIPTION_BYTES } from "./read-file.ts";

export interface FetchedDescription {
  readonly bytes: Uint8Array;
  /** The final address after redirects: the base of relative addresses in it. */
  readonly address: string;
}

const MAX_REDIRECTS = 3;
const TIMEOUT_MS = 30_000;
/** The statuses with which an MCP server answers a plain GET. */
const NOT_ACCEPTABLE: ReadonlySet<number> = new Set([400, 405, 406, 415]);
const ACCEPT = "application/vnd.oai.openapi+json, application/json, application/yaml, text/yaml, */*;q=0.1";

/**
 * Fetches a description through the guard of provider calls. Redirects are followed, each checked like the first
 * address, and none from https to http. Throws ImportRefused. `allowPrivateHosts`: `host` or `host:port`, named by the
 * operator.
 */
export async function fetchDescription(
  address: string,
  { allowPrivateHosts }: { readonly allowPrivateHosts: ReadonlySet<string> },
): Promise<FetchedDescription> {
  const url = new URL(address);
  refuseCredentials(url);
  const connections = new Connections({ allowPrivateHosts, privateHostsGranted: () => [] });
  try {
    const connection = connections.to({ provider: "import", allowPrivateNetwork: true });
    return await follow(url, connection, AbortSignal.timeout(TIMEOUT_MS));
  } finally {
    await connections.close();
  }
}

async function follow(start: URL, connection: Connection, signal: AbortSignal): Promise<FetchedDescription> {
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const { status, headers, body } = await get(url, connection, signal);
    if (status >= 200 && status < 300) {
      return { bytes: Buffer.from((body as BinaryOutput | null)?.base64 ?? "", "base64"), address: url.href };
    }
    const { location } = headers;
    if (status < 300 || status > 399 || typeof location !== "string") {
      throw new ImportRefused(
        NOT_ACCEPTABLE.has(status) ? "not-acceptable" : "address",
        `${url.host} answered with status ${status}. Open the address in a browser to see why.`,
      );
    }
    url = nextAddress(url, location);
  }
  throw new ImportRefused("redirect", `${start.host} redirected more than ${MAX_REDIRECTS} times.`);
}

async function get(url: URL, { guard, unrepeated }: Connection, signal: AbortSignal): Promise<Exchange> {
  const request = { method: "GET", url, headers: { accept: ACCEPT, "user-agent": "mkt" } } as const;
  const limits = { signal, maxResponseBytes: MAX_DESCRIPTION_BYTES, media: "base64" } as const;
  try {
    return await send(request, { dispatcher: unrepeated, guard, ...limits });
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const rule = error.kind === "refused" ? "private-address" : error.kind === "unreadable" ? "size" : "address";
    throw new ImportRefused(rule, `${error.message}.${howToAllow(error, url)}`);
  }
}

/** How to allow a private address that was refused, if the refusal does not say it; begins with a space. */
export function howToAllow({ kind, message }: ExchangeError, { host, hostname }: URL): string {
  const isUntold = kind === "refused" && isPrivateHost(hostname) && !message.includes("--allow-private-host");
  return isUntold ? ` If it is your own: --allow-private-host ${host}` : "";
}

/** The source of a document is stored in the manifest and shown, so it must not contain credentials. */
function refuseCredentials({ host, username, password }: URL): void {
  if (username === "" && password === "") return;
  throw new ImportRefused(
    "address",
    `The address at ${host} has a name or a password in it, and it would be kept in the catalog file. Fetch the document yourself, and import the file.`,
  );
}

function nextAddress(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) {
    throw new ImportRefused("redirect", `${from.host} redirected to something that is no address.`);
  }
  const to = new URL(location, from);
  refuseCredentials(to);
  if (from.protocol === "https:" && to.protocol !== "https:") {
    throw new ImportRefused("redirect", `${from.host} redirected to ${to.host} without TLS, which is not followed.`);
  }
  return to;
}
