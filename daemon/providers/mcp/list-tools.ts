import { isRecord } from "../../../shared/is-record.ts";
import type { SendOptions } from "../sending/send.ts";
import type { JsonObject } from "./protocol.ts";
import { exchangeRpc, type McpServer, type McpSession, type RpcExchange } from "./rpc-exchange.ts";

/** The tools of a server, or its refusal to list them. */
export type ToolListing =
  | { readonly kind: "tools"; readonly tools: readonly JsonObject[] }
  | ({ readonly kind: "refused" } & RpcExchange);

/** A list of tools that does not end, or is larger than a person reads. */
export class ToolListTooLong extends Error {
  override readonly name = "ToolListTooLong";
}

const MAX_TOOLS = 1_000;
const MAX_PAGES = 200;
/** Of all pages together. */
export const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** Every page of a server's list of tools; calls none. Throws ExchangeError and ToolListTooLong. */
export async function listTools(
  server: McpServer,
  options: SendOptions & { readonly session: McpSession },
): Promise<ToolListing> {
  const tools: JsonObject[] = [];
  let bytes = 0;
  let cursor: unknown;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const asked = await exchangeRpc(server, { jsonrpc: "2.0", id: page, method: "tools/list", params }, options);
    if (asked.reply?.kind !== "result") return { kind: "refused", ...asked };
    const { tools: found, nextCursor } = asked.reply.result;
    bytes += asked.exchange.bytes;
    if (!Array.isArray(found)) return { kind: "refused", exchange: asked.exchange };
    tools.push(...found.filter(isRecord));
    if (bytes > MAX_LIST_BYTES) throw new ToolListTooLong(`The list of tools is larger than ${MAX_LIST_BYTES} bytes.`);
    if (tools.length > MAX_TOOLS) {
      throw new ToolListTooLong(`The server has more than ${MAX_TOOLS} tools, which no person reads through.`);
    }
    if (typeof nextCursor !== "string" || nextCursor === "") return { kind: "tools", tools };
    cursor = nextCursor;
  }
  throw new ToolListTooLong(`The list of tools did not end within ${MAX_PAGES} pages.`);
}
