import type { RunId, WorkspaceId } from "../base/ids.ts";
import { type Period } from "../../shared/contract/common.ts";
import type { ProvisionedResource } from "../providers/protocol/provider.ts";
import { nextCycle, periodBoundary, renewLeadMs, unpaidGraceMs } from "./rent-periods.ts";
import type { ResourcePlan } from "../ledger/records/resource-plan.ts";
import type { ResourceEventRecord, ResourceRecord } from "../ledger/records/resource-record.ts";

/*
 * The life of a resource; nothing else decides what it may become. Pure: every function gives the record after the change.
 *
 *   from                        what happens      to                note
 *   -                           provisioned       ACTIVE            by a run; the first period is paid by that run
 *   -                           not provisioned   PROVISION_FAILED  the provider said yes, and no id could be read
 *   ACTIVE, SUSPENDED           renewed           ACTIVE            the period that is under way, or the next one, is paid
 *   ACTIVE, SUSPENDED           renewal failed    same              tried again; SUSPENDED once the paid period is over;
 *                                                                   EXPIRING when it is still unpaid after the grace
 *   ACTIVE, SUSPENDED           release asked     EXPIRING          usable until the paid period ends
 *   EXPIRING, not yet due       wanted again      ACTIVE            the provider gave it to its workspace once more
 *   EXPIRING                    release failed    EXPIRING          tried again
 *   whatever is not at its end  released          RELEASED
 *
 * READY and PROVISIONING are states of the contract that nothing here stays in: a resource is known once its id is.
 * docs/contract.md, "Life of a resource".
 */
type Renewal = NonNullable<ResourceRecord["renewal"]>;

const SHORTEST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;
const SHORTEST_RELEASE_WAIT_MS = 10_000;
/** A resource that is renewed every minute must not grow its record without bound. */
const MAX_EVENTS = 100;
/** Types that are released at once on request, whether they have rent or not. docs/contract.md, "Release". */
const RELEASED_AT_ONCE: ReadonlySet<ResourceRecord["resourceType"]> = new Set(["email_inbox", "email_domain"]);

/** Why a resource ends, as `releaseReasonCode` tells it. */
export type ReleaseReason = "REQUESTED" | "RUN" | "UNPAID" | "GONE" | "DUPLICATE";

export interface ProvisioningRun {
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
  /** Prefixed actor. */
  readonly caller: string;
  readonly owner: string;
  readonly provider: string;
  readonly providerName: string;
}

type Provisions = NonNullable<ResourcePlan["provisions"]>;

export function provisioned(
  plan: Provisions,
  facts: ProvisionedResource,
  run: ProvisioningRun,
  at: string,
): ResourceRecord {
  const { rent } = plan;
  const born: ResourceRecord = {
    ...birth(plan, run, at),
    state: "ACTIVE",
    externalId: facts.externalId,
    identifier: facts.identifier,
    data: { ...facts.data },
    ...(rent !== undefined && { renewal: firstPeriod(rent, at) }),
  };
  return withEvent(born, {
    type: "PROVISIONED",
    at,
    ...(rent !== undefined && { cycle: 1, amountMicroDollars: rent.amountMicroDollars }),
  });
}

/** Recorded so that the operator can see that the provider may have an object that nobody manages. */
export function notProvisioned(plan: Provisions, reason: string, run: ProvisioningRun, at: string): ResourceRecord {
  return { ...birth(plan, run, at), state: "PROVISION_FAILED", releaseReason: reason };
}

function birth(plan: Provisions, run: ProvisioningRun, at: string): Omit<ResourceRecord, "state"> {
  const { resourceId, resource, resourceType, displayName, description } = plan;
  return {
    resourceId,
    revision: 1,
    workspaceId: run.workspaceId,
    provider: run.provider,
    providerName: run.providerName,
    resource,
    resourceType,
    displayName,
    ...(description !== undefined && { description }),
    externalId: "",
    identifier: displayName,
    data: {},
    runId: run.runId,
    owner: run.owner,
    provisionedBy: run.caller,
    createdAt: at,
    updatedAt: at,
    events: [],
  };
}

function firstPeriod({ amountMicroDollars, period }: NonNullable<Provisions["rent"]>, at: string): Renewal {
  return { amountMicroDollars, period, startedAt: at, ...periodOf(at, period, 1) };
}

function periodOf(startedAt: string, period: Period, cycle: number) {
  const currentPeriodEnd = periodBoundary(startedAt, period, cycle);
  return {
    cycle,
    currentPeriodStart: periodBoundary(startedAt, period, cycle - 1),
    currentPeriodEnd,
    renewAttemptAt: later(currentPeriodEnd, -renewLeadMs(period)),
  };
}

/** What has to be done for a resource at an instant (ISO 8601), if anything. */
export function dueWork(resource: ResourceRecord, at: string): "renew" | "giveBack" | undefined {
  if (resource.state === "EXPIRING") return (resource.release?.attemptAt ?? at) <= at ? "giveBack" : undefined;
  if (resource.state !== "ACTIVE" && resource.state !== "SUSPENDED") return undefined;
  return resource.renewal !== undefined && resource.renewal.renewAttemptAt <= at ? "renew" : undefined;
}

/** True if only money is missing; then the charge is tried again as soon as there is enough. */
export function waitsForMoney({ state, renewal }: ResourceRecord): boolean {
  return (state === "ACTIVE" || state === "SUSPENDED") && renewal?.lastAttempt?.unpaid === true;
}

/**
 * Records the rent of one more period: the next one, or the current one if some have passed unpaid because the service
 * was down or the resource was suspended. Periods that passed are never charged.
 */
export function renewed(resource: ResourceRecord, at: string): ResourceRecord {
  const { startedAt, period, amountMicroDollars, cycle } = renewalOf(resource);
  const paid = nextCycle(startedAt, period, cycle, Date.parse(at));
  const next: ResourceRecord = {
    ...changed(resource, at),
    state: "ACTIVE",
    renewal: {
      amountMicroDollars,
      period,
      startedAt,
      ...periodOf(startedAt, period, paid),
      lastAttempt: { at, outcome: "SUCCEEDED" },
    },
  };
  const charged = withEvent(next, { type: "RENEWED", at, cycle: paid, amountMicroDollars });
  return resource.state === "SUSPENDED" ? withEvent(charged, { type: "RESUMED", at }) : charged;
}

/** Records that the rent was not charged. `unpaid`: only money was missing; only then may the resource be lost. */
export function renewalFailed(
  resource: ResourceRecord,
  at: string,
  { reason, unpaid }: { readonly reason: string; readonly unpaid: boolean },
): ResourceRecord {
  const renewal = renewalOf(resource);
  const { period, currentPeriodEnd, cycle } = renewal;
  const isUnpaid = unpaid && at >= currentPeriodEnd;
  // Counted from when it was noticed, so that neither downtime nor the clock shortens or extends the grace.
  const unpaidSince = isUnpaid ? earlierOf(renewal.unpaidSince ?? at, at) : renewal.unpaidSince;
  const graceEnd = unpaidSince === undefined ? undefined : later(unpaidSince, unpaidGraceMs(period));
  const leadMs = renewLeadMs(period);
  const tried = Date.parse(at) - (Date.parse(currentPeriodEnd) - leadMs);
  const wish = later(at, clamp(tried, Math.min(SHORTEST_WAIT_MS, leadMs / 10), LONGEST_WAIT_MS));
  const turn = [currentPeriodEnd, ...(unpaid && graceEnd !== undefined ? [graceEnd] : [])].find((end) => end > at);
  const failed: ResourceRecord = withEvent(
    {
      ...changed(resource, at),
      renewal: {
        ...renewal,
        renewAttemptAt: turn !== undefined && turn < wish ? turn : wish,
        lastAttempt: { at, outcome: "FAILED", reason, ...(unpaid && { unpaid: true as const }) },
        ...(unpaidSince !== undefined && { unpaidSince }),
      },
    },
    { type: "RENEW_FAILED", at, cycle: cycle + 1, reason },
  );
  if (isUnpaid && graceEnd !== undefined && at >= graceEnd) {
    return expiring(failed, at, { dueAt: at, code: "UNPAID", reason: "The rent was not paid" });
  }
  if (at < currentPeriodEnd || resource.state === "SUSPENDED") return failed;
  return withEvent({ ...failed, state: "SUSPENDED" }, { type: "SUSPENDED", at, reason });
}

/** Whether a release may be requested; also true while one is pending, because the request may be repeated. */
export function mayBeReleased({ state }: ResourceRecord): boolean {
  return state === "ACTIVE" || state === "SUSPENDED" || state === "EXPIRING";
}

export function releaseAsked(resource: ResourceRecord, at: string, by: string): ResourceRecord {
  const { renewal, state, resourceType } = resource;
  const isPaidAhead = state === "ACTIVE" && renewal !== undefined && !RELEASED_AT_ONCE.has(resourceType);
  const dueAt = isPaidAhead && renewal.currentPeriodEnd > at ? renewal.currentPeriodEnd : at;
  return expiring(changed(resource, at), at, { dueAt, code: "REQUESTED", reason: "Its release was asked for", by });
}

/**
 * The provider returned it again to a run of its workspace. A release that is not due yet is withdrawn, and its rent
 * goes on. A release that is due stays, as the provider may be carrying it out at this moment.
 */
export function wantedAgain(resource: ResourceRecord, at: string): ResourceRecord {
  if (resource.state !== "EXPIRING" || (resource.release?.dueAt ?? at) <= at) return resource;
  const { release: _release, releasedBy: _by, releaseReasonCode: _code, releaseReason: _reason, ...rest } = resource;
  const kept = changed(rest, at);
  if (kept.renewal === undefined) return withEvent({ ...kept, state: "ACTIVE" }, { type: "RELEASE_WITHDRAWN", at });
  const { cancelledAt: _cancelledAt, ...renewal } = kept.renewal;
  return withEvent({ ...kept, state: "ACTIVE", renewal }, { type: "RELEASE_WITHDRAWN", at });
}

/**
 * Ends a resource that has the id of another one, recorded by a version that allowed an id to be used twice. The
 * provider is not called: it has only one object of that id, and that belongs to the other resource.
 */
export function endedAsDuplicate(resource: ResourceRecord, at: string): ResourceRecord {
  const reason = "Its id at the provider is that of a resource that was made before it";
  return released(resource, at, { code: "DUPLICATE", reason });
}

function expiring(
  resource: ResourceRecord,
  at: string,
  { dueAt, code, reason, by }: { dueAt: string; code: ReleaseReason; reason: string; by?: string },
): ResourceRecord {
  const next: ResourceRecord = {
    ...resource,
    state: "EXPIRING",
    release: { dueAt, attemptAt: dueAt },
    ...(resource.renewal !== undefined && { renewal: { ...resource.renewal, cancelledAt: at } }),
    ...(by !== undefined && { releasedBy: by }),
    releaseReasonCode: code,
    releaseReason: reason,
  };
  return withEvent(next, { type: "RELEASE_REQUESTED", at, reason });
}

/** The release failed at the provider; it is tried again at growing intervals. */
export function releaseFailed(resource: ResourceRecord, at: string, reason: string): ResourceRecord {
  const failed = withEvent(changed(resource, at), { type: "RELEASE_FAILED", at, reason });
  if (failed.release === undefined) return failed;
  const { dueAt } = failed.release;
  const waitMs = clamp(Date.parse(at) - Date.parse(dueAt), SHORTEST_RELEASE_WAIT_MS, LONGEST_WAIT_MS);
  return { ...failed, release: { dueAt, attemptAt: later(at, waitMs) } };
}

/** It is released or gone. The reason of an earlier release request is kept. */
export function released(
  resource: ResourceRecord,
  at: string,
  { code, reason, by }: { readonly code: ReleaseReason; readonly reason: string; readonly by?: string },
): ResourceRecord {
  const { release: _, ...rest } = changed(resource, at);
  const next: ResourceRecord = {
    ...rest,
    state: "RELEASED",
    releasedAt: at,
    ...(by !== undefined && resource.releasedBy === undefined && { releasedBy: by }),
    releaseReasonCode: resource.releaseReasonCode ?? code,
    releaseReason: resource.releaseReason ?? reason,
  };
  return withEvent(next, { type: "RELEASED", at, reason: next.releaseReason ?? reason });
}

function renewalOf(resource: ResourceRecord): Renewal {
  if (resource.renewal === undefined) throw new Error(`resource ${resource.resourceId} has no rent`);
  return resource.renewal;
}

function changed(resource: ResourceRecord, at: string): ResourceRecord {
  return { ...resource, revision: resource.revision + 1, updatedAt: at };
}

/** Ids of events are counted, so that the same line always has the same ones. */
function withEvent(resource: ResourceRecord, event: Omit<ResourceEventRecord, "eventId">): ResourceRecord {
  const newest = resource.events.at(-1)?.eventId;
  const number = newest === undefined ? 1 : Number(newest.slice(newest.lastIndexOf("-") + 1)) + 1;
  const events = [...resource.events, { eventId: `${resource.resourceId}-${number}`, ...event }];
  return {
    ...resource,
    events: events.length <= MAX_EVENTS ? events : [...events.slice(0, 1), ...events.slice(1 - MAX_EVENTS)],
  };
}

function later(instant: string, byMs: number): string {
  return new Date(Date.parse(instant) + byMs).toISOString();
}

function earlierOf(one: string, other: string): string {
  return one < other ? one : other;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
