import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { databaseOfCommand } from "../../daemon/config/database-settings.ts";
import { examineDatabase } from "../../daemon/doctor/database/examine-database.ts";
import { migrations } from "../../daemon/storage/postgres/migrations/all.ts";
import { type Fleet, startFleet } from "../chaos/fleet.ts";
import { startCountedProvider } from "../faults/counted-provider.ts";
import { effort } from "../support/effort.ts";
import { mktHome } from "../support/mkt-home.ts";
import { emptyDatabase, hasPostgres, NEEDS_POSTGRES } from "../support/postgres.ts";
import { mktProgram } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import { buildNext } from "./next-build.ts";

const DAEMONS = effort(2, 4);
const CLIENTS = effort(2, 8);
/** A daemon looks every three seconds whether it still knows the tables. */
const LOOKED_MS = effort(4_000, 10_000);
const SEALING_KEY = "ab".repeat(32);
const STARTING_DOLLARS = 1_000;
const HANG_MS = 300_000;

/** `mkt.js` of an earlier commit's build, for who wants to see the upgrade from that one. */
const EARLIER = process.env["MKT_TEST_EARLIER_BUILD"];

interface Load {
  readonly told: Map<string, { readonly status: string; readonly cost?: number }>;
  /** Resolves with the number of requests when every one was answered. */
  end(): Promise<number>;
}

/** Runs at any daemon, each asked for again until one of them says what became of it. */
function keepAsking(fleet: Fleet): Load {
  const over = new AbortController();
  const told: Load["told"] = new Map();
  let asked = 0;
  const one = async (client: number) => {
    for (let turn = client; !over.signal.aborted; turn += 1) {
      const wish = {
        body: { provider: "counted", endpoint: turn % 2 === 0 ? "/work" : "/buy" },
        idempotencyKey: randomUUID(),
      };
      asked += 1;
      let answer = await fleet.ask("POST", "/v1/run", wish);
      for (; answer.status === 409; await pause(100)) answer = await fleet.ask("POST", "/v1/run", wish);
      const { status, body, text } = answer;
      if (status !== 200 && status !== 202) throw new Error(`a run answered ${status}: ${text}`);
      told.set(body.runId, { status: body.status, cost: body.billing?.reportedCost.value });
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, async (_, client) => await one(client)));
  clients.catch(() => over.abort());
  return {
    told,
    async end() {
      over.abort();
      await clients;
      return asked;
    },
  };
}

/** Replaces all daemons one after the other, under load, and looks that nothing is lost and nothing done twice. */
async function upgrade(from: string, to: string, after: number) {
  await using database = await emptyDatabase();
  await using provider = await startCountedProvider();
  const environment = {
    MKT_DATABASE_URL: database.url,
    MKT_DATABASE_KEY: SEALING_KEY,
    MKT_LEASE_SECONDS: "10",
    MKT_STARTING_CREDIT: String(STARTING_DOLLARS),
    MKT_LOG_LEVEL: "error",
  };
  await using fleet = await startFleet({ size: DAEMONS, manifests: provider.manifests, environment, program: from });
  const newestChange = async () =>
    (await database.query("select max(number) as number from migrations"))[0]?.["number"];
  expect(await newestChange()).toBeLessThan(after);
  const load = keepAsking(fleet);
  const codes: (number | null)[] = [];

  const [first, ...others] = fleet.living();
  const [second] = others;
  if (first === undefined || second === undefined) throw new Error("two daemons were asked for, or more");
  await expect.poll(() => load.told.size, { timeout: 60_000 }).toBeGreaterThan(CLIENTS);
  codes.push(await fleet.upgrade(first, to));
  expect(await newestChange()).toBe(after);
  // Both versions work side by side, for longer than it takes to see that the tables are newer.
  const soFar = load.told.size;
  await pause(LOOKED_MS);
  for (const daemon of others) expect((await fetch(`${daemon.url}/ready`)).status).toBe(200);
  expect(load.told.size).toBeGreaterThan(soFar);
  // One of the old version that is killed meanwhile starts again on the newer tables, and serves.
  await fleet.replace(second, "SIGKILL");
  const again = fleet.living()[1];
  const headers = { authorization: `Bearer ${fleet.key}` };
  expect((await fetch(`${again?.url}/v1/wallet/balance`, { headers })).status).toBe(200);
  for (const daemon of fleet.living().slice(1)) codes.push(await fleet.upgrade(daemon, to));
  const wishes = await load.end();
  expect(codes).toEqual(codes.map(() => 0));

  const open = async () =>
    (await fleet.ask("GET", "/v1/runs?status=READY,RUNNING,STOPPING&limit=1")).body.items.length as number;
  await expect.poll(open, { timeout: 120_000 }).toBe(0);
  let charged = 0;
  for (const [runId, { status, cost }] of load.told) {
    const run = (await fleet.ask("GET", `/v1/runs/${runId}`)).body;
    if (cost !== undefined) expect([run.status, run.billing.reportedCost.value]).toEqual([status, cost]);
    charged += run.billing.reportedCost.value;
  }
  expect(load.told.size).toBe(wishes);
  const starts = provider.startedRuns();
  expect(new Set(starts).size).toBe(starts.length);
  const wallet = (await fleet.ask("GET", "/v1/wallet/balance")).body;
  expect(wallet.held.value).toBe(0);
  expect(wallet.balance.value).toBeCloseTo(STARTING_DOLLARS - charged / 1_000_000, 6);
  const settings = databaseOfCommand({ MKT_DATABASE_URL: database.url, MKT_DATABASE_KEY: SEALING_KEY });
  using home = mktHome();
  const { findings } = await examineDatabase({ configDir: home.configDir, settings });
  expect(findings).toEqual([]);
}

describe.skipIf(!hasPostgres)(`a rolling upgrade (${NEEDS_POSTGRES})`, () => {
  test(
    "to a version with one more schema version loses nothing, and does nothing twice",
    async () => {
      using folder = tempDir("mkt-next-");
      await upgrade(mktProgram, await buildNext(folder.path), 100);
    },
    HANG_MS,
  );

  test.skipIf(EARLIER === undefined)(
    "from an earlier build (MKT_TEST_EARLIER_BUILD) loses nothing, and does nothing twice",
    async () => {
      await upgrade(EARLIER ?? "", mktProgram, migrations.at(-1)?.number ?? 0);
    },
    HANG_MS,
  );
});
