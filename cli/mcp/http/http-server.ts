import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { NO_HIDDEN_HEADERS } from "../../../shared/header-values.ts";
import { guardRequest } from "./guard-request.ts";
import { Sessions } from "./sessions.ts";

export interface McpHttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:port/mcp` */
  readonly url: string;
}

export interface McpHttpOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** What every request must bring. */
  readonly token: string;
  /** A server for each client. */
  readonly createMcpServer: () => Server;
}

const path = "/mcp";
const methods = ["GET", "POST", "DELETE"];

/** MCP over streamable HTTP at `/mcp` on loopback, with sessions. Rejects when the port is taken. */
export async function startMcpHttpServer({ port, token, createMcpServer }: McpHttpOptions): Promise<McpHttpServer> {
  const sessions = new Sessions(createMcpServer);
  const server: NodeServer = createServer((request, response) => {
    const own = { port: (server.address() as AddressInfo).port, token };
    answer(request, response, own, sessions).catch(() => {
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
      await sessions.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  own: { port: number; token: string },
  sessions: Sessions,
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
    return refuse(response, 405, `${path} takes ${methods.join(", ")}`);
  }
  const id = request.headers["mcp-session-id"];
  if (typeof id === "string") {
    const known = sessions.find(id);
    // The client then begins a new session, as the protocol has it.
    if (known === undefined) return refuse(response, 404, "There is no such session");
    return await known.handleRequest(request, response);
  }
  if (sessions.isFull) return refuse(response, 503, "There are too many sessions; end one first");
  await (await sessions.begin()).handleRequest(request, response);
}

/** As the protocol's transport words its errors. */
function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null });
  const length = { "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { "content-type": "application/json", ...length, connection: "close" }).end(body);
}
