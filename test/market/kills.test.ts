import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { startCountedProvider } from "../faults/counted-provider.ts";
import { effort } from "../support/effort.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type RestartedDaemon, startRestartedDaemon } from "../support/restarted-daemon.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";

const RUNS = effort(16, 200);
/** After so many ends one of the two is killed, the market and the laptop in turns. */
const ENDS_A_KILL = effort(5, 8);
const CLIENTS = 4;
const HANG_MS = 240_000 + RUNS * 5_000;

const LOCAL = ["--allow-private-host", "127.0.0.1"];

/** The laptop takes over what the market has, with the file that `mkt catalog add-market` writes. */
async function takeOver({ url, key }: { readonly url: string; readonly key: string }, home: MktHome) {
  const environment = { TEAM_KEY: key };
  const words = ["catalog", "add-market", url, "--key-env", "TEAM_KEY", "--prefix", "team", ...LOCAL];
  expect(await spawnMkt(words, { home, environment })).toMatchObject({ code: 0 });
  const laptop = await startRestartedDaemon({ home, environment, args: LOCAL });
  const granted = await laptop.ask("POST", "/v1/admin/grants", { provider: "team-counted" });
  expect(granted.status).toBeLessThan(300);
  return laptop;
}

async function endOf({ ask }: RestartedDaemon, runId: string) {
  for (;;) {
    const { body } = await ask("GET", `/v1/runs/${runId}?wait=20`);
    if (body.completedAt !== undefined) return body;
  }
}

test(
  "kills of a market and of its client leave both with the same cost of every run, to the micro-dollar",
  { timeout: HANG_MS },
  async () => {
    await using counted = await startCountedProvider();
    await using team = await startRestartedDaemon({ manifests: counted.manifests });
    using home = mktHome();
    await using laptop = await takeOver(team.now(), home);
    let [ends, kills] = [0, 0];
    let killing = Promise.resolve();
    const killOne = async () => {
      kills += 1;
      await (kills % 2 === 1 ? team : laptop).killAndRestart();
    };

    const runs: Awaited<ReturnType<typeof endOf>>[] = [];
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let turn = client; turn < RUNS; turn += CLIENTS) {
          const body = { provider: "team-counted", endpoint: turn % 3 === 0 ? "/work" : "/buy" };
          const headers = { "idempotency-key": randomUUID() };
          const made = await laptop.ask("POST", "/v1/run", body, headers);
          if ((turn + 1) % ENDS_A_KILL === 0) killing = killing.then(killOne);
          runs.push(await endOf(laptop, made.body.runId));
          ends += 1;
        }
      }),
    );
    await killing;
    const theirs = await Promise.all(
      runs.map(async ({ market }) => (market.runId === undefined ? undefined : await endOf(team, market.runId))),
    );
    const balances = await Promise.all(
      [team, laptop].map(async ({ ask }) => (await ask("GET", "/v1/wallet/balance")).body),
    );

    expect(ends).toBe(RUNS);
    expect(kills).toBeGreaterThan(1);
    expect(runs.map(({ runId, cost }) => [runId, cost])).toEqual(
      runs.map(({ runId }, index) => [runId, theirs[index]?.cost ?? { value: 0, currency: "USD" }]),
    );
    expect(runs.filter(({ status }) => status === "COMPLETED").length).toBeGreaterThan(RUNS / 2);
    const ids = runs.flatMap(({ market }) => market.runId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const [ofTeam, ofLaptop] = balances;
    expect(ofLaptop).toMatchObject({ balance: ofTeam.balance, held: ofTeam.held });
  },
);
