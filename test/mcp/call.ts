import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

export interface Called {
  readonly text: string;
  readonly data: Record<string, any>;
  readonly isError: boolean;
}

/** Calls a tool; the SDK's client checks what comes against the tool's output schema. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client["callTool"]>[2] = {},
): Promise<Called> {
  const result = (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult;
  const text = result.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
  return { text, data: (result.structuredContent ?? {}) as Record<string, any>, isError: result.isError === true };
}
