import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Client } from "../../shared/client/client.ts";

/** What one call of a tool works with. */
export interface ToolCall {
  /** A client for the current service; a new one finds a restarted daemon. */
  connect(): Promise<Client>;
  /** Aborts when the caller cancels the call, or has gone. */
  readonly signal: AbortSignal;
  /** Whether the caller asked for progress reports. */
  readonly isWatched: boolean;
  /** Whether the caller takes a task for an answer. */
  readonly knowsTasks: boolean;
  /** Reports progress to the caller; does nothing if it did not ask. */
  report(message: string): void;
  /** Sends the caller a message that belongs to no answer. */
  log(message: string): void;
}

export interface ToolAnswer {
  /** For the one who reads, line by line: what it says, what a run cost, what to call next. */
  readonly lines: readonly string[];
  /** The same as data, in the shape of the tool's output. */
  readonly value: object;
  /** The request was not fulfilled: the text says what to do. */
  readonly isError?: boolean;
  /** Takes the place of all that: the call goes on, and the client asks for its outcome. */
  readonly task?: object;
}

/** One tool as a value. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Required<Omit<ToolAnnotations, "title">>;
  readonly input: Input;
  readonly output: z.ZodObject;
  /** Members that an answer may lack, and that are listed all the same. */
  readonly listed?: readonly string[];
  /** Absent: a call costs nothing, and its answer says so. */
  readonly spends?: true;
  readonly call: (input: z.output<Input>, call: ToolCall) => Promise<ToolAnswer>;
}

/** Returns the tool with the types of its input checked, then forgotten: what the server lists. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** A tool that only reads what the service knows. */
export const readsOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
