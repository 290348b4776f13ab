import type { CallToolResult } from "@modelcontextprotocol/server";
import { sanitizeText } from "../terminal/sanitize.ts";
import { withoutHiddenText } from "../../shared/hidden-text.ts";
import type { ToolAnswer } from "./tool.ts";

/** What a tool answered, as the protocol has it. */
export function toToolResult({ lines, value, isError }: ToolAnswer): CallToolResult {
  return {
    content: toContent(lines),
    structuredContent: withoutHiddenText(value) as Record<string, unknown>,
    ...(isError && { isError }),
  };
}

/** A failure that a model reads. */
export function failedResult(lines: readonly string[]): CallToolResult {
  return { content: toContent(lines), isError: true };
}

function toContent(lines: readonly string[]): CallToolResult["content"] {
  return [{ type: "text", text: sanitizeText(textOf(lines)) }];
}

/**
 * Lines as one text. Descriptions, notes and messages of others stay on the line that says what they are: none of them
 * can add a line that looks like ours, such as a next step. Pure.
 */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, " ")).join("\n");
}
