import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { briefSchema } from "./brief-schema.ts";
import { inputOf } from "./tool-input.ts";
import { toToolSchema } from "./tool-schema.ts";
import { tools } from "./tools.ts";

/** The tools as `tools/list` gives them. */
export function listTools(): ListedTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...toToolSchema(inputOf(tool)), additionalProperties: false },
    // The whole schemas fill most of a model's context window before it has asked anything.
    outputSchema: briefSchema(toToolSchema(tool.output), tool.listed),
    annotations: tool.annotations,
  }));
}
