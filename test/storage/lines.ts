import { microDollars } from "../../shared/micro-dollars.ts";
import { credit, hold, settle } from "../../daemon/ledger/money/postings.ts";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import type { Plain } from "../support/branded.ts";
import { makeRun } from "../support/make-run.ts";

export const AT = "2026-11-21T10:00:00.000Z";

type LineOf<Type extends Line["t"]> = Extract<Line, { t: Type }>;

export function ownerCreated(startingMicroDollars = 1_000_000): LineOf<"owner.created"> {
  return {
    t: "owner.created",
    v: 1,
    at: AT,
    user: { userId: "u1", username: "ada", createdAt: AT, updatedAt: AT },
    workspace: { workspaceId: "w1", name: "Home", slug: "home", createdAt: AT, updatedAt: AT },
    key: keyCreated("k1", { label: "owner" }).key,
    led: credit("w1", microDollars(startingMicroDollars)),
  };
}

export function workspaceCreated(workspaceId: string, slug = workspaceId, userId = "u1"): LineOf<"workspace.created"> {
  const workspace = { workspaceId, name: workspaceId, slug, createdAt: AT, updatedAt: AT };
  return { t: "workspace.created", v: 1, at: AT, workspace, userId };
}

export function keyCreated(
  keyId: string,
  members: Partial<LineOf<"key.created">["key"]> = {},
  replaces?: string[],
): LineOf<"key.created"> {
  const key: LineOf<"key.created">["key"] = {
    keyId,
    workspaceId: "w1",
    label: keyId,
    hash: `hash of ${keyId}`,
    prefix: "mkt_live_abcdefgh",
    fingerprint: keyId,
    owner: "u1",
    createdBy: "API_KEY#k1",
    scopes: ["runs:write"],
    origin: "API",
    createdAt: AT,
    ...members,
  };
  return { t: "key.created", v: 1, at: AT, key, ...(replaces !== undefined && { replaces }) };
}

export function keyRevoked(keyId: string): LineOf<"key.revoked"> {
  return { t: "key.revoked", v: 1, at: AT, keyId, by: "API_KEY#k1" };
}

export function runAccepted(runId: string, members: Partial<Plain<RunRecord>> = {}): LineOf<"run.accepted"> {
  const rec = makeRun({ runId, ...members });
  return {
    t: "run.accepted",
    v: 1,
    at: AT,
    ws: rec.workspaceId,
    run: runId,
    rec,
    led: hold(rec.workspaceId, rec.heldMicroDollars),
  };
}

/** Finished, everything that was held is charged. */
export function runDone(runId: string, members: Partial<Plain<RunRecord>> = {}): LineOf<"run.done"> {
  const ended = makeRun({ runId, status: "COMPLETED", output: { answer: runId }, completedAt: AT, ...members });
  const held = ended.heldMicroDollars;
  const rec: RunRecord = { billing: { calculated: held, actual: held, reported: held }, ...ended };
  const led = settle(rec.workspaceId, { held: rec.heldMicroDollars, charged: rec.heldMicroDollars });
  return { t: "run.done", v: 1, at: AT, ws: rec.workspaceId, run: runId, rec, led };
}

export function runMoved(type: "run.go" | "run.stop", runId: string): LineOf<"run.go" | "run.stop"> {
  return { t: type, v: 1, at: "2026-11-21T10:00:01.000Z", ws: "w1", run: runId };
}

/** A live one of the first workspace. */
export function makeResource(members: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    resourceId: "x1",
    revision: 1,
    workspaceId: "w1",
    provider: "weather",
    providerName: "Weather",
    resource: "station",
    resourceType: "machine",
    displayName: "Station",
    externalId: "e1",
    identifier: "e1",
    data: {},
    state: "ACTIVE",
    runId: "r1",
    owner: "u1",
    provisionedBy: "API_KEY#k1",
    createdAt: AT,
    updatedAt: AT,
    events: [],
    ...members,
  };
}

export function resourceChanged(resource: ResourceRecord): LineOf<"resource.changed"> {
  return { t: "resource.changed", v: 1, at: resource.updatedAt, ws: resource.workspaceId, resource, led: [] };
}

/** The same resource at its end. */
export function resourceReleased(resource: ResourceRecord): LineOf<"resource.changed"> {
  return resourceChanged({ ...resource, revision: resource.revision + 1, state: "RELEASED" });
}

/** A webhook of the first workspace that is told of everything. */
export function webhookCreated(
  webhookId: string,
  members: Partial<LineOf<"webhook.created">["webhook"]> = {},
): LineOf<"webhook.created"> {
  const webhook: LineOf<"webhook.created">["webhook"] = {
    webhookId,
    workspaceId: "w1",
    name: webhookId,
    origin: "https://hooks.example.com",
    sealedUrl: "sealed",
    events: ["*"],
    format: "standard",
    secrets: [],
    createdBy: "API_KEY#k1",
    keyId: "k1",
    createdAt: AT,
    updatedAt: AT,
    ...members,
  };
  return { t: "webhook.created", v: 1, at: AT, ws: webhook.workspaceId, by: "API_KEY#k1", webhook };
}

/** A schedule of the first workspace for seven o'clock each morning. */
export function scheduleCreated(
  scheduleId: string,
  members: Partial<LineOf<"schedule.created">["definition"]> = {},
): LineOf<"schedule.created"> {
  const definition: LineOf<"schedule.created">["definition"] = {
    scheduleId,
    workspaceId: "w1",
    cron: "0 7 * * *",
    timeZone: "UTC",
    provider: "weather",
    endpoint: "/now",
    input: { queryParams: { city: "Lisbon" } },
    missed: "SKIP",
    overlap: false,
    pauseAfterFailures: 5,
    createdAt: AT,
    ...members,
  };
  const actsAs = { actor: "API_KEY#k1", keyId: "k1" };
  return { t: "schedule.created", v: 1, at: AT, ws: definition.workspaceId, schedule: scheduleId, definition, actsAs };
}

export function scheduleSkipped(
  scheduleId: string,
  dueAt: string,
  members: Partial<LineOf<"schedule.skipped">> = {},
): LineOf<"schedule.skipped"> {
  return { t: "schedule.skipped", v: 1, at: AT, ws: "w1", schedule: scheduleId, dueAt, outcome: "OVERLAP", ...members };
}

export function schedulePaused(scheduleId: string): LineOf<"schedule.paused"> {
  const pause = { reason: "ASKED" as const, message: "API_KEY#k1 asked for it", at: AT };
  return { t: "schedule.paused", v: 1, at: AT, ws: "w1", schedule: scheduleId, pause };
}
