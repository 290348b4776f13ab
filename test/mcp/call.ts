import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { toToolSchema } from "../../cli/mcp/tool-schema.ts";
import { tools } from "../../cli/mcp/tools.ts";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** The whole schemas of what tools give, of which `tools/list` has the short form. */
const outputSchemas = new Map(tools.map((tool) => [tool.name, toToolSchema(tool.output)]));
const ajv = addFormats.default(new Ajv2020({ strict: false }));

export interface Called {
  readonly text: string;
  readonly data: Record<string, any>;
  readonly isError: boolean;
}

/** Calls a tool. What comes is checked against the short schema by the SDK's client, and here against the whole one. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client["callTool"]>[2] = {},
): Promise<Called> {
  const result = (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult;
  const schema = outputSchemas.get(name);
  if (result.structuredContent !== undefined && schema !== undefined) {
    const fits = ajv.validate(schema, result.structuredContent);
    if (!fits) throw new Error(`${name} gave what its whole schema does not allow: ${ajv.errorsText()}`);
  }
  const text = result.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  return { text, data: (result.structuredContent ?? {}) as Record<string, any>, isError: result.isError === true };
}
