import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, type McpHttpHandler, type McpServerFactory } from "@modelcontextprotocol/server";
import { NO_HIDDEN_HEADERS } from "../../../shared/header-values.ts";
import { guardRequest } from "./guard-request.ts";
import { sendWebResponse, toWebRequest } from "./web-exchange.ts";

export interface McpHttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:port/mcp` */
  readonly url: string;
}

export interface McpHttpOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** What every request must bring. */
  readonly token: string;
  /** A server for each request. */
  readonly createMcpServer: McpServerFactory;
}

/** The most requests at once; each has its own server in memory. */
export const MAX_REQUESTS = 100;

const path = "/mcp";
const methods = ["POST"];

/**
 * MCP over streamable HTTP at `/mcp` on loopback, in both eras of the protocol. It knows nothing of a client from one request
 * to the next, so that any of several servers answers each of them. Rejects when the port is taken.
 */
export async function startMcpHttpServer({ port, token, createMcpServer }: McpHttpOptions): Promise<McpHttpServer> {
  const handler = createMcpHandler(createMcpServer);
  let open = 0;
  const server: NodeServer = createServer((request, response) => {
    const own = { port: (server.address() as AddressInfo).port, token };
    open += 1;
    response.once("close", () => (open -= 1));
    answer(request, response, own, { handler, isFull: open > MAX_REQUESTS }).catch(() => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "Something unforeseen happened");
    });
  });
  server.maxHeadersCount = NO_HIDDEN_HEADERS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  own: { port: number; token: string },
  { handler, isFull }: { handler: McpHttpHandler; isFull: boolean },
): Promise<void> {
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  const refusal = guardRequest(request, own);
  if (refusal !== undefined) {
    if (refusal.status === 401) response.setHeader("www-authenticate", "Bearer");
    return refuse(response, refusal.status, refusal.message);
  }
  if (request.url?.split("?", 1)[0] !== path) return refuse(response, 404, `There is only ${path}`);
  if (!methods.includes(request.method ?? "")) {
    response.setHeader("allow", methods.join(", "));
    return refuse(response, 405, `${path} takes ${methods.join(", ")}; it has no sessions`);
  }
  if (isFull) return refuse(response, 503, "There are too many requests at once; try again in a moment");
  const asked = toWebRequest(request, response, `http://127.0.0.1:${own.port}${path}`);
  await sendWebResponse(await handler.fetch(asked), response);
}

/** As the protocol's transport words its errors. */
function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null });
  const length = { "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { "content-type": "application/json", ...length, connection: "close" }).end(body);
}
