import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { startCountedProvider } from "../faults/counted-provider.ts";
import { effort } from "../support/effort.ts";
import { type RestartedDaemon, startRestartedDaemon } from "../support/restarted-daemon.ts";

const RUNS = effort(16, 200);
/** After so many ends one of the two is killed, the market and the laptop in turns. */
const ENDS_A_KILL = effort(5, 8);
const CLIENTS = 4;
const HANG_MS = 240_000 + RUNS * 5_000;

/** The laptop's file of the market's counted provider. */
const fileOf = (baseUrl: string) => {
  const at = (endpoint: string, amount: number, mode: "sync" | "async") => ({
    request: { run: { provider: "counted", endpoint, mode, deadlineMs: mode === "sync" ? 30_000 : 120_000 } },
    price: { type: "PER_CALL", amount },
    http: { timeoutMs: 30_000 },
  });
  return {
    secrets: { key: { env: "TEAM_KEY" } },
    http: { baseUrl, allowPrivateNetwork: true, auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: { "/buy": at("/buy", 0.01, "sync"), "/work": at("/work", 0.02, "async") },
  };
};

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
    const { url, key } = team.now();
    await using laptop = await startRestartedDaemon({
      manifests: { team: fileOf(url) },
      environment: { TEAM_KEY: key },
    });
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
          const body = { provider: "team", endpoint: turn % 3 === 0 ? "/work" : "/buy" };
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
