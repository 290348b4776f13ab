import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { examine } from "../../daemon/doctor/doctor.ts";
import { effort } from "../support/effort.ts";
import { addUp, type JournalLine, readJournal } from "./journal-lines.ts";
import { reportTrial } from "./trial.ts";
import { CONCURRENCY, PRICE, startUnattendedWork, type UnattendedWork } from "./unattended-work.ts";

/** docs/schedules.md, "One run for each due time"; docs/webhooks.md; docs/command-line.md, "Batches". */

/** Of the daemon, and at least half as many of the command of a batch. */
const KILLS = Number(process.env["MKT_KILL_ROUNDS"] ?? effort(3, 1_000));
const KILLS_OF_BATCHES = Math.ceil(KILLS / 2);
const ROWS = effort(60, 200);
const SECOND_MS = 1_000;
/** A message that failed twice comes again after five minutes and a tenth. docs/webhooks.md, "What a receiver does". */
const ALL_MESSAGES_MS = 400_000;
/** A kill comes within a second and a half, and the next start takes about one; ten times as long where much else is done. */
const HANG_MS = ALL_MESSAGES_MS + 240_000 + KILLS * 15_000;

/** What the journal says of a due time. */
interface Decision {
  readonly dueMs: number;
  /** Due times right before it that have no run, as it says. */
  readonly missed: number;
  readonly runId?: string;
}

function decisionsOf(lines: readonly JournalLine[], scheduleId: string): Decision[] {
  const begun = new Set<string>();
  return lines.flatMap((line): Decision[] => {
    if (line.t === "schedule.skipped" && line.schedule === scheduleId) {
      return [{ dueMs: Date.parse(line.dueAt ?? ""), missed: line.missed ?? 0 }];
    }
    const { run: runId = "", rec } = line;
    if (rec?.schedule?.scheduleId !== scheduleId || begun.has(runId)) return [];
    begun.add(runId);
    return [{ dueMs: Date.parse(rec.schedule.dueAt ?? ""), missed: rec.schedule.missed ?? 0, runId }];
  });
}

/** The first due time, and then each that follows on no decision and is counted by none. */
function gapsIn(decisions: readonly Decision[]): string[] {
  return decisions
    .slice(1)
    .filter(({ dueMs, missed }, at) => dueMs !== (decisions[at]?.dueMs ?? 0) + (missed + 1) * SECOND_MS)
    .map(({ dueMs }) => new Date(dueMs).toISOString());
}

/** Ids of the messages that the journal says are to come, by the webhook's only receiver: run or schedule → ids. */
function messagesOf(lines: readonly JournalLine[], webhookId: string): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { run, schedule, events = [] } of lines) {
    const cause = run ?? schedule ?? "";
    for (const { to } of events) {
      const own = to.filter(([of]) => of === webhookId).map(([, id]) => id);
      ids.set(cause, [...(ids.get(cause) ?? []), ...own]);
    }
  }
  return ids;
}

/** Kills the daemon again and again, each time in the middle of work: mostly soon after its start, now and then later. */
async function killOften({ daemon, startedRuns, taken }: UnattendedWork): Promise<void> {
  while (daemon.kills() < KILLS) {
    const [started, told] = [startedRuns.length, taken.length];
    await until("work", () => startedRuns.length > started && taken.length > told);
    await pause(Math.random() ** 2 * 1_200);
    await daemon.killAndRestart();
  }
}

/** Ends all work, and waits until nothing is under way and every message was taken. */
async function settle(work: UnattendedWork): Promise<void> {
  const { daemon, scheduleIds, webhookId } = work;
  work.calm();
  const restartedAt = new Date().toISOString();
  const itemsOf = async (path: string) => (await daemon.ask("GET", path)).body.items;
  for (const scheduleId of scheduleIds) {
    const occurrences = `/v1/schedules/${scheduleId}/occurrences`;
    await until("a due time", async () => (await itemsOf(occurrences))[0]?.dueAt > restartedAt);
    expect(await daemon.ask("POST", `/v1/schedules/${scheduleId}/pause`)).toMatchObject({ status: 200 });
  }
  await untilNone("open runs", async () => await itemsOf("/v1/runs?status=READY,RUNNING,STOPPING&limit=1"));
  const waiting = async () => await itemsOf(`/v1/webhooks/${webhookId}/deliveries?state=WAITING&limit=1`);
  await untilNone("messages that wait", waiting, ALL_MESSAGES_MS);
}

async function untilNone(what: string, left: () => Promise<readonly unknown[]>, mostMs?: number): Promise<void> {
  let one: unknown;
  const isNone = async () => {
    [one] = await left();
    return one === undefined;
  };
  await until(() => `no ${what}, such as ${JSON.stringify(one)}`, isNone, mostMs);
}

async function until(
  what: string | (() => string),
  isSo: () => Promise<boolean> | boolean,
  mostMs = 60_000,
): Promise<void> {
  const endMs = performance.now() + mostMs;
  while (!(await isSo())) {
    if (performance.now() > endMs)
      throw new Error(`not within ${mostMs} ms: ${typeof what === "string" ? what : what()}`);
    await pause(20);
  }
}

/** What is kept of batches that are not at their end. */
function keptBatches(configDir: string): string[] {
  return readdirSync(join(configDir, "batches")).filter((name) => name.endsWith(".json"));
}

test(
  `${KILLS} kills of the daemon, and of batches besides, while batches, schedules and webhooks work: every line charged once, every due time run once, every end told once`,
  { timeout: HANG_MS },
  async (context) => {
    const work = await startUnattendedWork();
    // Also when the test times out, which a block of its own would not live to see.
    context.onTestFinished(async () => await work[Symbol.asyncDispose]());
    const { daemon, home } = work;
    const results: Readonly<Record<string, unknown>>[] = [];
    const batching = (async () => {
      const isOver = () => daemon.kills() >= KILLS && work.killsOfBatches() >= KILLS_OF_BATCHES;
      for (let count = 0; !isOver(); count += 1) {
        const rows = await work.batch(`rows${count}`, ROWS, () => !isOver());
        expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_, at) => at));
        results.push(...rows);
      }
    })();
    await Promise.all([batching, killOften(work)]);
    await settle(work);
    const usage = (await daemon.ask("GET", "/v1/usage")).body;
    await daemon.now().kill("SIGTERM");
    const lines = readJournal(home.dataDir);
    const { accepted, done, broken } = addUp(lines);

    // Every line: one run, called once at most, and charged when it delivered.
    const completed = [...done.values()].filter((status) => status === "COMPLETED").length;
    const started = work.startedRuns;
    const failed = results.filter(({ error }) => error !== undefined);
    expect(broken).toEqual([]);
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(results.length);
    expect([...done.keys()].sort()).toEqual([...accepted].sort());
    expect(new Set(started).size).toBe(started.length);
    expect(usage.total.charged.value).toBeCloseTo(completed * PRICE, 6);
    expect(failed.length).toBeLessThanOrEqual(KILLS * CONCURRENCY);
    expect(keptBatches(home.configDir)).toEqual([]);
    for (const { runId, error } of results) {
      expect([runId, done.get(String(runId))]).toEqual([runId, error === undefined ? "COMPLETED" : "FAILED"]);
    }

    // Every due time: decided once, and none left out.
    const decisions = work.scheduleIds.map((scheduleId) => decisionsOf(lines, scheduleId));
    for (const own of decisions) {
      expect(new Set(own.map(({ dueMs }) => dueMs)).size).toBe(own.length);
      expect(gapsIn(own)).toEqual([]);
      expect(own.length).toBeGreaterThan(KILLS / 2);
    }
    const scheduled = decisions.flat().filter(({ runId }) => runId !== undefined).length;
    expect(scheduled + results.length).toBe(accepted.length);

    // Every end: one message, taken, and its id never another one.
    const expected = messagesOf(lines, work.webhookId);
    expect([...expected.keys()].sort()).toEqual([...done.keys(), ...work.scheduleIds].sort());
    expect([...expected.values()].filter((ids) => ids.length !== 1)).toEqual([]);
    const taken = new Map(work.taken.map(({ id, data }) => [id, data.runId ?? data.scheduleId]));
    expect([...taken].sort()).toEqual([...expected].map(([cause, [id]]) => [id, cause]).sort());
    expect(work.forged()).toBe(0);

    expect((await examine({ dataDir: home.dataDir })).findings).toEqual([]);
    reportTrial(context, {
      what: "kill -9 while batches, schedules and webhooks work",
      tried: daemon.kills() + work.killsOfBatches(),
      lost: 0,
      note: `${daemon.kills()} of the daemon, ${work.killsOfBatches()} of a batch's command; ${results.length} rows of batches, ${scheduled} scheduled runs, ${taken.size} messages in ${work.taken.length} sendings; ${failed.length} rows cut short, none charged`,
    });
  },
);
