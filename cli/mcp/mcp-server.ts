import { INTERNAL_ERROR, ProtocolError, Server } from "@modelcontextprotocol/server";
import type { Client } from "../../shared/client/client.ts";
import { callTool, listTools } from "./call-tool.ts";
import { completeArgument } from "./complete-argument.ts";
import { catalogResources, catalogTemplates, readCatalogResource } from "./catalog-resources.ts";
import { instructions } from "./instructions.ts";
import type { ServiceLink } from "./service-link.ts";
import { serveTasks, TASKS_EXTENSION } from "./tasks.ts";

/** The market as an MCP server of both eras, not yet connected to anybody. */
export function createMcpServer(link: ServiceLink, { version }: { version: string }): Server {
  // eslint-disable-next-line typescript/no-deprecated -- the other one keeps the tools itself, with a schema language of its own
  const server = new Server(
    { name: "mkt", title: "Data marketplace", version },
    {
      capabilities: {
        tools: {},
        resources: {},
        completions: {},
        logging: {},
        extensions: { [TASKS_EXTENSION]: {} },
      },
      instructions,
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: listTools() }));
  server.setRequestHandler("tools/call", async ({ params }, context) => callTool(params, context, server, link));
  server.setRequestHandler("resources/list", () => ({ resources: [...catalogResources] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...catalogTemplates] }));
  server.setRequestHandler("resources/read", async ({ params }) => ({
    contents: [await asked(link, (client) => readCatalogResource(client, params.uri))],
  }));
  server.setRequestHandler("completion/complete", async ({ params }) => ({
    completion: await asked(link, (client) => completeArgument(client, params)),
  }));
  serveTasks(server, link);
  return server;
}

/** What the service answers, or an error of the protocol that says what a person can do. */
async function asked<Answer>(link: ServiceLink, ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  try {
    return await ask(await link.client());
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const { message, next } = await link.describe(thrown);
    throw new ProtocolError(INTERNAL_ERROR, next === undefined ? message : `${message} To type at a terminal: ${next}`);
  }
}
