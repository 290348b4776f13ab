import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit100 } from "./query-values.ts";
import { RunAccepted, RunBlocked, RunCompleted, RunErrorBody, RunUnderWay } from "./runs.ts";
import { Schedule, ScheduleHistory, SchedulePage, SchedulePatchRequest, ScheduleRequest } from "./schedules.ts";

const schedules = { tier: "mkt", tag: "Schedules", auth: "workspace" } as const;
const params = z.object({ scheduleId: z.string().meta({ description: "ULID." }) });

/** Runs that are made at certain times. docs/contract.md, "Schedules". */
export const scheduleOperations = {
  createSchedule: defineOperation({
    ...operationPaths.createSchedule,
    ...schedules,
    summary: "Create a schedule",
    description: "Its runs are made with the key that creates it, and with that key's limits.",
    scope: "runs:create",
    idempotent: true,
    body: ScheduleRequest,
    responses: { 201: Schedule },
    errors: [400, 404, 409],
  }),
  listSchedules: defineOperation({
    ...operationPaths.listSchedules,
    ...schedules,
    summary: "List schedules, newest first",
    scope: "runs:read",
    ownScope: "runs:create",
    query: z.object({ limit: Limit100.optional(), cursor: Cursor.optional() }),
    responses: { 200: SchedulePage },
    errors: [400],
  }),
  getSchedule: defineOperation({
    ...operationPaths.getSchedule,
    ...schedules,
    summary: "Get a schedule, with its next due times",
    scope: "runs:read",
    ownScope: "runs:create",
    params,
    responses: { 200: Schedule },
    errors: [404],
  }),
  updateSchedule: defineOperation({
    ...operationPaths.updateSchedule,
    ...schedules,
    summary: "Change a schedule",
    description:
      "What is left out stays; null takes a name, limit, budget or the tags away. Unless only its name changes, its runs are " +
      "made with the key that changes it from now on, and its failures are forgotten. With other times, due times count from now on.",
    scope: "runs:create",
    params,
    body: SchedulePatchRequest,
    responses: { 200: Schedule },
    errors: [400, 404, 409],
  }),
  listScheduleOccurrences: defineOperation({
    ...operationPaths.listScheduleOccurrences,
    ...schedules,
    summary: "List what became of the latest due times, newest first",
    description: "The latest 30. The runs themselves are listed with the tag schedule:<scheduleId>.",
    scope: "runs:read",
    ownScope: "runs:create",
    params,
    responses: { 200: ScheduleHistory },
    errors: [404],
  }),
  pauseSchedule: defineOperation({
    ...operationPaths.pauseSchedule,
    ...schedules,
    summary: "Pause a schedule",
    description: "Runs that are open go on.",
    load: "vital",
    scope: "runs:update",
    ownScope: "runs:create",
    params,
    responses: { 200: Schedule },
    errors: [404],
  }),
  resumeSchedule: defineOperation({
    ...operationPaths.resumeSchedule,
    ...schedules,
    summary: "Resume a schedule",
    description:
      "From now on its runs are made with the key that resumes it. Due times of the pause are not made up for.",
    scope: "runs:create",
    params,
    responses: { 200: Schedule },
    errors: [400, 404],
  }),
  runSchedule: defineOperation({
    ...operationPaths.runSchedule,
    ...schedules,
    summary: "Run a schedule now, besides its due times",
    description: "With the key that asks. Answers as POST /v1/run does.",
    load: "run",
    scope: "runs:create",
    idempotent: true,
    params,
    responses: {
      200: z.union([RunCompleted, RunBlocked]),
      202: RunAccepted,
      408: RunErrorBody,
      409: RunUnderWay,
      502: RunErrorBody,
    },
    errors: [400, 402, 404],
  }),
  deleteSchedule: defineOperation({
    ...operationPaths.deleteSchedule,
    ...schedules,
    summary: "Delete a schedule",
    description: "Its runs stay.",
    load: "vital",
    scope: "runs:update",
    ownScope: "runs:create",
    params,
    responses: { 204: null },
    errors: [404],
  }),
};
