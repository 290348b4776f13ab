/** Requests of the protocol of 2026-07-28, written out. */

export const MODERN_VERSION = "2026-07-28";
const tasks = "io.modelcontextprotocol/tasks";

export interface ModernRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Whether the client says that it knows tasks. */
  readonly knowsTasks?: boolean;
}

let lastId = 0;

/** One message, whole in itself. */
export function modernMessage({ method, params = {}, knowsTasks = false }: ModernRequest) {
  lastId += 1;
  const capabilities = knowsTasks ? { extensions: { [tasks]: {} } } : {};
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  return { jsonrpc: "2.0", id: lastId, method, params: { ...params, _meta: envelope } };
}

/** The headers that mirror it. */
export function modernHeaders({ method, params = {} }: ModernRequest): Record<string, string> {
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": MODERN_VERSION,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}

export interface ModernAnswer {
  readonly status: number;
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

/** Sends it to `mkt mcp --http`, or to one of several. */
export async function askModern(
  { url, token }: { readonly url: string; readonly token: string },
  request: ModernRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<ModernAnswer> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...modernHeaders(request), authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(modernMessage(request)),
  });
  const text = await answer.text();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: answer.status, ...JSON.parse(json) };
}
