import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical-json.ts";
import { linkSignals } from "../../../shared/linked-signal.ts";
import { Connections } from "../../providers/sending/connections.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { listTools, MAX_LIST_BYTES, ToolListTooLong } from "../../providers/mcp/list-tools.ts";
import type { JsonObject } from "../../providers/mcp/protocol.ts";
import type { McpServer, McpSession, RpcExchange } from "../../providers/mcp/rpc-exchange.ts";
import { endSession, openSession } from "../../providers/mcp/sessions.ts";
import { createRedactor } from "../../redaction/redact.ts";
import { ExchangeError, type SendOptions } from "../../providers/sending/send.ts";
import { howToAllow } from "../documents/fetch-description.ts";
import { cleanLine } from "../conversion/clean-text.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";

/** An MCP server and its tools, as it reported them; all of it is untrusted. */
export interface McpListing {
  /** Its address, kept as `source.ref` of the manifest. */
  readonly ref: string;
  /** SHA-256 (hex) of the list of tools, independent of the order of its members. */
  readonly sha256: string;
  /** `serverInfo`, and `instructions` if it has some. */
  readonly server: JsonObject;
  readonly instructions?: string;
  readonly tools: readonly JsonObject[];
}

export interface McpAccess {
  /** `host` or `host:port` that the operator named; it may be private and without TLS. */
  readonly allowPrivateHosts: ReadonlySet<string>;
  /** A token that is sent while importing, and the variable that holds it, which the manifest will name. */
  readonly authorization?: { readonly variable: string; readonly token: string };
  readonly signal?: AbortSignal;
}

const TOTAL_MS = 30_000;

/**
 * Lists the tools of an MCP server, only over streamable HTTP. Tools, bytes and time are limited; redirects are not
 * followed. Throws ImportRefused.
 */
export async function readMcpServer(source: string, access: McpAccess): Promise<McpListing> {
  const url = toAddress(source);
  const { allowPrivateHosts, authorization, signal } = access;
  const connections = new Connections({ allowPrivateHosts, privateHostsGranted: () => [] });
  const limit = linkSignals(signal === undefined ? [] : [signal], TOTAL_MS);
  const redactor = createRedactor(() => (authorization === undefined ? [] : [authorization.token]));
  const { guard, unrepeated } = connections.to({ provider: "import", allowPrivateNetwork: true });
  try {
    const listing = await list(
      {
        url,
        headers: {
          "user-agent": "mkt",
          "accept-encoding": "identity",
          ...(authorization !== undefined && { authorization: `Bearer ${authorization.token}` }),
        },
      },
      { dispatcher: unrepeated, guard, signal: limit.signal, maxResponseBytes: MAX_LIST_BYTES, media: "auto" },
    );
    return redactor.json(listing);
  } catch (error) {
    if (error instanceof ImportRefused) throw new ImportRefused(error.rule, redactor.text(error.message), error.line);
    if (!(error instanceof ExchangeError)) throw error;
    const hint = hintAt(error, url);
    throw new ImportRefused("mcp-server", `The MCP server could not be read: ${error.message}.${hint}`);
  } finally {
    limit.release();
    await connections.close();
  }
}

/**
 * The credential for reading the tools: the token in a variable, whose name goes into the manifest. Throws
 * ImportRefused when there is none.
 */
export function authorizationFrom(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
): NonNullable<McpAccess["authorization"]> {
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable)) {
    throw new ImportRefused(
      "auth-env",
      `${JSON.stringify(variable)} is not the name of a variable, such as TOOLS_TOKEN.`,
    );
  }
  const token = environment[variable]?.trim() ?? "";
  if (!/^[!-~]+$/.test(token)) {
    throw new ImportRefused("auth-env", `The variable ${variable} holds no token; set it, and import again.`);
  }
  return { variable, token };
}

/** Throws ImportRefused for anything that is not a plain address, in particular a command. */
function toAddress(source: string): URL {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) {
    throw new ImportRefused(
      "mcp-address",
      `${JSON.stringify(source.slice(0, 200))} is not the address of an MCP server: nothing that an import names is ever ` +
        "started. Start the server yourself, and give its address over HTTP, such as https://tools.example/mcp.",
    );
  }
  const url = new URL(source);
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw new ImportRefused(
      "mcp-address",
      "The address of an MCP server is kept in a file, so it may hold no credentials and no query. " +
        "Give it without them, and the token by --auth-env NAME.",
    );
  }
  url.hash = "";
  return url;
}

async function list(server: McpServer, options: SendOptions): Promise<McpListing> {
  const opened = await openSession(server, options);
  if (opened.kind === "refused") throw refusal("would not open a session", opened);
  const { session } = opened;
  try {
    const tools = await readTools(server, { ...options, session });
    const { serverInfo, instructions } = opened.facts;
    return {
      ref: server.url.href,
      sha256: createHash("sha256").update(canonicalJson(tools)).digest("hex"),
      server: isRecord(serverInfo) ? serverInfo : {},
      ...(typeof instructions === "string" && { instructions }),
      tools,
    };
  } finally {
    await endSession(server, session, options);
  }
}

async function readTools(
  server: McpServer,
  options: SendOptions & { readonly session: McpSession },
): Promise<readonly JsonObject[]> {
  try {
    const listing = await listTools(server, options);
    if (listing.kind === "refused") throw refusal("would not list its tools", listing);
    return listing.tools;
  } catch (error) {
    throw error instanceof ToolListTooLong ? new ImportRefused("size", error.message) : error;
  }
}

function refusal(what: string, { exchange, reply }: RpcExchange): ImportRefused {
  const words = reply?.kind === "error" ? cleanLine(reply.message, 300) : `it answered ${exchange.status}`;
  const hint = exchange.status === 401 || exchange.status === 403 ? " Give it a token with --auth-env NAME." : "";
  return new ImportRefused("mcp-server", `The MCP server ${what}: ${words}.${hint}`);
}

function hintAt(error: ExchangeError, url: URL): string {
  return error.kind === "unreadable" ? ` Is ${url.href} the address of an MCP server?` : howToAllow(error, url);
}
