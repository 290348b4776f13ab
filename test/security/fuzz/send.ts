import { Pool } from "undici";
import { type Answer, textOf, toAnswer } from "../../support/request.ts";
import { homes } from "./callers.ts";
import { type FuzzMarket, NEIGHBOURS_MARK } from "./fuzz-market.ts";
import type { FuzzRequest } from "./requests.ts";

/** Ten times what the slowest answer may take on a busy machine: whatever is not answered by then hangs. */
export const HANG_MS = 60_000;

/** A request as it goes over the wire. */
export interface Wire {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
}

export interface Sender {
  readonly send: (wire: Wire) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

export function openSender({ daemon }: FuzzMarket): Sender {
  const pools = new Map(
    [daemon.url, daemon.registryUrl].map((url) => [
      url,
      new Pool(url, { connections: 32, headersTimeout: HANG_MS, bodyTimeout: HANG_MS }),
    ]),
  );
  return {
    async send({ baseUrl, method, path, headers, body }) {
      const answer = await pools.get(baseUrl)!.request({
        method: method as "GET",
        path,
        headers: headers.flat(),
        ...(body !== undefined && { body }),
      });
      const came = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) {
        for (const one of [value].flat()) came.append(name, one ?? "");
      }
      return toAnswer(answer.statusCode, came, await textOf(came, answer.body));
    },
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.close()))),
  };
}

/** The request with ids and keys in their places. */
export function toWire(request: FuzzRequest, market: FuzzMarket): Wire {
  const { daemon, ids } = market;
  const home = homes[request.as];
  const fill = (text: string, spell?: (id: string) => string) => ids.fill(home, text, spell);
  const path = request.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    request.rawParam === undefined ? encodeText(fill(request.params[name] ?? "")) : request.rawParam,
  );
  const query = request.query.map(([name, value]) => `${encodeText(name)}=${encodeText(fill(value))}`).join("&");
  const key = keyOf(request, market);
  const body = request.body === undefined ? undefined : bodyOf(request, market, fill(request.body, insideJson));
  return {
    baseUrl: request.registry ? daemon.registryUrl : daemon.url,
    method: request.method,
    path: query === "" ? path : `${path}?${query}`,
    headers: [
      ...(key === undefined ? [] : [["authorization", `Bearer ${key}`] as const]),
      ...request.headers.map(([name, value]) => [name, fill(value).replaceAll(/[^\x20-\x7e]/g, "?")] as const),
    ],
    ...(body !== undefined && { body }),
  };
}

/** The request as a line for a shell, with the key in `$KEY`. */
export function toCurl({ as }: FuzzRequest, { baseUrl, method, path, headers, body }: Wire): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const words = headers.map(([name, value]) =>
    name === "authorization"
      ? `-H "authorization: Bearer $KEY_OF_${as.toUpperCase()}"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const long = body !== undefined && body.length > 3_000;
  const data = body === undefined ? [] : [`--data-binary ${quoted(long ? `${body.slice(0, 500)}…` : body)}`];
  const note = long ? [`# the body has ${body.length} characters`] : [];
  return ["curl -sS --path-as-is -X", method, quoted(`${baseUrl}${path}`), ...words, ...data, ...note].join(" ");
}

function keyOf({ as }: FuzzRequest, { keys, ids }: FuzzMarket): string | undefined {
  if (as === "nobody") return undefined;
  if (as !== "minted") return keys[as];
  minted += 1;
  return ids.fill("ours", `@@key:${minted}@@`);
}
let minted = 0;

function bodyOf({ operationId, as }: FuzzRequest, { scratch }: FuzzMarket, text: string): string {
  const value = parsed(text);
  if (typeof value !== "object" || value === null) return text;
  const { directory } = value as { directory?: unknown };
  // Whatever becomes of it in the generators, a backup is written to no other place of this machine.
  if (operationId === "createBackup" && typeof directory === "string" && !directory.startsWith(scratch)) {
    return JSON.stringify({ ...value, directory: directory.startsWith("/") ? `${scratch}${directory}` : directory });
  }
  if (operationId === "startRun" && as === "neighbour" && "provider" in value) {
    const { tags } = value as { tags?: object };
    return JSON.stringify({ ...value, tags: { ...tags, owner: NEIGHBOURS_MARK } });
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function insideJson(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** Halves of pairs cannot be encoded; a URL has no way to write them. */
function encodeText(text: string): string {
  return encodeURIComponent(Buffer.from(text, "utf8").toString("utf8"));
}
