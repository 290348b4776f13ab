import { pino } from "pino";
import type { ScheduleRequest } from "../../shared/contract/schedules.ts";
import { ApiError } from "../../shared/errors.ts";
import { microDollars } from "../../shared/micro-dollars.ts";
import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";
import { callerOfKey } from "../../daemon/identity/caller-of-key.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import type { ScheduleState } from "../../daemon/ledger/records/schedule-records.ts";
import { accept } from "../../daemon/runs/lifecycle/run-lifecycle.ts";
import type { RunService } from "../../daemon/runs/run-service.ts";
import { createScheduleDriver, type ScheduleDriver } from "../../daemon/schedules/schedule-driver.ts";
import { createScheduleService, type ScheduleService } from "../../daemon/schedules/schedule-service.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { settle } from "../../daemon/ledger/money/postings.ts";
import { makeRun } from "../support/make-run.ts";
import { keyCreated, ownerCreated } from "../storage/lines.ts";

/** How a run ends: `open` ends when the test says so. */
export type Ending = "ok" | "error" | "failed" | "stopped" | "open" | ApiError;

/**
 * The schedules of a workspace on a store, with a clock in the test's hand. Runs are records without a provider: what begins them
 * and what they use is real.
 */
export interface DrivenSchedules {
  readonly store: Store;
  readonly service: ScheduleService;
  readonly time: { nowMs: number };
  /** Says how the next runs end. */
  ending: Ending;
  /** Called when a run has begun. */
  whenBegun?: () => void;
  /** Sets the clock and does what is due. */
  at(time: string | number): Promise<void>;
  make(wanted?: Partial<ScheduleRequest>): Promise<string>;
  state(scheduleId: string): Promise<ScheduleState>;
  /** Due times of all runs that were made, in their order; `-` for a run besides. */
  readonly made: { scheduleId: string; dueAt: string; runId: string; keyId: string | undefined }[];
  end(runId: string, how?: "ok" | "error" | "failed" | "stopped"): Promise<void>;
  /** As if the process ended and another one began. */
  restart(): Promise<void>;
  readonly owner: WorkspaceCaller;
  callerOf(keyId: string): Promise<WorkspaceCaller>;
}

export const START = "2027-01-04T00:00:00.000Z";

export async function driveSchedules({
  perWorkspace = 1_000,
  minSeconds = 60,
  store = openMemoryStore(),
}: {
  readonly perWorkspace?: number;
  readonly minSeconds?: number;
  readonly store?: Store;
} = {}): Promise<DrivenSchedules> {
  await store.commit({ line: ownerCreated() });
  await store.commit({ line: keyCreated("k0", { scopes: ["*"] }) });
  await store.commit({ line: keyCreated("k2", { scopes: ["runs:create"] }) });
  const time = { nowMs: Date.parse(START) };
  const clock = { now: () => time.nowMs, runningMs: () => time.nowMs };
  let ids = 0;
  const newId = () => `01S${String((ids += 1)).padStart(5, "0")}`;
  const made: DrivenSchedules["made"] = [];
  const logger = pino({ level: "silent" });
  let driver: ScheduleDriver;
  let service: ScheduleService;

  const end: DrivenSchedules["end"] = async (runId, how = "ok") => {
    const open = (await store.listOpenRuns()).find((one) => one.runId === runId);
    if (open === undefined) throw new Error(`run ${runId} is not open`);
    const at = new Date(time.nowMs).toISOString();
    const ended = {
      ok: { status: "COMPLETED" as const, providerResponse: { httpStatus: 200 } },
      error: { status: "COMPLETED" as const, providerResponse: { httpStatus: 500 } },
      failed: { status: "FAILED" as const },
      stopped: { status: "STOPPED" as const },
    };
    const rec: RunRecord = { ...open, ...ended[how], completedAt: at };
    const billing = { calculated: rec.heldMicroDollars, actual: rec.heldMicroDollars, reported: rec.heldMicroDollars };
    const { workspaceId: ws, heldMicroDollars: held } = rec;
    const led = settle(ws, { held, charged: held });
    await store.commit({ line: { t: "run.done", v: 1, at, ws, run: runId, rec: { ...rec, billing }, led } });
    driver.observe(rec);
  };

  const runs: Pick<RunService, "begin" | "check" | "start"> = {
    async begin(caller, request, { schedule, guards }) {
      if (driven.ending instanceof ApiError) throw driven.ending;
      const run = makeRun({
        runId: newId(),
        ...(caller.key !== undefined && { keyId: caller.key.keyId }),
        createdAt: new Date(time.nowMs).toISOString(),
        heldMicroDollars: microDollars(0),
        ...(schedule !== undefined && { schedule }),
        ...(request.tags !== undefined && { tags: request.tags }),
      });
      await store.commit({ line: accept(run).line, ...(guards !== undefined && { guards }) });
      made.push({
        scheduleId: schedule?.scheduleId ?? "",
        dueAt: schedule?.dueAt ?? "-",
        runId: run.runId,
        keyId: caller.key?.keyId,
      });
      driven.whenBegun?.();
      if (driven.ending !== "open") await end(run.runId, driven.ending);
      return run;
    },
    async start(caller, request, options) {
      return await runs.begin(caller, request, options);
    },
    async check(_caller, { provider, endpoint }) {
      return { entry: { provider: { provider }, path: endpoint }, input: {} } as unknown as Awaited<
        ReturnType<RunService["check"]>
      >;
    },
  };

  const open = () => {
    driver = createScheduleDriver({ store, runs, clock, logger });
    const changed = (schedule: Parameters<ScheduleDriver["changed"]>[0]) => driver.changed(schedule);
    service = createScheduleService({
      store,
      runs,
      driver: { changed },
      limits: { perWorkspace, minSeconds },
      clock,
      newId,
    });
  };
  open();
  const callerOf: DrivenSchedules["callerOf"] = async (keyId) => {
    const { key } = await store.readMoney({ workspaceId: "w1", keyId });
    if (key === undefined) throw new Error(`there is no key ${keyId}`);
    return callerOfKey(key, { workspaceId: "w1" });
  };
  const owner = await callerOf("k0");

  const driven: DrivenSchedules = {
    store,
    get service() {
      return service;
    },
    time,
    ending: "ok",
    made,
    end,
    owner,
    callerOf,
    async at(wanted) {
      time.nowMs = typeof wanted === "number" ? wanted : Date.parse(wanted);
      await driver.tick();
    },
    async make(wanted = {}) {
      const body = { cron: "0 7 * * *", provider: "weather", endpoint: "/now", ...wanted };
      const { state } = await service.create(owner, body);
      await driver.tick();
      return state.schedule.scheduleId;
    },
    async state(scheduleId) {
      const found = await store.findSchedule("w1", scheduleId);
      if (found === undefined) throw new Error(`there is no schedule ${scheduleId}`);
      return found;
    },
    async restart() {
      await driver.close();
      open();
      for (const { schedule, pause } of await store.listAllSchedules()) {
        if (pause === undefined) driver.changed(schedule);
      }
      await driver.tick();
    },
  };
  return driven;
}
