import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

export interface TestTool extends Partial<Tool> {
  readonly name: string;
  readonly run?: (input: Record<string, unknown>, signal: AbortSignal) => CallToolResult | Promise<CallToolResult>;
}

export interface McpServerOptions {
  readonly tools: readonly TestTool[];
  /** Whether it keeps sessions; it does unless told otherwise. */
  readonly sessions?: boolean;
  /** Whether it answers with JSON in place of an event stream. */
  readonly json?: boolean;
  /** Tools on a page of its list; all without it. */
  readonly pageSize?: number;
  /** What `Authorization` must be; anything without it. */
  readonly authorization?: string;
  readonly instructions?: string;
  /** A free one without it. */
  readonly port?: number;
}

export interface TestMcpServer extends AsyncDisposable {
  /** `http://127.0.0.1:port/mcp`. */
  readonly url: string;
  /** JSON-RPC methods in the order of arrival. */
  readonly methods: readonly string[];
  /** Headers of every request. */
  readonly headers: readonly IncomingMessage["headers"][];
  /** Inputs of tools that were called. */
  readonly inputs: readonly unknown[];
  /** Forgets all sessions, as a server does that was started again. */
  forgetSessions(): void;
}

/** A real MCP server, the SDK's own, over streamable HTTP on a free port of loopback. */
export async function startMcpServer(options: McpServerOptions): Promise<TestMcpServer> {
  const { sessions = true, json = false } = options;
  const open = new Map<string, StreamableHTTPServerTransport>();
  const methods: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const inputs: unknown[] = [];

  async function connect(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      ...(sessions && { sessionIdGenerator: () => randomUUID() }),
      enableJsonResponse: json,
      onsessioninitialized: (id) => void open.set(id, transport),
    });
    await makeServer(options, inputs).connect(transport as Parameters<Server["connect"]>[0]);
    return transport;
  }

  const server = createServer((request, response) => {
    void readJson(request).then(async (message) => {
      headers.push(request.headers);
      if (isMessage(message)) methods.push(message.method);
      if (options.authorization !== undefined && request.headers.authorization !== options.authorization) {
        response.writeHead(401, { "content-type": "application/json" }).end('{"error":"who are you?"}');
        return;
      }
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? open.get(id) : undefined;
      if (id !== undefined && known === undefined) {
        response.writeHead(404).end();
        return;
      }
      await (known ?? (await connect())).handleRequest(request, response, message);
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    methods,
    headers,
    inputs,
    forgetSessions: () => open.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function makeServer({ tools, pageSize, instructions }: McpServerOptions, inputs: unknown[]): Server {
  const server = new Server(
    { name: "test", title: "Test tools", version: "2.1.0" },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
  );
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const to = Math.min(tools.length, from + (pageSize ?? tools.length));
    const page = tools.slice(from, to).map(listedTool);
    return { tools: page, ...(to < tools.length && { nextCursor: String(to) }) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    inputs.push(params.arguments);
    const tool = tools.find(({ name }) => name === params.name);
    if (tool?.run === undefined) throw new Error(`Tool ${params.name} not found`);
    return await tool.run(params.arguments ?? {}, signal);
  });
  return server;
}

/** A tool as a list of tools has it. */
export function listedTool(tool: TestTool): Tool {
  const { run: _, ...told } = { inputSchema: { type: "object" as const }, ...tool };
  return told;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}

function isMessage(value: unknown): value is { method: string } {
  return typeof value === "object" && value !== null && "method" in value;
}
