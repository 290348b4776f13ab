import type { SchedulePatchRequest, ScheduleRequest } from "../../shared/contract/schedules.ts";
import { grants } from "../../shared/contract/scope-grants.ts";
import { ApiError } from "../../shared/errors.ts";
import { parseDollars, toMoney } from "../../shared/micro-dollars.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { onlyKeyOf, type WorkspaceCaller } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import { keyStillActive } from "../ledger/transaction/asked-change.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import { newSchedule, type ScheduleRecord, type ScheduleState } from "../ledger/records/schedule-records.ts";
import type { ScheduleStore } from "../ledger/stores/schedule-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { RunService, StartOptions } from "../runs/run-service.ts";
import { readAmount } from "../wallet/read-amount.ts";
import { DueTimes } from "./due-times.ts";
import { pauseSchedule } from "./pause-schedule.ts";
import { toIso } from "./plan-occurrence.ts";
import { requestOf, SCHEDULE_TAG } from "./request-of.ts";
import type { ScheduleDriver } from "./schedule-driver.ts";
import type { ShownSchedule } from "./schedule-wire.ts";

const DEFAULT_FAILURES = 5;
/** Schedules are in memory with their inputs. */
const MAX_INPUT_BYTES = 65_536;
const SHOWN_TIMES = 3;
/** Enough to meet the shortest time between two: patterns repeat by the hour and by the day. */
const MOST_COMPARED = 200;
/** Patterns of five fields are never due more often. */
const MINUTE_SECONDS = 60;

export interface ScheduleLimits {
  /** How many schedules a workspace may have. Absent: no limit. */
  readonly perWorkspace?: number;
  /** The shortest time between two due times of a schedule. */
  readonly minSeconds: number;
}

/** Creates, shows and stops the schedules of a workspace; the driver makes their runs. docs/contract.md, "Schedules". */
export interface ScheduleService {
  /** Throws 400 for what can never run, 403 without a key, 404 for an unknown endpoint, 409 with too many of them. */
  create(caller: WorkspaceCaller, wanted: ScheduleRequest, keep?: KeepAnswer<ShownSchedule>): Promise<ShownSchedule>;
  /** Newest first. `after`: `next` of the page before. */
  list(
    caller: WorkspaceCaller,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<{ readonly items: readonly ShownSchedule[]; readonly next?: string }>;
  /** Throws 404 for one that is unknown, of another workspace, or of another key where the caller sees only its own. */
  get(caller: WorkspaceCaller, scheduleId: string): Promise<ShownSchedule>;
  /**
   * As `get` and `create`; 409 when somebody else changed it meanwhile. Unless only its name changes, it acts as the caller's key from
   * then on, which must be allowed to run it. What is so already is not recorded again.
   */
  change(caller: WorkspaceCaller, scheduleId: string, wanted: SchedulePatchRequest): Promise<ShownSchedule>;
  /** As `get`; once more changes nothing. */
  pause(caller: WorkspaceCaller, scheduleId: string): Promise<ShownSchedule>;
  /** As `get`; from then on it acts as the caller's key, which must be allowed to run it. An active one stays as it is. */
  resume(caller: WorkspaceCaller, scheduleId: string): Promise<ShownSchedule>;
  /** As `get` and as `RunService.start`; throws 409 while a run of it is open, unless its runs may overlap. */
  runNow(caller: WorkspaceCaller, scheduleId: string, options: StartOptions): Promise<RunRecord>;
  /** As `get`. */
  delete(caller: WorkspaceCaller, scheduleId: string): Promise<void>;
}

export interface ScheduleServiceParts {
  readonly store: ScheduleStore & Committer & Pick<AccountStore, "readMoney">;
  readonly runs: Pick<RunService, "check" | "start">;
  readonly driver: Pick<ScheduleDriver, "changed">;
  readonly limits: ScheduleLimits;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createScheduleService(parts: ScheduleServiceParts): ScheduleService {
  return { ...scheduleReads(parts), ...scheduleChanges(parts), create: creation(parts), change: changing(parts) };
}

function scheduleReads(parts: ScheduleServiceParts): Pick<ScheduleService, "list" | "get"> {
  return {
    async list(caller, { limit, after }) {
      const all = (await parts.store.listSchedules(caller.workspaceId)).filter((state) => mayReach(caller, state));
      const rest = all.toReversed().filter(({ schedule }) => after === undefined || schedule.scheduleId < after);
      const items = await Promise.all(rest.slice(0, limit).map(async (state) => await show(parts, state)));
      const last = items.at(-1);
      return rest.length > limit && last !== undefined ? { items, next: last.state.schedule.scheduleId } : { items };
    },
    get: async (caller, scheduleId) => await show(parts, await reach(parts, caller, scheduleId)),
  };
}

function scheduleChanges(parts: ScheduleServiceParts): Pick<ScheduleService, "pause" | "resume" | "runNow" | "delete"> {
  const { store, runs, driver, clock } = parts;
  const heading = (caller: WorkspaceCaller, scheduleId: string) => {
    return { v: 1 as const, at: isoNow(clock), ws: caller.workspaceId, schedule: scheduleId };
  };
  const shown = async (caller: WorkspaceCaller, scheduleId: string) => {
    driver.changed({ scheduleId, workspaceId: caller.workspaceId });
    return await show(parts, await reach(parts, caller, scheduleId));
  };

  return {
    async pause(caller, scheduleId) {
      const state = await reach(parts, caller, scheduleId);
      if (state.pause !== undefined) return await show(parts, state);
      const at = isoNow(clock);
      const pause = { reason: "ASKED" as const, message: "Somebody paused it", at };
      await pauseSchedule(store, state.schedule, { pause, by: caller.actor, guards: keyStillActive(caller) });
      return await shown(caller, scheduleId);
    },

    async resume(caller, scheduleId) {
      const state = await reach(parts, caller, scheduleId);
      if (state.pause === undefined) return await show(parts, state);
      const actsAs = actorOf(caller);
      await runs.check(caller, requestOf(state.schedule));
      const line = { t: "schedule.resumed" as const, ...heading(caller, scheduleId), actsAs };
      await store.commit({ line, guards: [{ kind: "schedule", scheduleId, is: "paused" }, ...keyStillActive(caller)] });
      return { ...(await shown(caller, scheduleId)), ...takenOver(state, actsAs) };
    },

    async runNow(caller, scheduleId, options) {
      const { schedule } = await reach(parts, caller, scheduleId);
      const idle = schedule.overlap ? {} : { idle: true as const };
      try {
        return await runs.start(caller, requestOf(schedule), {
          ...options,
          schedule: { scheduleId },
          guards: [{ kind: "schedule", scheduleId, ...idle }],
        });
      } catch (error) {
        if (!(error instanceof GuardFailed) || error.guard.kind !== "schedule") throw error;
        const message = `A run of schedule ${scheduleId} is open, and its runs do not overlap; wait for it, or stop it`;
        throw new ApiError("conflict", message, { cause: error });
      }
    },

    async delete(caller, scheduleId) {
      await reach(parts, caller, scheduleId);
      const line = { t: "schedule.deleted" as const, ...heading(caller, scheduleId), by: caller.actor };
      await store.commit({ line, guards: [{ kind: "schedule", scheduleId }, ...keyStillActive(caller)] });
      driver.changed({ scheduleId, workspaceId: caller.workspaceId });
    },
  };
}

function creation(parts: ScheduleServiceParts): ScheduleService["create"] {
  const { store, driver, limits, clock, newId } = parts;
  return async (caller, wanted, keep = keepNothing) => {
    const actsAs = actorOf(caller);
    const definition = await define(parts, caller, wanted, { scheduleId: newId(), at: isoNow(clock) });
    const { scheduleId, workspaceId, createdAt: at } = definition;
    // As it will be read: the line decides nothing beyond it.
    const state = newSchedule(definition, actsAs, at);
    const made = await show(parts, state);
    const most = limits.perWorkspace;
    await store.commit({
      line: {
        t: "schedule.created",
        v: 1,
        at,
        ws: workspaceId,
        schedule: scheduleId,
        definition,
        actsAs,
        ...keep(made),
      },
      guards: [
        { kind: "keyActive", keyId: actsAs.keyId },
        ...(most === undefined ? [] : [{ kind: "roomForSchedule" as const, workspaceId, most }]),
      ],
    });
    driver.changed({ scheduleId, workspaceId });
    return made;
  };
}

function changing(parts: ScheduleServiceParts): ScheduleService["change"] {
  const { store, driver, clock } = parts;
  return async (caller, scheduleId, { revision: known, ...wanted }) => {
    const state = await reach(parts, caller, scheduleId);
    const { schedule, revision = 0 } = state;
    const { workspaceId } = caller;
    if (known !== undefined && known !== revision) throw changedMeanwhile(scheduleId, { known, revision });
    const isNameAlone = Object.keys(wanted).every((member) => member === "name");
    const definition = isNameAlone
      ? renamed(schedule, wanted.name)
      : await define(parts, caller, withChanges(schedule, wanted), { scheduleId, at: schedule.createdAt });
    const actsAs = isNameAlone ? undefined : actorOf(caller);
    const isSame =
      canonicalJson({ ...schedule, ...state.actsAs }) === canonicalJson({ ...definition, ...(actsAs ?? state.actsAs) });
    if (isSame) return await show(parts, state);
    await store.commit({
      line: {
        t: "schedule.changed",
        v: 1,
        at: isoNow(clock),
        ws: workspaceId,
        schedule: scheduleId,
        definition,
        by: caller.actor,
        ...(actsAs !== undefined && { actsAs }),
      },
      guards: [{ kind: "schedule", scheduleId, revision }, ...keyStillActive(caller)],
    });
    driver.changed({ scheduleId, workspaceId });
    return { ...(await show(parts, await reach(parts, caller, scheduleId))), ...takenOver(state, actsAs) };
  };
}

/** Whoever changes the schedule of another key has its runs on the own one from then on, and is told. */
function takenOver(
  { actsAs: before }: ScheduleState,
  now: ScheduleState["actsAs"] | undefined,
): Pick<ShownSchedule, "takenOverFrom"> {
  return now === undefined || now.keyId === before.keyId ? {} : { takenOverFrom: before.actor };
}

function changedMeanwhile(scheduleId: string, { known, revision }: { known: number; revision: number }): ApiError {
  const message = `Schedule ${scheduleId} was changed after it was read (revision ${known}, now ${revision}); nothing was changed. Read it again, and decide anew`;
  return new ApiError("conflict", message, { extra: { next: `mkt schedules show ${scheduleId}` } });
}

function renamed({ name: _name, ...schedule }: ScheduleRecord, name: string | null | undefined): ScheduleRecord {
  return name == null ? schedule : { ...schedule, name };
}

/** What somebody would ask for who made the schedule as it is to be. */
function withChanges(schedule: ScheduleRecord, wanted: SchedulePatchRequest): ScheduleRequest {
  const { budget, maxCost } = schedule;
  const { scheduleId: _id, workspaceId: _workspaceId, createdAt: _createdAt, ...others } = schedule;
  const present = {
    ...others,
    maxCost: maxCost === undefined ? undefined : toMoney(parseDollars(maxCost)),
    budget: budget && { amount: toMoney(budget.limitMicroDollars), period: budget.period },
  };
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...present, ...Object.fromEntries(given) });
  const left = merged.filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(left) as ScheduleRequest;
}

/** What is wanted, checked as far as it can be before the first run. */
async function define(
  { runs, limits, clock }: ScheduleServiceParts,
  caller: WorkspaceCaller,
  wanted: ScheduleRequest,
  { scheduleId, at }: { readonly scheduleId: string; readonly at: string },
): Promise<ScheduleRecord> {
  const { name, cron, timeZone = "UTC", maxCost, maxPages, maxAge = 0, deadlineMs, tags, budget } = wanted;
  const asked = {
    ...(maxPages !== undefined && { maxPages }),
    ...(maxAge > 0 && { maxAge }),
    ...(wanted.allowUncertainRepeats === true && { allowUncertainRepeats: true as const }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
  const times = new DueTimes({ cron, timeZone });
  checkInterval(times, cron, limits, clock.now());
  if (tags?.[SCHEDULE_TAG] !== undefined) {
    throw new ApiError("invalidInput", `tags.${SCHEDULE_TAG}: this tag is the schedule's own id; choose another name`);
  }
  const { entry, input } = await runs.check(caller, {
    provider: wanted.provider,
    endpoint: wanted.endpoint,
    ...(wanted.input !== undefined && { input: wanted.input }),
    ...(maxCost !== undefined && { maxCost }),
    ...asked,
  });
  checkInputSize(input);
  return {
    scheduleId,
    workspaceId: caller.workspaceId,
    ...(name !== undefined && { name }),
    cron,
    timeZone,
    provider: entry.provider.provider,
    endpoint: entry.path,
    input,
    ...(maxCost !== undefined && { maxCost: maxCost.value }),
    ...asked,
    ...(tags !== undefined && { tags }),
    missed: wanted.missed ?? "SKIP",
    overlap: wanted.overlap ?? false,
    ...(budget !== undefined && { budget: readBudget(budget) }),
    pauseAfterFailures: wanted.pauseAfterFailures ?? DEFAULT_FAILURES,
    createdAt: at,
  };
}

function readBudget({ amount, period }: NonNullable<ScheduleRequest["budget"]>): NonNullable<ScheduleRecord["budget"]> {
  const limitMicroDollars = readAmount("budget.amount.value", amount.value);
  if (limitMicroDollars >= 0) return { limitMicroDollars, period };
  throw new ApiError("invalidInput", `budget.amount.value: must be at least 0 (got ${amount.value})`);
}

function checkInputSize(input: ScheduleRecord["input"]): void {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes <= MAX_INPUT_BYTES) return;
  throw new ApiError(
    "invalidInput",
    `input: a schedule keeps at most ${MAX_INPUT_BYTES} bytes of input (got ${bytes})`,
  );
}

function checkInterval(times: DueTimes, cron: string, { minSeconds }: ScheduleLimits, nowMs: number): void {
  if (minSeconds <= MINUTE_SECONDS && cron.trim().split(/\s+/).length < 6) return;
  const due = times.list(nowMs, MOST_COMPARED);
  const gaps = due.slice(1).map((at, index) => (at - (due[index] ?? at)) / 1_000);
  const shortest = Math.min(...gaps);
  if (shortest >= minSeconds) return;
  throw new ApiError(
    "invalidInput",
    `cron: "${cron}" is due every ${shortest} seconds, and this service takes at least ${minSeconds} between two runs (MKT_SCHEDULE_MIN_SECONDS); "*/5 * * * *" is every five minutes`,
  );
}

async function show({ store, clock }: ScheduleServiceParts, state: ScheduleState): Promise<ShownSchedule> {
  const { schedule, pause } = state;
  const { workspaceId, scheduleId, budget } = schedule;
  const next = pause === undefined ? new DueTimes(schedule).list(clock.now(), SHOWN_TIMES).map(toIso) : [];
  if (budget === undefined) return { state, next };
  const money = await store.readMoney({ workspaceId, scheduleId });
  return { state, next, spending: money.spending({ scheduleId }, budget.period, money.meteredAt(isoNow(clock))) };
}

async function reach(
  { store }: ScheduleServiceParts,
  caller: WorkspaceCaller,
  scheduleId: string,
): Promise<ScheduleState> {
  const found = await store.findSchedule(caller.workspaceId, scheduleId);
  if (found !== undefined && mayReach(caller, found)) return found;
  throw new ApiError("notFound", `Schedule ${scheduleId} not found; GET /v1/schedules lists them`, {
    extra: { next: "mkt schedules" },
  });
}

/** As with runs: without the right to read those of the workspace, a key reaches its own. */
function mayReach(caller: WorkspaceCaller, { actsAs }: ScheduleState): boolean {
  const own = onlyKeyOf(caller) ?? (grants(caller.scopes, "runs:read") ? undefined : caller.key);
  return own === undefined || own.keyId === actsAs.keyId;
}

/** A schedule outlives an access token, and nobody would end it when its user leaves. */
function actorOf({ key, actor }: WorkspaceCaller): ScheduleState["actsAs"] {
  if (key !== undefined) return { actor, keyId: key.keyId };
  throw new ApiError(
    "forbidden",
    "A schedule acts as an API key, whose limits and whose end hold for it; an access token ends too soon. Use a key: `mkt keys create` makes one",
    { extra: { next: "mkt keys create --label schedules" } },
  );
}
