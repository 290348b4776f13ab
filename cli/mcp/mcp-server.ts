import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Client } from "../../shared/client/client.ts";
import { callTool, listTools } from "./call-tool.ts";
import { completeArgument } from "./complete-argument.ts";
import { catalogResources, catalogTemplates, readCatalogResource } from "./catalog-resources.ts";
import { instructions } from "./instructions.ts";
import type { ServiceLink } from "./service-link.ts";

/** The market as an MCP server, not yet connected to anybody. One for each client. */
export function createMcpServer(link: ServiceLink, { version }: { version: string }): Server {
  const server = new Server(
    { name: "mkt", title: "Data marketplace", version },
    { capabilities: { tools: {}, resources: {}, completions: {}, logging: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => callTool(params, extra, server, link));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...catalogResources] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...catalogTemplates] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({
    contents: [await asked(link, (client) => readCatalogResource(client, params.uri))],
  }));
  server.setRequestHandler(CompleteRequestSchema, async ({ params }) => ({
    completion: await asked(link, (client) => completeArgument(client, params)),
  }));
  return server;
}

/** What the service answers, or an error of the protocol that says what a person can do. */
async function asked<Answer>(link: ServiceLink, ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(await link.client());
  } catch (thrown) {
    if (thrown instanceof McpError) throw thrown;
    const { message, next } = await link.describe(thrown);
    throw new McpError(
      ErrorCode.InternalError,
      next === undefined ? message : `${message} To type at a terminal: ${next}`,
    );
  }
}
