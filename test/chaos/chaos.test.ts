import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { databaseOfCommand } from "../../daemon/config/database-settings.ts";
import { examineDatabase } from "../../daemon/doctor/database/examine-database.ts";
import { examine } from "../../daemon/doctor/doctor.ts";
import { StorageAway } from "../../daemon/ledger/transaction/commit-errors.ts";
import { SERVICE_CHARGED } from "../../daemon/ledger/money/postings.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { BUY_MICRO_DOLLARS, startCountedProvider } from "../faults/counted-provider.ts";
import { migrateToFolder } from "../../daemon/offline/migrate/migrate-data.ts";
import { addUp, type JournalLine } from "../faults/journal-lines.ts";
import { reportTrial } from "../faults/trial.ts";
import { effort } from "../support/effort.ts";
import { mktHome } from "../support/mkt-home.ts";
import { hasPostgres, NEEDS_POSTGRES, type PostgresServer, startServer, urlOf } from "../support/postgres.ts";
import { type Fleet, oneOf, startFleet } from "./fleet.ts";
import { TakeoverWatch } from "./takeover-watch.ts";
import { moveIn, startLandlord } from "./tenant.ts";

const DAEMONS = 4;
const SECONDS = Number(process.env["MKT_CHAOS_SECONDS"] ?? effort(12, 180));
const CLIENTS = effort(6, 12);
const LEASE_SECONDS = effort(2, 4);
const SEALING_KEY = "ab".repeat(32);
/** A daemon is suspended for so long that the others must have taken over its runs. */
const SUSPENDED_MS = (LEASE_SECONDS + 3) * 1_000;
const PATIENCE_MS = 60_000;
const STARTING_DOLLARS = 10_000;
const AFFORDABLE = 10;
const HANG_MS = 240_000 + SECONDS * 2_000;
const RESTARTS = effort(0, 2);
/** A delivery waits five seconds after a refusal, which the short form has no time for. */
const REFUSED_EVERY = effort(Infinity, 3);
/** After the end of a lease, at most, by the clock of the database. The short form shares its machine with other tests. */
const TAKEOVER_SECONDS = effort(20, 2);

interface Told {
  /** The newest word for each run. */
  readonly runs: Map<string, { readonly status: string; readonly reported?: number }>;
  asked: number;
  stops: number;
}

/** Asks for runs at any daemon, each until one of them says what became of it. */
async function keepAsking(fleet: Fleet, told: Told, { thriftyKey, until }: { thriftyKey: string; until: number }) {
  const first = Math.floor(Math.random() * 10);
  for (let turn = first; Date.now() < until || turn < first + 10; turn += 1) {
    const isThrifty = turn % 10 === 9;
    const endpoint = turn % 3 === 0 ? "/work" : "/buy";
    const wish = {
      body: { provider: "counted", endpoint: isThrifty ? "/buy" : endpoint },
      idempotencyKey: randomUUID(),
      ...(isThrifty && { key: thriftyKey }),
    };
    if (!isThrifty) told.asked += 1;
    let answer = await fleet.ask("POST", "/v1/run", wish);
    // The first request with this key is still at work at another daemon.
    while (answer.status === 409) {
      await pause(100);
      answer = await fleet.ask("POST", "/v1/run", wish);
    }
    const { status, body } = answer;
    if (isThrifty) {
      if (status !== 200 && status !== 202 && status !== 402 && status !== 403 && status !== 429)
        throw new Error(`a run under a budget answered ${status}: ${answer.text}`);
      continue;
    }
    if (status !== 200 && status !== 202) throw new Error(`a run answered ${status}: ${answer.text}`);
    told.runs.set(body.runId, { status: body.status, reported: body.billing?.reportedCost.value });
    if (status === 202 && turn % 2 === 0) {
      await fleet.ask("POST", `/v1/runs/${body.runId}/stop`);
      told.stops += 1;
    }
  }
}

/** A workspace with money for much, and a budget for ten runs. */
async function makeThrifty(fleet: Fleet): Promise<{ readonly workspaceId: string; readonly key: string }> {
  const admin = "/v1/admin/workspaces";
  const { workspaceId } = (await fleet.ask("POST", admin, { body: { name: randomUUID() } })).body;
  const { key } = (await fleet.ask("POST", `${admin}/${workspaceId}/api-keys`, { body: { label: "buyer" } })).body;
  const amount = { value: 100, currency: "USD" };
  await fleet.ask("POST", `${admin}/${workspaceId}/credits`, { body: { amount, reason: "for a trial" } });
  const limitAmount = { currency: "USD", value: AFFORDABLE * BUY_MICRO_DOLLARS, unit: "MICRO_DOLLAR" };
  const made = await fleet.ask("POST", "/v1/controls/workspace/budgets", {
    key,
    body: { period: "MONTH", limitAmount },
  });
  if (made.status !== 201) throw new Error(`the budget answered ${made.status}: ${made.text}`);
  return { workspaceId, key };
}

/** After an outage nobody is fenced for a lease; one that is resumed earlier may rightly go on. */
async function allFenced(server: PostgresServer): Promise<void> {
  const silent = "select id from daemons where not fenced and lease_until < clock_timestamp()";
  for (const hangs = Date.now() + 60_000; Date.now() < hangs; await pause(100)) {
    const found = await server.query("postgres", silent).catch(() => undefined);
    if (found?.length === 0) return;
  }
  throw new Error("a suspended daemon is not fenced after a minute");
}

const databaseAt = (url: string) => databaseOfCommand({ MKT_DATABASE_URL: url, MKT_DATABASE_KEY: SEALING_KEY });

/** What the doctor finds in the database, beside its daemons. */
async function examineThere(url: string) {
  using home = mktHome();
  return (await examineDatabase({ configDir: home.configDir, settings: databaseAt(url) })).findings;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function unlessAway(error: unknown): [] {
  if (error instanceof StorageAway) return [];
  throw error;
}

/** What the doctor finds in a folder that everything was moved into, after the last lease is over. */
async function examineCopy(url: string) {
  await pause(LEASE_SECONDS * 1_000);
  using home = mktHome();
  const { dataDir, configDir } = home;
  const database = databaseAt(url);
  const { lines } = await migrateToFolder({ dataDir, configDir, database, onProgress: () => {} });
  const { findings } = await examine({ dataDir });
  return { findings, lines };
}

describe.skipIf(!hasPostgres)(`chaos (${NEEDS_POSTGRES})`, () => {
  test(
    `${DAEMONS} daemons on one database, killed and suspended for ${SECONDS} seconds, with a restart of the database: nothing is lost, nothing is done twice`,
    async (context) => {
      await using server = await startServer();
      await using provider = await startCountedProvider();
      await using landlord = await startLandlord((heard) => heard % REFUSED_EVERY === 0);
      await using fleet = await startFleet({
        size: DAEMONS,
        manifests: { ...provider.manifests, ...landlord.manifests },
        environment: {
          MKT_DATABASE_URL: urlOf(server.port, "postgres"),
          MKT_DATABASE_KEY: SEALING_KEY,
          MKT_LEASE_SECONDS: String(LEASE_SECONDS),
          MKT_STARTING_CREDIT: String(STARTING_DOLLARS),
          MKT_SCHEDULE_MIN_SECONDS: "1",
          MKT_LOG_LEVEL: "error",
        },
      });
      const thrifty = await makeThrifty(fleet);
      const tenant = await moveIn(fleet, landlord, { provider: "counted", endpoint: "/buy" });
      const watch = await TakeoverWatch.begin((text) => server.query("postgres", text), LEASE_SECONDS);
      const told: Told = { runs: new Map(), asked: 0, stops: 0 };
      const until = Date.now() + SECONDS * 1_000;
      const load = Array.from({ length: CLIENTS }, () => keepAsking(fleet, told, { thriftyKey: thrifty.key, until }));
      load.push(tenant.keepRenting(until));

      let kills = 0;
      let restarts = 0;
      const replaced: Promise<number | null>[] = [];
      const suspended: Promise<number | null>[] = [];
      const endedAlone: Promise<number | null>[] = [];
      const frozen = new Set<number>();
      const freeOnes = () => fleet.living().filter(({ pid }) => !frozen.has(pid));
      const due = { suspensions: 0 };
      const disturb = async (second: number): Promise<void> => {
        // Somebody is left to take over what the victim leaves.
        const victim = freeOnes().length > 1 ? oneOf(freeOnes()) : undefined;
        // At once, while all of them run: on a busy machine it takes long until killed ones are replaced.
        if (second % 45 === 0 && Date.now() < until) due.suspensions += 1;
        if (victim !== undefined && !isRunning(victim.pid)) {
          // A machine that is busy for a whole lease has it fenced without our doing.
          endedAlone.push(fleet.replace(victim));
        } else if (due.suspensions > 0 && victim !== undefined) {
          due.suspensions -= 1;
          frozen.add(victim.pid);
          process.kill(victim.pid, "SIGSTOP");
          suspended.push(
            pause(SUSPENDED_MS).then(async () => {
              await allFenced(server);
              process.kill(victim.pid, "SIGCONT");
              return await fleet.replace(victim);
            }),
          );
        } else if (second % 60 === 10) {
          restarts += 1;
          await server.stop("immediate");
          await pause(500);
          await server.start();
        } else if (victim !== undefined) {
          kills += 1;
          replaced.push(fleet.replace(victim, "SIGKILL"));
        }
      };
      const url = urlOf(server.port, "postgres");
      const meanwhile: unknown[] = [];
      // On a busy machine those that were killed may take long to come back, and one that is left is not suspended.
      for (
        let second = 0;
        Date.now() < until || (due.suspensions > 0 && Date.now() < until + PATIENCE_MS);
        second += 1
      ) {
        await disturb(second);
        await pause(1_000);
        // While they write, are killed and taken over from. The database may be away for a moment.
        if (second % 10 === 5) meanwhile.push(...(await examineThere(url).catch(unlessAway)));
      }
      await Promise.all(load);
      await Promise.all(replaced);
      const codes = await Promise.all(suspended);
      const codesAlone = await Promise.all(endedAlone);
      const readLines = async () => {
        const rows = await server.query("postgres", "select body from lines order by n");
        return rows.map(({ body }) => JSON.parse(String(body)) as Line);
      };
      await tenant.settle(readLines);

      const open = async () =>
        (await fleet.ask("GET", "/v1/runs?status=READY,RUNNING,STOPPING&limit=1")).body.items.length;
      for (const hangs = Date.now() + 60_000; (await open()) > 0; await pause(200)) {
        if (Date.now() > hangs) throw new Error("runs are still open after a minute");
      }
      const takeovers = await watch.end();
      let lost = 0;
      let changed = 0;
      for (const [runId, { status, reported }] of told.runs) {
        const found = await fleet.ask("GET", `/v1/runs/${runId}`);
        if (found.status !== 200) lost += 1;
        else if (reported !== undefined && found.body.status !== status) changed += 1;
        else if (reported !== undefined && found.body.billing.reportedCost.value !== reported) changed += 1;
      }
      const wallet = (await fleet.ask("GET", "/v1/wallet/balance")).body;
      const bought = (await fleet.ask("GET", "/v1/runs?status=COMPLETED&limit=100", { key: thrifty.key })).body.items;
      const whole = await readLines();
      const lines = whole as readonly unknown[] as (JournalLine & { readonly ws?: string })[];
      const { accepted, done, accounts, broken } = addUp(lines);
      const acceptedOf = (isThrifty: boolean) =>
        lines.filter(
          ({ t, ws }) =>
            t === "run.accepted" && ws !== tenant.workspaceId && (ws === thrifty.workspaceId) === isThrifty,
        ).length;
      const tenantDollars = await tenant.spent();
      // What the budget refuses is never accepted.
      const began = [...done].filter(([, status]) => status !== "BLOCKED").map(([runId]) => runId);
      const [sums] = await server.query(
        "postgres",
        "select (select count(*)::int from run_owners) as owned, (select coalesce(sum(micro), 0)::int from accounts where account like '%:held') as held",
      );
      const starts = provider.startedRuns();
      const cutShort = [...done.values()].filter((status) => status === "FAILED").length;

      const found = await examineThere(url);
      await Promise.all(fleet.living().map((daemon) => daemon.kill("SIGTERM")));
      const examined = await examineCopy(url);

      expect({ meanwhile, found }).toEqual({ meanwhile: [], found: [] });
      expect(examined).toEqual({ findings: [], lines: lines.length });
      expect({ lost, changed, broken }).toEqual({ lost: 0, changed: 0, broken: [] });
      expect(new Set(starts).size).toBe(starts.length);
      expect(began.sort()).toEqual([...accepted].sort());
      expect(acceptedOf(false)).toBe(told.asked);
      expect(sums).toEqual({ owned: 0, held: 0 });
      expect(wallet.held.value).toBe(0);
      expect(bought.length).toBeLessThanOrEqual(AFFORDABLE);
      expect(acceptedOf(true)).toBeGreaterThan(0);
      const boughtDollars = (bought.length * BUY_MICRO_DOLLARS) / 1_000_000;
      const charged = (accounts.get(SERVICE_CHARGED) ?? 0) / 1_000_000 - boughtDollars - tenantDollars;
      expect(wallet.balance.value).toBeCloseTo(STARTING_DOLLARS - charged, 6);
      const chores = tenant.check(whole);
      expect(restarts).toBeGreaterThanOrEqual(RESTARTS);
      // A daemon that comes back after its lease writes nothing, and ends.
      expect([...codes, ...codesAlone].filter((code) => code !== 70)).toEqual([]);
      expect(codes.length).toBeGreaterThan(0);
      expect(takeovers.runs).toBeGreaterThan(0);
      expect(takeovers.soonest).toBeGreaterThanOrEqual(0);
      expect(takeovers.late).toBeLessThan(TAKEOVER_SECONDS);
      reportTrial(context, {
        what: `kill -9 of one of ${DAEMONS} daemons on one database`,
        tried: kills,
        lost,
        note: `${told.runs.size} runs kept, ${told.stops} stops, ${cutShort} cut short, ${done.size - began.length} refused by a budget, no call twice; ${codes.length} suspended and fenced; ${takeovers.runs} runs taken over ${takeovers.late.toFixed(2)} s after a lease at most; ${restarts} restarts of the database; ${chores}`,
      });
    },
    HANG_MS,
  );
});
