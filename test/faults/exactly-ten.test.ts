import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { balanceAccount } from "../../daemon/ledger/money/postings.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";
import { BUY_MICRO_DOLLARS, type CountedProvider, startCountedProvider } from "./counted-provider.ts";
import { effort } from "../support/effort.ts";
import { addUp, readJournal } from "./journal-lines.ts";
import { reportTrial } from "./trial.ts";

const AFFORDABLE = 10;
const ASKED = 200;
const ROUNDS = effort(2, 100);
const HANG_MS = 120_000 + ROUNDS * 20_000;
const LIMIT_MICRO_DOLLARS = AFFORDABLE * BUY_MICRO_DOLLARS;
const RICH_DOLLARS = 100;

interface Market {
  readonly home: MktHome;
  readonly provider: CountedProvider;
  daemon: SpawnedDaemon;
}

async function start({ home, provider }: Pick<Market, "home" | "provider">): Promise<SpawnedDaemon> {
  return await spawnDaemon({ home, manifests: provider.manifests, environment: { MKT_LOG_LEVEL: "error" } });
}

/** A workspace of its own whose balance, or whose budget, is for exactly ten runs. */
async function makeBuyer(
  { daemon }: Market,
  limit: "balance" | "budget",
): Promise<{ workspaceId: string; key: string }> {
  const admin = "/v1/admin/workspaces";
  const { workspaceId } = (await daemon.request("POST", admin, { name: randomUUID() })).body;
  const { key } = (await daemon.request("POST", `${admin}/${workspaceId}/api-keys`, { label: "buyer" })).body;
  const dollars = limit === "balance" ? LIMIT_MICRO_DOLLARS / 1_000_000 : RICH_DOLLARS;
  const credit = { amount: { value: dollars, currency: "USD" }, reason: "for a trial" };
  await daemon.request("POST", `${admin}/${workspaceId}/credits`, credit);
  if (limit === "budget") {
    const limitAmount = { currency: "USD", value: LIMIT_MICRO_DOLLARS, unit: "MICRO_DOLLAR" };
    const path = "/v1/controls/workspace/budgets";
    const made = await askWith(daemon.url, key)("POST", path, { period: "MONTH", limitAmount });
    if (made.status !== 201) throw new Error(`the budget answered ${made.status}`);
  }
  return { workspaceId, key };
}

/** All at once; what a killed daemon did not answer is undefined. */
async function buyAll(ask: Ask, keys: readonly string[]): Promise<(number | undefined)[]> {
  const body = { provider: "counted", endpoint: "/buy" };
  return await Promise.all(
    keys.map(async (key) => {
      const answer = ask("POST", "/v1/run", body, { "idempotency-key": key });
      return await answer.then(
        ({ status }) => status,
        () => undefined,
      );
    }),
  );
}

/** One round; how many runs were charged. */
async function play(market: Market, limit: "balance" | "budget", isKilled: boolean) {
  const { workspaceId, key } = await makeBuyer(market, limit);
  const keys = Array.from({ length: ASKED }, () => randomUUID());
  const buying = buyAll(askWith(market.daemon.url, key), keys);
  if (isKilled) {
    await pause(Math.random() * 400);
    await market.daemon.kill("SIGKILL");
    await buying;
    market.daemon = await start(market);
    await buyAll(askWith(market.daemon.url, key), keys);
  }
  await buying;
  const ask = askWith(market.daemon.url, key);
  const open = async () => (await ask("GET", "/v1/runs?status=READY,RUNNING,STOPPING&limit=1")).body.items.length;
  while ((await open()) > 0) await pause(20);
  const completed = (await ask("GET", "/v1/runs?status=COMPLETED&limit=100")).body.items.length;
  const { balance, held } = (await ask("GET", "/v1/wallet/balance")).body;
  return { workspaceId, completed: Number(completed), balance: Number(balance.value), held: Number(held.value) };
}

test(
  `of ${ASKED} runs asked for at once, money for ${AFFORDABLE} pays for ${AFFORDABLE}, killed or not, ${ROUNDS} rounds`,
  async (context) => {
    await using provider = await startCountedProvider();
    using home = mktHome();
    const market: Market = { home, provider, daemon: await start({ home, provider }) };
    const results: { limit: string; isKilled: boolean; found: Awaited<ReturnType<typeof play>> }[] = [];

    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        // Four rounds see each limit with a kill and without.
        const limit = round % 4 === 0 || round % 4 === 3 ? "balance" : "budget";
        const isKilled = round % 2 === 1;
        results.push({ limit, isKilled, found: await play(market, limit, isKilled) });
      }
    } finally {
      await market.daemon.kill("SIGTERM");
    }
    const { broken, accounts } = addUp(readJournal(home.dataDir));
    const starts = provider.startedRuns();

    expect(broken).toEqual([]);
    expect(new Set(starts).size).toBe(starts.length);
    for (const { limit, isKilled, found } of results) {
      const had = limit === "balance" ? LIMIT_MICRO_DOLLARS / 1_000_000 : RICH_DOLLARS;
      if (isKilled) expect(found.completed).toBeLessThanOrEqual(AFFORDABLE);
      else expect(found.completed).toBe(AFFORDABLE);
      expect(found.balance).toBeCloseTo(had - (found.completed * BUY_MICRO_DOLLARS) / 1_000_000, 6);
      expect(found.held).toBe(0);
      expect(accounts.get(balanceAccount(found.workspaceId)) ?? 0).toBeGreaterThanOrEqual(0);
    }
    const most = Math.max(...results.map(({ found }) => found.completed));
    reportTrial(context, {
      what: `${ASKED} at once with money for ${AFFORDABLE}, rounds`,
      tried: ROUNDS,
      lost: 0,
      note: `half of them killed; at most ${most} charged, nothing held`,
    });
  },
  HANG_MS,
);
