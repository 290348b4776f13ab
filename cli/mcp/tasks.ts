import {
  CLIENT_CAPABILITIES_META_KEY,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import { isRecord } from "../../shared/is-record.ts";
import { isTerminal, type AnyRun } from "../run/run-outcome.ts";
import { deliveredNothing, runAnswer, standingWords } from "./run-answer.ts";
import type { ServiceLink } from "./service-link.ts";
import { toToolResult } from "./tool-result.ts";

/** Runs that go on are tasks for clients that know them. Source: modelcontextprotocol.io, extension "Tasks". */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

const POLL_INTERVAL_MS = 3_000;

const TaskParams = z.looseObject({ taskId: z.string() });

/** Whether the client said with this very request that it knows tasks; nothing is remembered from another one. */
export function knowsTasks(context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY];
  const extensions = isRecord(capabilities) ? capabilities["extensions"] : undefined;
  return isRecord(extensions) && Object.hasOwn(extensions, TASKS_EXTENSION);
}

/** The answer to a call of `run` whose run goes on. The task is the run: its id, its state, its place in the journal. */
export function toTask(run: AnyRun): object {
  return { resultType: "task", ...describeTask(run) };
}

/** Answers `tasks/get`, `tasks/cancel` and `tasks/update`. Everything is asked of the service; nothing is kept here. */
export function serveTasks(server: Server, link: ServiceLink): void {
  const answer = (method: string, ask: (client: Client, taskId: string) => Promise<Record<string, unknown>>): void => {
    server.setRequestHandler(method, { params: TaskParams }, async ({ taskId }, context) => {
      requireTasks(method, context);
      return await inItsWorkspace(link, taskId, ask);
    });
  };
  answer("tasks/get", async (client, runId) => {
    const run = await client.getRun({ params: { runId } });
    return { ...describeTask(run), ...outcomeOf(run) };
  });
  answer("tasks/cancel", async (client, runId) => {
    await client.stopRun({ params: { runId } }).catch((error: unknown) => {
      // It has ended, or its endpoint cannot be stopped: the request was a wish, and is answered as one.
      if (!(error instanceof ServiceError && error.status === 409)) throw error;
    });
    return {};
  });
  // No run asks for anything on its way.
  answer("tasks/update", async (client, runId) => {
    await client.getRun({ params: { runId } });
    return {};
  });
}

function requireTasks(method: string, context: ServerContext): void {
  if (context.mcpReq.envelope === undefined) throw new ProtocolError(METHOD_NOT_FOUND, `There is no method ${method}`);
  if (knowsTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
}

function describeTask(run: AnyRun): Record<string, unknown> {
  const { runId, createdAt, startedAt, completedAt } = run;
  return {
    taskId: runId,
    status: statusOf(run),
    statusMessage: standingWords(run),
    createdAt,
    lastUpdatedAt: completedAt ?? startedAt ?? createdAt,
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

/** A run that failed is a completed task: its result says so, as that of the call would have. */
function statusOf(run: AnyRun): "working" | "cancelled" | "completed" {
  if (!isTerminal(run)) return "working";
  return run.status === "STOPPED" ? "cancelled" : "completed";
}

function outcomeOf(run: AnyRun): Record<string, unknown> {
  if (statusOf(run) !== "completed") return {};
  return { result: toToolResult({ ...runAnswer(run), isError: deliveredNothing(run) }) };
}

/** A task says nothing of a workspace: it is looked for in each one of the credential, the usual one first. */
async function inItsWorkspace<Answer>(
  link: ServiceLink,
  taskId: string,
  ask: (client: Client, taskId: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    const usual = await link.client();
    const found = await unlessMissing(ask(usual, taskId));
    if (found !== undefined) return found;
    const { workspaces } = await usual.listWorkspaces({});
    for (const { workspaceId } of workspaces.length > 1 ? workspaces : []) {
      const there = await unlessMissing(ask(await link.client(workspaceId), taskId));
      if (there !== undefined) return there;
    }
  } catch (thrown) {
    const { message } = await link.describe(thrown);
    throw new ProtocolError(INTERNAL_ERROR, message);
  }
  throw new ProtocolError(INVALID_PARAMS, `Task ${taskId} was not found; list_runs shows the runs that there are`);
}

async function unlessMissing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  return await asked.catch((error: unknown) => {
    if (error instanceof ServiceError && (error.status === 404 || error.status === 400)) return undefined;
    throw error;
  });
}
