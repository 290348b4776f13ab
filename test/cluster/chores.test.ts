import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { databaseOfCommand } from "../../daemon/config/database-settings.ts";
import { examineDatabase } from "../../daemon/doctor/database/examine-database.ts";
import type { Line } from "../../daemon/ledger/transaction/transaction.ts";
import { type HandClock, handClock, MINUTE, phonedesk, scriptPhones } from "../resources/phone-market.ts";
import { effort } from "../support/effort.ts";
import { type FakeAnswer, type FakeCall, type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, type EmptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const DEATHS = effort(3, 9);
const HANG_MS = 120_000 + DEATHS * 60_000;
const PATIENCE = { timeout: 30_000, interval: 100 };
const SEALING_KEY = "ab".repeat(32);
const LEADS = "this daemon does schedules, deliveries and renewals now";
const RENT_DOLLARS = 2;
const START = "2026-07-15T12:30:00.000Z";

/** What the leader is at when it dies. */
const WORKS = ["GET /plain", "GET /numbers/*", "POST /hook"] as const;

interface Stage extends AsyncDisposable {
  /** A daemon that is not dead. */
  readonly ask: Ask;
  /** As when its process is suspended beyond its lease and goes on: it writes nothing more. The next leader has begun then. */
  killLeader(): Promise<void>;
}

/** Daemons on one database, by one clock. */
async function open(database: EmptyDatabase, upstream: FakeProvider, clock: HandClock, count: number): Promise<Stage> {
  const daemons: TestDaemon[] = [];
  const dead = new Set<number>();
  let leader = -1;
  for (let at = 0; at < count; at += 1) {
    daemons.push(
      await startTestDaemon({
        home: mktHome(),
        clock,
        manifests: {
          nimbus: weatherManifest(upstream.url),
          phonedesk: phonedesk(upstream.url, {
            rent: { type: "BY_PERIOD", amount: RENT_DOLLARS, period: { unit: "MINUTE", count: 1 } },
          }),
        },
        environment: {
          MKT_DATABASE_URL: database.url,
          MKT_DATABASE_KEY: SEALING_KEY,
          MKT_LEASE_SECONDS: "60",
          MKT_STARTING_CREDIT: "1000",
        },
        onLog: ({ msg }) => void (msg === LEADS && (leader = at)),
      }),
    );
  }
  const key = daemons[0]?.key ?? "";
  await expect.poll(() => leader, PATIENCE).toBeGreaterThanOrEqual(0);
  return {
    ask: async (...wish) => {
      const alive = daemons.findIndex((_, at) => !dead.has(at));
      return await askWith(daemons[alive]?.url ?? "", key)(...wish);
    },
    async killLeader() {
      const before = leader;
      dead.add(before);
      // With the head locked, as whoever fences a silent one does: nobody has read less than it has written.
      await database.query(
        "select from head for update; update daemons set fenced = true where id = (select leader from chores)",
      );
      await expect.poll(() => leader, PATIENCE).not.toBe(before);
    },
    async [Symbol.asyncDispose]() {
      // One that is fenced cannot write what it would at its end.
      await Promise.allSettled(daemons.map(async (daemon) => await daemon[Symbol.asyncDispose]()));
    },
  };
}

async function linesOf(database: EmptyDatabase): Promise<readonly Line[]> {
  const rows = await database.query("select body from lines order by n");
  return rows.map(({ body }) => JSON.parse(String(body)) as Line);
}

let upstream: FakeProvider;
let clock: HandClock;
/** Calls of this route are answered when the gate opens. */
let held: { readonly route: string; readonly until: ReturnType<typeof gate<void>> } | undefined;
const failedOnce = new Set<string>();

const answer = (route: string, of: (call: FakeCall) => FakeAnswer) =>
  upstream.on(route, (call) => ({ ...of(call), ...(held?.route === route && { after: held.until.opened }) }));

beforeEach(async () => {
  upstream = await startFakeProvider();
  clock = handClock(START);
  scriptPhones(upstream);
  failedOnce.clear();
  answer("GET /plain", () => ({ json: { sunny: true } }));
  answer("GET /numbers/*", ({ path }) => ({ json: { number: path, country: "PT" } }));
  // The first attempt of each delivery fails, so that each waits to be tried again.
  answer("POST /hook", ({ headers }) => {
    const id = String(headers["webhook-id"]);
    if (failedOnce.has(id)) return { status: 204 };
    failedOnce.add(id);
    return { status: 500 };
  });
});
afterEach(async () => {
  held?.until.open();
  held = undefined;
  await upstream[Symbol.asyncDispose]();
});

describe.skipIf(!hasPostgres)(`chores of daemons on one database (${NEEDS_POSTGRES})`, { timeout: HANG_MS }, () => {
  test(`are done once each while their leader dies ${DEATHS} times in the middle of them`, async () => {
    await using database = await emptyDatabase();
    await using stage = await open(database, upstream, clock, DEATHS + 1);
    const { ask } = stage;
    const made = await ask("POST", "/v1/webhooks", { url: `${upstream.url}/hook`, events: ["run.*"] });
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const { body: number } = await ask("POST", "/v1/run", {
      provider: "phonedesk",
      endpoint: "/numbers/buy",
      input: { body: { country: "PT" } },
    });
    const { resourceId } = number.resources[0];
    const { body: schedule } = await ask("POST", "/v1/schedules", {
      provider: "nimbus",
      endpoint: "/plain",
      cron: "* * * * *",
      missed: "ONCE",
      pauseAfterFailures: 1_000,
    });
    const paid = (await ask("GET", "/v1/wallet/balance")).body.balance.value;

    for (let death = 1; death <= DEATHS; death += 1) {
      const route = WORKS[death % WORKS.length] ?? "";
      held = { route, until: gate() };
      const before = upstream.count(route);
      clock.forward(MINUTE);
      await expect.poll(() => upstream.count(route), PATIENCE).toBeGreaterThan(before);
      await stage.killLeader();
      held.until.open();
      held = undefined;
      await expect
        .poll(async () => (await ask("GET", `/v1/resources/${resourceId}`)).body.renewal.cycle, PATIENCE)
        .toBe(death + 1);
      const occurrences = async () => (await ask("GET", `/v1/schedules/${schedule.scheduleId}/occurrences`)).body.items;
      await expect
        .poll(async () => (await occurrences()).filter((one: any) => one.runStatus !== undefined).length, PATIENCE)
        .toBe(death);
    }
    const isDelivered = async () => {
      // Each is tried again seconds after its first attempt failed, by the clock that the test moves.
      clock.forward(6_000);
      const tried = (await linesOf(database)).flatMap((line) => (line.t === "webhook.tried" ? line.each : []));
      return tried.filter(({ delivered }) => delivered === true).length;
    };
    // The rent and the due times of the minutes that pass here are none of this test's.
    await ask("DELETE", `/v1/schedules/${schedule.scheduleId}`);
    const released = await ask("POST", `/v1/resources/${resourceId}/release`);
    expect([released.status, released.text]).toEqual([202, expect.any(String)]);
    await expect.poll(isDelivered, PATIENCE).toBe(DEATHS + 1);

    const lines = await linesOf(database);
    const due = lines.flatMap((line) => (line.t === "run.accepted" ? [line.rec.schedule?.dueAt] : [])).filter(Boolean);
    const minutes = Array.from({ length: DEATHS }, (_, at) => Date.parse(START) + (at + 1) * MINUTE);
    expect(due).toEqual(minutes.map((ms) => new Date(ms).toISOString()));
    expect(upstream.count("GET /plain")).toBeLessThanOrEqual(DEATHS);

    const rents = lines.flatMap((line) =>
      line.t === "resource.changed" && line.led.length > 0 ? [line.resource.renewal?.cycle] : [],
    );
    expect(rents).toEqual(Array.from({ length: DEATHS }, (_, at) => at + 2));
    const charged = lines
      .flatMap((line) => (line.t === "run.done" && line.rec.schedule !== undefined ? [line.rec] : []))
      .reduce((sum, { billing }) => sum + (billing?.reported ?? 0), 0);
    const balance = (await ask("GET", "/v1/wallet/balance")).body.balance.value;
    expect(balance).toBeCloseTo(paid - DEATHS * RENT_DOLLARS - charged / 1_000_000, 6);

    const idsOf = new Map<string, Set<string>>();
    for (const { headers, json } of upstream.calls.filter(({ path }) => path === "/hook")) {
      const { runId } = json.data;
      idsOf.set(runId, (idsOf.get(runId) ?? new Set()).add(String(headers["webhook-id"])));
    }
    expect(idsOf.size).toBe(DEATHS + 1);
    expect([...idsOf.values()].map(({ size }) => size)).toEqual(Array(DEATHS + 1).fill(1));

    using home = mktHome();
    const settings = databaseOfCommand({ MKT_DATABASE_URL: database.url, MKT_DATABASE_KEY: SEALING_KEY });
    expect((await examineDatabase({ configDir: home.configDir, settings })).findings).toEqual([]);
  });
});
