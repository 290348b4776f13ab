import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Clock } from "../../daemon/base/clock.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { type BelievedTime, lookAtClock } from "../../daemon/operator/believed-time.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A clock that is set and a process that has run for as long as the test says. */
function settableClock() {
  const set = { aheadMs: 0, ranMs: 0 };
  return { set, clock: { now: () => Date.now() + set.aheadMs, runningMs: () => set.ranMs } };
}

/** A shop with one run in the wallet of its owner, and starts of a daemon on it, with outputs kept for 30 days. */
async function shopWithRun(home: MktHome) {
  const upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { answer: 42 } });
  const manifests = {
    shop: {
      http: { baseUrl: upstream.url, allowPrivateNetwork: true },
      endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.01 } } },
    },
  };
  const warnings: string[] = [];
  const start = (clock: Clock) =>
    startTestDaemon({
      home,
      manifests,
      environment: { MKT_RETENTION_DAYS: "30" },
      clock,
      onLog: ({ level, msg }) => void (Number(level) === 40 && warnings.push(String(msg))),
    });
  const { set, clock } = settableClock();
  await using daemon = await start(clock);
  const made = await daemon.request("POST", "/v1/run", { provider: "shop", endpoint: "/now" });
  expect(made.body).toMatchObject({ status: "COMPLETED", output: { answer: 42 } });
  const { runId } = made.body as { runId: string };
  const wallet = (await daemon.request("GET", "/v1/wallet/balance")).body;
  const outputOf = async ({ request }: TestDaemon) => (await request("GET", `/v1/runs/${runId}`)).body.output;
  return {
    set,
    clock,
    start,
    runId,
    wallet,
    outputOf,
    warnings,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

test("outputs past their retention go, and the run, its bill and the wallet stay", async () => {
  using home = mktHome();
  await using shop = await shopWithRun(home);
  shop.set.aheadMs = 29 * DAY_MS;
  {
    await using _ = await shop.start(shop.clock);
    await untilLooked(home);
    shop.set.ranMs = DAY_MS;
  }
  {
    await using daemon = await shop.start(shop.clock);
    await untilLooked(home);
    expect(await shop.outputOf(daemon), "after 29 days").toEqual({ answer: 42 });
  }
  shop.set.aheadMs = 29.9 * DAY_MS;
  await (await shop.start(shop.clock))[Symbol.asyncDispose]();
  shop.set.aheadMs = 30.1 * DAY_MS;
  await using daemon = await shop.start(shop.clock);

  await expect.poll(() => shop.outputOf(daemon)).toBeNull();
  expect((await daemon.request("GET", `/v1/runs/${shop.runId}`)).body).toMatchObject({
    status: "COMPLETED",
    providerResponse: { httpStatus: 200 },
    cost: { value: 0.01, currency: "USD" },
    notes: [expect.stringMatching(/^The output was kept until \d{4}-/)],
  });
  expect((await daemon.request("GET", "/v1/wallet/balance")).body).toEqual(shop.wallet);
});

test("a start with a clock ten years ahead removes nothing; after a day of running, over restarts, it goes on", async () => {
  using home = mktHome();
  await using shop = await shopWithRun(home);
  shop.set.aheadMs = 3_650 * DAY_MS;

  for (const [start, ranMs] of [0, 10 * HOUR_MS, 13 * HOUR_MS].entries()) {
    shop.set.ranMs = 0;
    await using daemon = await shop.start(shop.clock);
    // Looks at the clock come before the first request is answered.
    await expect.poll(() => shop.warnings.length).toBe(1);
    expect(await shop.outputOf(daemon), `start ${start + 1}`).toEqual({ answer: 42 });
    shop.set.ranMs = ranMs;
  }
  shop.set.ranMs = 0;
  {
    await using daemon = await shop.start(shop.clock);
    await untilLooked(home);
    expect(await shop.outputOf(daemon), "23 hours").toEqual({ answer: 42 });
    shop.set.ranMs = HOUR_MS;
  }
  shop.set.ranMs = 0;
  await using daemon = await shop.start(shop.clock);

  await expect.poll(() => shop.outputOf(daemon)).toBeNull();
  expect(shop.warnings).toEqual([expect.stringContaining("the clock is far ahead")]);
});

test("a clock that was ten years ahead and is set right within the day costs no output", async () => {
  using home = mktHome();
  await using shop = await shopWithRun(home);
  shop.set.aheadMs = 3_650 * DAY_MS;
  await (await shop.start(shop.clock))[Symbol.asyncDispose]();
  shop.set.aheadMs = 0;
  shop.set.ranMs = 0;
  await (await shop.start(shop.clock))[Symbol.asyncDispose]();
  shop.set.ranMs = 3 * DAY_MS;

  await using daemon = await shop.start(shop.clock);

  await untilLooked(home);
  expect(await shop.outputOf(daemon)).toEqual({ answer: 42 });
  expect(knownTime(home).jumps).toEqual([]);
});

test("a folder of the version before, which knows no time, takes that of its newest line for the last known one", async () => {
  using home = mktHome();
  await using shop = await shopWithRun(home);
  for (const name of readdirSync(join(home.dataDir, "docs"))) {
    if (name.startsWith("known-time")) rmSync(join(home.dataDir, "docs", name));
  }
  shop.set.aheadMs = 3_650 * DAY_MS;

  await using daemon = await shop.start(shop.clock);

  await untilLooked(home);
  expect(await shop.outputOf(daemon)).toEqual({ answer: 42 });
  expect(shop.warnings).toEqual([expect.stringContaining("the clock is far ahead")]);
});

/** The daemon of this home has looked at the clock since its start. */
async function untilLooked(home: MktHome): Promise<void> {
  await expect.poll(() => knownTime(home).at).toBeDefined();
  await delay(100);
}

function knownTime(home: MktHome): { at?: string; jumps: object[] } {
  return JSON.parse(readFileSync(join(home.dataDir, "docs", "known-time.json"), "utf8"));
}

/** What is believed, as hours before or after the time that was known; each look is [hours on the clock, hours run]. */
function believedAfter(...looks: readonly (readonly [wallHours: number, ranHours: number])[]): number[] {
  let known: BelievedTime = { atMs: 0, jumps: [] };
  let ranBefore = 0;
  return looks.map(([wallHours, ranHours]) => {
    known = lookAtClock(known, wallHours * HOUR_MS, (ranHours - ranBefore) * HOUR_MS);
    ranBefore = ranHours;
    return known.atMs / HOUR_MS;
  });
}

const YEAR_HOURS = 365 * 24;

test.each([
  [
    "a clock that goes with the process is believed",
    [
      [1, 1],
      [2, 2],
    ],
    [1, 2],
  ],
  [
    "a night of sleep is believed at once",
    [
      [10, 0.5],
      [20, 1],
    ],
    [10, 20],
  ],
  [
    "a jump while the daemon runs waits for a day",
    [
      [YEAR_HOURS + 1, 1],
      [YEAR_HOURS + 24, 24],
      [YEAR_HOURS + 25, 25],
    ],
    [1, 24, YEAR_HOURS + 25],
  ],
  [
    "a second jump waits for a day of its own",
    [
      [100, 0],
      [100 + YEAR_HOURS + 23, 23],
      [100 + YEAR_HOURS + 24, 24],
      [100 + YEAR_HOURS + 47, 47],
    ],
    [0, 23, 124, 100 + YEAR_HOURS + 47],
  ],
  [
    "a clock that is set right is believed",
    [
      [YEAR_HOURS, 0],
      [1, 1],
      [30, 30],
    ],
    [0, 1, 30],
  ],
  [
    "a clock that goes back is believed",
    [
      [-YEAR_HOURS, 0],
      [1 - YEAR_HOURS, 1],
    ],
    [-YEAR_HOURS, 1 - YEAR_HOURS],
  ],
  [
    "a clock that begins in 1970 and is set waits for a day, and goes on",
    [
      [-50 * YEAR_HOURS, 0],
      [1, 1],
      [26, 26],
    ],
    [-50 * YEAR_HOURS, 1 - 50 * YEAR_HOURS, 26],
  ],
] as const)("%s", (_, looks, expected) => {
  expect(believedAfter(...looks)).toEqual(expected);
});

test("is at least two days, because the answers to an Idempotency-Key are made of outputs for one", () => {
  using home = mktHome();
  const parse = (days: string) =>
    parseDaemonConfig(
      {},
      { environment: { ...home.environment, MKT_RETENTION_DAYS: days }, bundledCatalogDir, version: "0.1.0" },
    );

  expect(() => parse("1")).toThrow(/MKT_RETENTION_DAYS/);
  expect(() => parse("soon")).toThrow(/MKT_RETENTION_DAYS/);
  expect(parse("2").retentionDays).toBe(2);
});
