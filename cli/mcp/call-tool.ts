import {
  type CallToolRequestParams,
  type CallToolResult,
  INVALID_PARAMS,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import { isRecord } from "../../shared/is-record.ts";
import { didYouMean } from "../core/near-misses.ts";
import type { ServiceLink } from "./service-link.ts";
import { knowsTasks } from "./tasks.ts";
import type { Tool, ToolCall } from "./tool.ts";
import { failureLines } from "./tool-error.ts";
import { inputOf } from "./tool-input.ts";
import { failedResult, toToolResult } from "./tool-result.ts";
import { tools } from "./tools.ts";

/**
 * Calls a tool. A failure is a result with `isError` that says what to do next, so that the model reads it; only an
 * unknown tool is an error of the protocol.
 */
export async function callTool(
  { name, arguments: sent = {} }: CallToolRequestParams,
  context: ServerContext,
  server: Server,
  link: ServiceLink,
): Promise<CallToolResult> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const near = didYouMean(
      name,
      tools.map((candidate) => candidate.name),
    );
    throw new ProtocolError(INVALID_PARAMS, `There is no tool "${name}".${near}`);
  }
  const given = readArguments(sent);
  const doubtful = doubtfulNumberIn(given);
  if (doubtful !== undefined) return failedResult(doubtfulLines(doubtful));
  const parsed = inputOf(tool).safeParse(given);
  if (!parsed.success) return failedResult(argumentsLines(tool, parsed.error));
  const { workspaceId, ...input }: { workspaceId?: string } = parsed.data;
  try {
    const answer = await tool.call(
      input,
      toCall(context, server, () => link.client(workspaceId)),
    );
    if (answer.task !== undefined) return answer.task as CallToolResult;
    const lines = tool.spends ? answer.lines : [...answer.lines, "Calling this tool cost nothing."];
    return toToolResult({ ...answer, lines });
  } catch (thrown) {
    if (context.mcpReq.signal.aborted) throw thrown;
    return failedResult(failureLines(name, await link.describe(thrown)));
  }
}

/**
 * The arguments as they were meant: many models send the `input` of `run` and `quote` as JSON in a text. Anything else is
 * left to the tool's schema. Pure.
 */
function readArguments(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { input } = sent;
  if (typeof input !== "string") return sent;
  const read = parseObject(input);
  return read === undefined ? sent : { ...sent, input: read };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toCall(context: ServerContext, server: Server, connect: ToolCall["connect"]): ToolCall {
  const { mcpReq, sessionId } = context;
  // eslint-disable-next-line no-underscore-dangle -- the name is the protocol's
  const progressToken = mcpReq._meta?.progressToken;
  return {
    connect,
    signal: mcpReq.signal,
    isWatched: progressToken !== undefined,
    knowsTasks: knowsTasks(context),
    report: progressToken === undefined ? () => {} : progressReporter(context, progressToken),
    log(message) {
      const told = { level: "notice", logger: "mkt", data: message } as const;
      // Whoever has gone cannot be told.
      server.sendLoggingMessage(told, sessionId).catch(() => {});
    },
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

function argumentsLines(tool: Tool, { issues }: z.ZodError): string[] {
  const said = issues.map(({ path, message }) => `${path.length === 0 ? "arguments" : path.join(".")}: ${message}`);
  const takes = Object.keys(inputOf(tool).shape).join(", ");
  return [
    `Error: these arguments cannot be used. ${said.join("; ")}.`,
    `Next: ${tool.name} takes ${takes}. Nothing was done.`,
  ];
}

/**
 * Reports progress to the caller: the seconds since the call, which only grow, and the words. There is no total,
 * because nobody knows how long a provider takes.
 */
function progressReporter({ mcpReq }: ServerContext, progressToken: string | number): (message: string) => void {
  const startedAt = performance.now();
  let last = -1;
  return (message) => {
    const progress = Math.max(last + 0.001, Math.round(performance.now() - startedAt) / 1000);
    last = progress;
    const params = { progressToken, progress, message };
    // Whoever has gone cannot be told.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
