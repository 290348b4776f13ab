import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, fromJsonSchema, McpServer, Server } from "@modelcontextprotocol/server";
import { sendWebResponse, toWebRequest } from "../../cli/mcp/http/web-exchange.ts";
import { listedTool, type TestTool } from "./mcp-server.ts";

export interface ModernMcpServer extends AsyncDisposable {
  /** `http://127.0.0.1:port/mcp`. */
  readonly url: string;
  /** JSON-RPC methods in the order of arrival. */
  readonly methods: readonly string[];
  /** Inputs of tools that were called. */
  readonly inputs: readonly unknown[];
  /** Headers of every request. */
  readonly headers: readonly Headers[];
  /** Whether clients of the earlier protocol are served, too. Can be changed while it runs. */
  isDual: boolean;
  /** Answers everything with this status for as long as it is set. */
  failsWith: number | undefined;
}

/** A real server of the protocol without sessions, the SDK's own, on a free port of loopback. */
export async function startModernMcpServer(options: {
  readonly tools: readonly TestTool[];
  readonly isDual?: boolean;
  readonly port?: number;
  /** Whether it holds calls to the headers that its tools' schemas declare. */
  readonly checksParamHeaders?: boolean;
}): Promise<ModernMcpServer> {
  const methods: string[] = [];
  const inputs: unknown[] = [];
  const seenHeaders: Headers[] = [];
  const make = options.checksParamHeaders === true ? makeCheckingServer : makeServer;
  const create = () => make(options.tools, inputs);
  const [dual, modern] = [createMcpHandler(create), createMcpHandler(create, { legacy: "reject" })];
  const http = createServer((request, response) => {
    const web = toWebRequest(request, response, `http://127.0.0.1${request.url ?? ""}`);
    void web.text().then(async (body) => {
      seenHeaders.push(web.headers);
      if (body !== "") methods.push((JSON.parse(body) as { method: string }).method);
      if (started.failsWith !== undefined) return void response.writeHead(started.failsWith).end("no");
      const { method, headers } = web;
      const again = new Request(web.url, { method, headers, ...(body !== "" && { body }) });
      await sendWebResponse(await (started.isDual ? dual : modern).fetch(again), response);
    });
  });
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, "127.0.0.1", resolve));
  const started: ModernMcpServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    methods,
    inputs,
    headers: seenHeaders,
    isDual: options.isDual ?? false,
    failsWith: undefined,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return started;
}

function makeServer(tools: readonly TestTool[], inputs: unknown[]): Server {
  const server = new Server(
    { name: "modern", title: "Modern tools", version: "3.0.0" },
    { capabilities: { tools: {} }, instructions: "Tools of today." },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map(listedTool) as never,
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    inputs.push(params.arguments);
    const tool = tools.find(({ name }) => name === params.name);
    if (tool?.run === undefined) throw new Error(`Tool ${params.name} not found`);
    return (await tool.run(params.arguments ?? {}, mcpReq.signal)) as never;
  });
  return server;
}

/** The SDK's larger server: it knows the tools' schemas, and compares their headers with the arguments. */
function makeCheckingServer(tools: readonly TestTool[], inputs: unknown[]): McpServer {
  const server = new McpServer({ name: "checking", version: "1.0.0" });
  for (const { name, inputSchema, run } of tools) {
    const schema = fromJsonSchema((inputSchema ?? { type: "object" }) as never);
    server.registerTool(name, { inputSchema: schema }, async (args, { mcpReq }) => {
      inputs.push(args);
      return (await run?.(args as Record<string, unknown>, mcpReq.signal)) as never;
    });
  }
  return server;
}
