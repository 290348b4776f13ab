import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTwoDaemons, teamManifest, type TeamPrices } from "../market/two-daemons.ts";
import { serveRoutes, writeRoute } from "../runs/routes/serve-route.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type CliSurroundings, ctrlC, jsonLines, runMkt } from "../support/run-cli.ts";
import type { TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { itemsJsonl, openBatchMarket, PRICE, sortedResults } from "./batch-market.ts";

/** Batches of what is more than one endpoint. docs/command-line.md, "Batches". */

const LIMIT = { type: "integer", minimum: 1, maximum: 50, default: 10 };
const TEXT = { type: "string" };
const LIST = { input: { queryParams: { type: "object", properties: { limit: LIMIT } } } };

async function batch(daemon: TestDaemon, endpoint: string, rows: readonly object[], words: readonly string[] = []) {
  using folder = tempDir();
  return await batchIn(folder, daemon, endpoint, rows, words);
}

/** In a folder that stays, so that it can be continued. */
async function batchIn(
  folder: { readonly path: string },
  daemon: TestDaemon,
  endpoint: string,
  rows: readonly object[],
  words: readonly string[],
  surroundings: CliSurroundings = {},
) {
  const path = join(folder.path, "rows.jsonl");
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const env = {
    MKT_DATA_DIR: join(folder.path, "data"),
    MKT_CONFIG_DIR: join(folder.path, "config"),
    MKT_API_URL: daemon.url,
    MKT_API_KEY: daemon.key,
  };
  const outcome = await runMkt(["batch", endpoint, path, ...words], { ...surroundings, env });
  return { ...outcome, results: sortedResults(outcome.stdout), folder: folder.path };
}

describe("through a route", () => {
  test("a member that is down costs a row what the next one costs, and no row is sent twice", async () => {
    await using served = await serveRoutes({ names: ["now"] });
    let calls = 0;
    served.first.on("POST /now*", () => {
      calls += 1;
      return calls % 2 === 0 ? { status: 429, json: {} } : { json: { rows: ["first"], total: 1 } };
    });
    const rows = Array.from({ length: 4 }, (_, at) => ({ q: `q${at}` }));

    const { exitCode, results, stderr } = await batch(served.daemon, "routes/now", rows, ["--concurrency", "1"]);

    expect(exitCode).toBe(0);
    expect(stderr).toContain("at most $0.08");
    const costs = results.map(({ cost }) => Number(cost));
    expect(new Set(costs)).toEqual(new Set([0.01, 0.02]));
    const { body } = await served.daemon.request("GET", "/v1/usage");
    expect(body.total.charged.value).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost),
      6,
    );
    expect(served.second.count("POST /now")).toBe(costs.filter((cost) => cost === 0.02).length);
  });

  test("a row goes on after an uncertain end only where that is allowed, and a batch with the flag is another one", async () => {
    await using served = await serveRoutes({ names: ["now"] });
    served.first.on("POST /now*", { status: 503, json: { error: "in the middle of it" } });
    const rows = [{ q: "one" }, { q: "two" }];

    const stopped = await batch(served.daemon, "routes/now", rows);
    const wentOn = await batch(served.daemon, "routes/now", rows, ["--allow-uncertain-repeats"]);
    const single = await batch(served.daemon, "second/now", rows, ["--allow-uncertain-repeats"]);

    expect(stopped.results).toMatchObject([{ error: expect.anything() }, { error: expect.anything() }]);
    expect([wentOn.exitCode, wentOn.results.map(({ cost }) => cost)]).toEqual([0, [0.02, 0.02]]);
    expect(served.second.count("POST /now")).toBe(2);
    expect([single.exitCode, single.stderr]).toEqual([5, expect.stringContaining("is for routes")]);
  });

  test("each row is priced where one member's price depends on the input", async () => {
    const perItem = {
      ...LIST,
      request: { method: "POST", encoding: "none" },
      price: { type: "PER_RESULT", amount: 0.001 },
      usage: { count: "$.total", estimate: { count: "input:queryParams.limit", max: "input:queryParams.limit" } },
    };
    await using served = await serveRoutes({
      names: ["now"],
      files: { first: { endpoints: { "/now": { ...perItem } } } },
      routes: {
        now: {
          ...LIST,
          members: [{ endpoint: "first/now" }, { endpoint: "second/now", input: { queryParams: { q: "x" } } }],
        },
      },
    });
    served.first.on("POST /now*", ({ query }) => ({ json: { total: Number(query.get("limit")) } }));

    const { exitCode, stderr, results } = await batch(served.daemon, "routes/now", [{ limit: 1 }, { limit: 50 }]);

    expect(stderr).toContain("at most $0.07");
    expect(exitCode).toBe(0);
    expect(results.map(({ cost }) => cost)).toEqual([0.001, 0.05]);
  });
});

describe("with answers of before", () => {
  test("rows that have one cost nothing, the others what they cost, and --max-total counts what was charged", async () => {
    await using market = await openBatchMarket({ endpoint: { reuse: { maxAgeSeconds: 3_600 } } });
    const four = market.write("four.jsonl", itemsJsonl(4));
    const ten = market.write("ten.jsonl", itemsJsonl(10));

    const first = await market.batch([four, "--max-age", "1h"]);
    const second = await market.batch([ten, "--max-age", "1h", "--max-total", "0.06", "--concurrency", "1"]);

    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(sortedResults(second.stdout).map(({ cost }) => cost)).toEqual([
      ...Array(4).fill(0),
      ...Array(6).fill(PRICE),
    ]);
    expect([...market.callsByItem().values()]).toEqual(Array(10).fill(1));
    expect(await market.charged()).toBeCloseTo(0.1, 6);
  });

  test("equal rows at the same time are one call", async () => {
    await using market = await openBatchMarket({ endpoint: { reuse: { maxAgeSeconds: 3_600 } } });
    market.answer(({ query }) => ({ json: { item: query.get("item") }, delayMs: 30 }));
    const rows = market.write("rows.jsonl", '{"item":"same"}\n'.repeat(20));

    const { exitCode, stdout } = await market.batch([rows, "--max-age", "1h", "--concurrency", "20"]);

    expect(exitCode).toBe(0);
    expect(jsonLines(stdout)).toHaveLength(20);
    expect(market.vendor.calls).toHaveLength(1);
    expect(await market.charged()).toBeCloseTo(PRICE, 6);
  });
});

describe("at another market", () => {
  test("every row is asked for, and both sides agree on what was charged", async () => {
    await using market = await startTwoDaemons();
    const rows = Array.from({ length: 6 }, (_, at) => ({ thing: `t${at}` }));

    const { exitCode, results } = await batch(market.laptop, "team-acme/buy", rows);

    expect(exitCode).toBe(0);
    expect(results.map(({ cost }) => cost)).toEqual(Array(6).fill(0.010001));
    expect(market.vendor.calls).toHaveLength(6);
    const charged = [market.laptop, market.team].map(
      async (daemon) => (await daemon.request("GET", "/v1/usage")).body.total.charged.value,
    );
    expect(await Promise.all(charged)).toEqual([0.060006, 0.060006]);
  });

  test("a price by results is asked for by row", async () => {
    await using market = await startTwoDaemons();

    const { exitCode, stderr, results } = await batch(market.laptop, "team-acme/list", [{ limit: 2 }, { limit: 5 }]);

    expect(stderr).toContain("at most $0.002331");
    expect(exitCode).toBe(0);
    expect(results.map(({ cost }) => cost)).toEqual([0.000666, 0.001665]);
  });

  /** The price of a list as it was taken over: one of a call. By now the market asks by results. */
  const asTakenOver = {
    endpoints: {
      "/list": {
        request: { run: { provider: "acme", endpoint: "/list", mode: "sync", deadlineMs: 30_000 } },
        ...LIST,
        price: { type: "PER_CALL", amount: 0.000333 },
      },
    },
  };

  test("a price that the market made one by results since is asked for by row, and --max-total holds", async () => {
    await using market = await startTwoDaemons({ file: asTakenOver });
    const rows = Array.from({ length: 20 }, (_, at) => ({ limit: at + 1 }));

    const { stderr, results } = await batch(market.laptop, "team-acme/list", rows, ["--max-total", "0.03"]);

    // 1 + 2 + … + 20 results are 0.06993.
    expect(stderr).toContain("20 rows of");
    expect(stderr).toContain("at most $0.06993.");
    expect(stderr).toContain("--max-total 0.06993 is enough for all");
    const charged = [market.laptop, market.team].map(
      async (daemon) => (await daemon.request("GET", "/v1/usage")).body.total.charged.value,
    );
    const [here, there] = await Promise.all(charged);
    expect(here).toBe(there);
    expect(here).toBeLessThanOrEqual(0.03);
    expect(results.map(({ cost }) => cost)).toEqual(results.map((_, at) => Math.round((at + 1) * 333) / 1e6));
  });

  /** Two daemons whose team changes its prices; the laptop has a route over the team's endpoint too. */
  async function startChanging() {
    const [teamHome, laptopHome] = [mktHome(), mktHome()];
    const members = [{ endpoint: "team-acme/buy" }, { endpoint: "team-acme/buy-without-quotes" }];
    writeRoute(laptopHome, "bought", { members, input: { body: { type: "object", properties: { thing: TEXT } } } });
    const daemons = await startTwoDaemons({ team: { home: teamHome }, laptop: { home: laptopHome } });
    const { laptop, team, vendor } = daemons;
    return {
      ...daemons,
      async changePrices(prices: TeamPrices) {
        teamHome.writeCatalog("trusted", { acme: teamManifest(vendor.url, prices) });
        const quoted = async () => {
          const input = { thing: "x" };
          const { body } = await team.request("POST", "/v1/quote", { provider: "acme", endpoint: "/buy", input });
          return body.maximum.value;
        };
        await expect.poll(quoted, { timeout: 15_000 }).toBe(prices.buy);
      },
      /** In dollars, here and there. */
      charged: async () =>
        await Promise.all(
          [laptop, team].map(async (daemon) => (await daemon.request("GET", "/v1/usage")).body.total.charged.value),
        ),
      async [Symbol.asyncDispose]() {
        await daemons[Symbol.asyncDispose]();
        teamHome[Symbol.dispose]();
        laptopHome[Symbol.dispose]();
      },
    };
  }

  test.each(["team-acme/buy", "routes/bought"])(
    "a price that rose since a kill is asked about, and a row that was paid before it is fetched (%s)",
    async (endpoint) => {
      await using market = await startChanging();
      using folder = tempDir();
      const out = join(folder.path, "out.jsonl");
      const rows = Array.from({ length: 6 }, (_, at) => ({ thing: `t${at}` }));
      const words = ["-o", out, "--concurrency", "1"];
      const run = async (more: string[], surroundings: CliSurroundings = {}) =>
        await batchIn(folder, market.laptop, endpoint, rows, [...words, ...more], surroundings);
      const keyboard = ctrlC();
      market.vendor.on("POST /buy", ({ json }) => {
        if (market.vendor.count("POST /buy") === 3) keyboard.press();
        return { json: { bought: json } };
      });
      await run([], { onInterrupt: keyboard.onInterrupt });
      // As if it had been killed before it wrote what two of them cost.
      writeFileSync(out, readFileSync(out, "utf8").split("\n").slice(0, 1).join("\n") + "\n");
      await market.changePrices({ buy: 0.02 });

      const unasked = await run(["--resume", "--max-total", "0.071"]);
      const before = market.vendor.count("POST /buy");
      const limited = await run(["--resume", "--max-total", "0.071", "--yes"]);
      const chargedByLimit = await market.charged();
      const resumed = await run(["--resume", "--max-total", "0.1", "--yes"]);

      expect(unasked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("now cost $0.02, and $0.010001") });
      expect(before).toBe(3);
      expect(limited).toMatchObject({ exitCode: 13, stderr: expect.stringContaining("--max-total 0.090003") });
      expect(chargedByLimit).toEqual([0.070003, 0.070003]);
      expect(resumed.exitCode).toBe(0);
      expect(sortedResults(readFileSync(out, "utf8"))).toMatchObject(
        rows.map((row, at) => ({ cost: at < 3 ? 0.010001 : 0.02, output: { bought: row } })),
      );
      expect(await market.charged()).toEqual([0.090003, 0.090003]);
      expect(market.vendor.count("POST /buy")).toBe(6);
    },
  );

  test("rows that were paid before a price rose count towards --max-total before a row at the new price is sent", async () => {
    await using market = await startChanging();
    using folder = tempDir();
    const out = join(folder.path, "out.jsonl");
    const run = async (...words: string[]) =>
      await batchIn(
        folder,
        market.laptop,
        "team-acme/list",
        [{ limit: 50 }, { limit: 1 }, { limit: 2 }, { limit: 3 }],
        ["-o", out, ...words],
      );
    const limitAmount = { value: 10_000, unit: "MICRO_DOLLAR", currency: "USD" };
    const budgets = "/v1/controls/workspace/budgets";
    const { body: budget } = await market.laptop.request("POST", budgets, { limitAmount, period: "DAY" });
    // The first row is above the budget, and waits until the others have ended.
    await run();
    await market.laptop.request("DELETE", `${budgets}/${budget.budgetControlId}`);
    const paid = await market.charged();
    writeFileSync(out, "");
    await market.changePrices({ buy: 0.02, list: 0.0006 });

    const limited = await run("--resume", "--max-total", "0.031", "--yes");
    const chargedByLimit = await market.charged();
    const resumed = await run("--resume", "--max-total", "0.032", "--yes");

    expect(paid).toEqual([0.001998, 0.001998]);
    expect(limited).toMatchObject({ exitCode: 13, stderr: expect.stringContaining("--max-total 0.031998 is enough") });
    expect(chargedByLimit).toEqual(paid);
    expect(resumed.exitCode).toBe(0);
    const costs = sortedResults(readFileSync(out, "utf8")).map(({ cost }) => cost);
    expect(costs).toEqual([0.03, 0.000333, 0.000666, 0.000999]);
    expect(await market.charged()).toEqual([0.031998, 0.031998]);
  });

  test("a market that gives no price stops it before anything is sent, where nobody else knows one", async () => {
    await using market = await startTwoDaemons();
    await market.team[Symbol.asyncDispose]();

    const { exitCode, stderr } = await batch(market.laptop, "team-acme/list", [{ limit: 2 }]);

    expect(exitCode).toBe(11);
    expect(stderr).toContain("gave no price for team-acme/list, so what a run costs is not known now");
    expect((await market.laptop.request("GET", "/v1/runs")).body.items).toEqual([]);
  });
});
