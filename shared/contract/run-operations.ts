import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit100, queryNumber } from "./query-values.ts";
import { runFilters } from "./run-filters.ts";
import {
  HopsHeaders,
  Run,
  RunAccepted,
  RunBlocked,
  RunCompleted,
  RunErrorBody,
  RunPage,
  RunRequest,
  RunStopAccepted,
  RunUnderWay,
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
    load: "run",
    scope: "runs:create",
    idempotent: true,
    headers: HopsHeaders,
    body: RunRequest,
    responses: {
      200: z.union([RunCompleted, RunBlocked]),
      202: RunAccepted,
      408: RunErrorBody,
      409: RunUnderWay,
      502: RunErrorBody,
    },
    errors: [400, 402, 404, 508],
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
      ...runFilters,
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
    // A key that may start a run in the background may read its result.
    ownScope: "runs:create",
    params: RunIdParams,
    query: z.object({
      wait: queryNumber(z.number().min(0).max(60))
        .optional()
        .meta({ description: "Answer when the run is terminal, or after this many seconds." }),
      offset: queryNumber(z.int().min(0)).optional().meta({
        description: "Leave out so many items of the output's largest list, or characters of its largest text.",
      }),
      limit: queryNumber(z.int().min(1))
        .optional()
        .meta({ description: "How many items or characters of it at most." }),
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
    load: "vital",
    scope: "runs:update",
    params: RunIdParams,
    responses: { 202: RunStopAccepted },
    errors: [404, 409],
  }),
};
