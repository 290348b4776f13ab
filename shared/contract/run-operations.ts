import { z } from "zod";
import { DateTime } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit100, queryList, queryNumber } from "./query-values.ts";
import {
  Run,
  RunAccepted,
  RunBlocked,
  RunCompleted,
  RunErrorBody,
  RunPage,
  RunRequest,
  RunStatus,
  RunStopAccepted,
} from "./runs.ts";

const RunIdParams = z.object({ runId: z.string().meta({ description: "ULID." }) });

export const runOperations = {
  startRun: defineOperation({
    ...operationPaths.startRun,
    tier: "core",
    tag: "Runs",
    summary: "Run an endpoint",
    description: "A sync endpoint answers 200 with the finished run; an async one 202 as soon as the run is recorded.",
    auth: "workspace",
    scope: "runs:create",
    body: RunRequest,
    responses: { 200: z.union([RunCompleted, RunBlocked]), 202: RunAccepted, 408: RunErrorBody, 502: RunErrorBody },
    errors: [400, 402, 404],
  }),
  listRuns: defineOperation({
    ...operationPaths.listRuns,
    tier: "core",
    tag: "Runs",
    summary: "List runs, newest first",
    auth: "workspace",
    scope: "runs:read",
    query: z.object({
      limit: Limit100.optional(),
      cursor: Cursor.optional(),
      status: queryList(RunStatus.options).optional().meta({ description: "One status or several, comma-separated." }),
      provider: z.string().min(1).optional(),
      endpoint: z.string().min(1).optional(),
      since: DateTime.optional().meta({ description: "Created at or after." }),
      until: DateTime.optional().meta({ description: "Created before." }),
      tag: z.string().min(1).optional().meta({ description: "name:value" }),
      keyLabel: z.string().min(1).optional().meta({ description: "Label of the API key that made the run." }),
    }),
    responses: { 200: RunPage },
    errors: [400],
  }),
  getRun: defineOperation({
    ...operationPaths.getRun,
    tier: "core",
    tag: "Runs",
    summary: "Get a run",
    auth: "workspace",
    scope: "runs:read",
    params: RunIdParams,
    query: z.object({
      wait: queryNumber(z.number().min(0).max(60))
        .optional()
        .meta({ description: "Answer when the run is terminal, or after this many seconds." }),
    }),
    responses: { 200: Run },
    errors: [400, 404],
  }),
  stopRun: defineOperation({
    ...operationPaths.stopRun,
    tier: "core",
    tag: "Runs",
    summary: "Stop a run",
    auth: "workspace",
    scope: "runs:update",
    params: RunIdParams,
    responses: { 202: RunStopAccepted },
    errors: [404, 409],
  }),
};
