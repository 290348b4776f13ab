import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { microDollars } from "../../shared/micro-dollars.ts";
import { type BudgetMark, reachedMark } from "../../daemon/controls/budget-alerts.ts";
import { runMkt } from "../support/run-cli.ts";
import { type ControlMarket, openControlMarket } from "./control-market.ts";

describe("the mark that a spending has reached", () => {
  test.each<[number, number, BudgetMark | undefined]>([
    [0, 100, undefined],
    [49, 100, undefined],
    [50, 100, 50],
    [79, 100, 50],
    [80, 100, 80],
    [99, 100, 80],
    [100, 100, 100],
    [250, 100, 100],
    [0, 0, undefined],
    [1, 0, 100],
    [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 80],
  ])("of %i out of %i is %s", (spent, limit, mark) => {
    expect(reachedMark(microDollars(spent), microDollars(limit))).toBe(mark);
  });
});

describe("a run whose charge brings a budget to a mark", () => {
  let market: ControlMarket;
  beforeEach(async () => {
    market = await openControlMarket();
  });
  afterEach(async () => {
    await market[Symbol.asyncDispose]();
  });

  const money = (value: number) => ({ value, currency: "USD" });
  const alertsOf = async (runs: number) => {
    const percents: (number | undefined)[] = [];
    for (let made = 0; made < runs; made += 1) percents.push((await market.run()).body.alerts?.[0].percent);
    return percents;
  };

  test("says so in its answer, when it is read, and in the log", async () => {
    const id = await market.budget("DAY", 0.02);

    const { body } = await market.run();
    const read = await market.daemon.request("GET", `/v1/runs/${body.runId}`);

    const alert = { controlId: id, percent: 50, period: "DAY", spent: money(0.01), limit: money(0.02) };
    expect(body.alerts).toEqual([alert]);
    expect(read.body.alerts).toEqual([alert]);
    expect(market.warnings).toMatchObject([
      { msg: "a budget has reached 50 percent of its limit", runId: body.runId, controlId: id, percent: 50 },
    ]);
  });

  test("says it once for each mark", async () => {
    await market.budget("DAY", 0.1);

    const none = undefined;
    expect(await alertsOf(10)).toEqual([none, none, none, none, 50, none, none, 80, none, 100]);
  });

  test("that passes several at once names the highest", async () => {
    await market.budget("DAY", 0.01);

    expect(await alertsOf(1)).toEqual([100]);
  });

  test("once, however many runs end at the same time", async () => {
    await market.budget("DAY", 0.2);

    const answers = await Promise.all(Array.from({ length: 20 }, () => market.run()));

    const percents = answers.flatMap(({ body }) => body.alerts ?? []).map(({ percent }) => percent as number);
    expect(percents.sort((one, other) => one - other)).toEqual([50, 80, 100]);
  });

  test("names every budget that it brings there, but none that is paused, and no run that is not charged", async () => {
    const [day, month] = [await market.budget("DAY", 0.015), await market.budget("MONTH", 0.01)];
    const paused = await market.budget("WEEK", 0.01);
    await market.daemon.request("PATCH", `/v1/controls/workspace/budgets/${paused}`, { status: "PAUSED" });
    market.upstream.on("GET /now", { status: 500, json: {} }, { json: {} });

    const uncharged = await market.run();
    const charged = await market.run();

    expect(uncharged.body).not.toHaveProperty("alerts");
    expect(charged.body.alerts).toMatchObject([
      { controlId: day, percent: 50 },
      { controlId: month, percent: 100 },
    ]);
  });

  test("is told on stderr by mkt run and mkt get-run, one line a budget, before the cost", async () => {
    const id = await market.budget("DAY", 0.0125);
    const env = { MKT_API_URL: market.daemon.url, MKT_API_KEY: market.daemon.key };

    const ran = await runMkt(["run", "weather/now", "city=Lisbon"], { env });
    const read = await runMkt(["get-run", JSON.parse(ran.stdout).runId, "--json"], { env });

    const warning = `Warning: the budget ${id} has reached 80 % of its day: $0.01 of $0.0125 spent.\n`;
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toMatch(/^Warning: [^\n]+\nCOMPLETED · \$0\.01 · [^\n]+\n$/);
    expect(ran.stderr).toContain(warning);
    expect(read.stderr).toContain(warning);
  });
});
