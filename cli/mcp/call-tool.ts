import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  type CallToolRequest,
  type CallToolResult,
  ErrorCode,
  McpError,
  type ProgressToken,
  type ServerNotification,
  type ServerRequest,
  type Tool as ListedTool,
} from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import { didYouMean } from "../core/near-misses.ts";
import { sanitizeText } from "../terminal/sanitize.ts";
import { withoutHiddenText } from "../../shared/hidden-text.ts";
import type { ServiceLink } from "./service-link.ts";
import type { Tool, ToolAnswer, ToolCall } from "./tool.ts";
import { failureLines } from "./tool-error.ts";
import { workspaceInput } from "./tool-input.ts";
import { toToolSchema } from "./tool-schema.ts";
import { tools } from "./tools.ts";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";

/** The tools as `tools/list` gives them. */
export function listTools(): ListedTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...toToolSchema(inputOf(tool)), additionalProperties: false },
    outputSchema: toToolSchema(tool.output),
    annotations: { title: tool.title, ...tool.annotations },
  }));
}

/** What a tool takes, and every one of them beside that. */
function inputOf({ input }: Tool) {
  return input.extend(workspaceInput).strict();
}

/**
 * Calls a tool. A failure is a result with `isError` that says what to do next, so that the model reads it; only an
 * unknown tool is an error of the protocol.
 */
export async function callTool(
  { name, arguments: given = {} }: CallToolRequest["params"],
  extra: CallExtra,
  server: Server,
  link: ServiceLink,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const near = didYouMean(
      name,
      tools.map((candidate) => candidate.name),
    );
    throw new McpError(ErrorCode.InvalidParams, `There is no tool "${name}".${near}`);
  }
  const doubtful = doubtfulNumberIn(given);
  if (doubtful !== undefined) return failed(doubtfulLines(doubtful));
  const parsed = inputOf(tool).safeParse(given);
  if (!parsed.success) return failed(argumentsLines(tool, parsed.error));
  const { workspaceId, ...input }: { workspaceId?: string } = parsed.data;
  try {
    const answer = await tool.call(
      input,
      toCall(extra, server, () => link.client(workspaceId)),
    );
    return toResult(tool, answer);
  } catch (thrown) {
    if (extra.signal.aborted) throw thrown;
    return failed(failureLines(name, await link.describe(thrown)));
  }
}

function toCall(extra: CallExtra, server: Server, connect: ToolCall["connect"]): ToolCall {
  // eslint-disable-next-line no-underscore-dangle -- the name is the protocol's
  const progressToken = extra._meta?.progressToken;
  return {
    connect,
    signal: extra.signal,
    isWatched: progressToken !== undefined,
    report: progressToken === undefined ? () => {} : progressReporter(extra, progressToken),
    log(message) {
      // Whoever has gone cannot be told.
      server.sendLoggingMessage({ level: "notice", logger: "mkt", data: message }, extra.sessionId).catch(() => {});
    },
  };
}

function toResult(tool: Tool, { lines, value, isError }: ToolAnswer): CallToolResult {
  const told = tool.spends ? lines : [...lines, "Calling this tool cost nothing."];
  return {
    content: toContent(told),
    structuredContent: withoutHiddenText(value) as Record<string, unknown>,
    ...(isError && { isError }),
  };
}

/**
 * A whole number that may have changed when the message was parsed, such as a 64-bit id: the run would then be paid for
 * with the wrong id.
 */
function doubtfulNumberIn(given: unknown): number | undefined {
  const open: unknown[] = [given];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "number" && !Number.isSafeInteger(value) && !(value % 1 !== 0 && Number.isFinite(value))) {
      return value;
    }
    if (typeof value === "object" && value !== null) for (const member of Object.values(value)) open.push(member);
  }
  return undefined;
}

function doubtfulLines(number: number): string[] {
  return [
    `The arguments have the number ${number}, which may have lost digits on its way: numbers are exact up to 9007199254740991.`,
    "Next: send it as text, in quotes. Nothing was called or charged.",
  ];
}

function failed(lines: readonly string[]): CallToolResult {
  return { content: toContent(lines), isError: true };
}

function toContent(lines: readonly string[]): CallToolResult["content"] {
  return [{ type: "text", text: sanitizeText(textOf(lines)) }];
}

function argumentsLines(tool: Tool, { issues }: z.ZodError): string[] {
  const said = issues.map(({ path, message }) => `${path.length === 0 ? "arguments" : path.join(".")}: ${message}`);
  const takes = Object.keys(inputOf(tool).shape).join(", ");
  return [
    `Error: these arguments cannot be used. ${said.join("; ")}.`,
    `Next: ${tool.name} takes ${takes}. Nothing was done.`,
  ];
}

/**
 * Lines as one text. Descriptions, notes and messages of others stay on the line that says what they are: none of them
 * can add a line that looks like ours, such as a next step. Pure.
 */
function textOf(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, " ")).join("\n");
}

/**
 * Reports progress to the caller: the seconds since the call, which only grow, and the words. There is no total,
 * because nobody knows how long a provider takes.
 */
function progressReporter(extra: CallExtra, progressToken: ProgressToken): (message: string) => void {
  const startedAt = performance.now();
  let last = -1;
  return (message) => {
    const progress = Math.max(last + 0.001, Math.round(performance.now() - startedAt) / 1000);
    last = progress;
    const params = { progressToken, progress, message };
    // Whoever has gone cannot be told.
    extra.sendNotification({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** What the SDK hands on beside a request: its signal, its session, and the way back to the one who asked. */
type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;
