import { expect, test } from "vitest";
import { mostCostWithin, markUpCost } from "../../daemon/billing/market-cost.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

/** docs/markets.md, "What is taken over". */

const SEVERAL_PROCESSES_MS = 120_000;
const dollars = (value: number) => ({ value, currency: "USD" });

/** A list of nine pages with one item each, of which a run reads five, for a cent each. */
const acme = (baseUrl: string) => ({
  http: { baseUrl, allowPrivateNetwork: true },
  endpoints: {
    "/list": {
      description: "Lists all things there are.",
      request: { method: "GET", path: "/list" },
      pages: { items: "$.items", cursor: "$.next", param: "cursor", max: 5 },
      price: { type: "PER_CALL", amount: 0.01 },
      reuse: { maxAgeSeconds: 3_600 },
    },
  },
});

/** A laptop whose daemon has taken a team's market over, with 10 % more than the team charges. */
async function startBoth() {
  const vendor = await startFakeProvider();
  vendor.on("GET /list", ({ query }) => {
    const at = Number(query.get("cursor") ?? 0);
    return { json: { items: [{ at }], next: at < 8 ? String(at + 1) : null } };
  });
  const team = await startTestDaemon({ manifests: { acme: acme(vendor.url) } });
  const home = mktHome();
  const environment = { TEAM_KEY: team.key };
  await addMarket(home, team);
  const laptop = await startTestDaemon({ home, environment });
  await laptop.client.createGrant({ body: { provider: "team-acme" } });
  return {
    vendor,
    team,
    laptop,
    ask: async (path: string, more: object = {}) =>
      await laptop.request("POST", path, { provider: "team-acme", endpoint: "/list", ...more }),
    async [Symbol.asyncDispose]() {
      await laptop[Symbol.asyncDispose]();
      await team[Symbol.asyncDispose]();
      await vendor.close();
      home[Symbol.dispose]();
    },
  };
}

async function addMarket(home: MktHome, { url, key }: { readonly url: string; readonly key: string }): Promise<void> {
  const local = ["--allow-private-host", "127.0.0.1"];
  const words = ["add-market", url, "--key-env", "TEAM_KEY", "--markup", "10%", "--prefix", "team", ...local];
  const added = await spawnMkt(["catalog", ...words], { home, environment: { TEAM_KEY: key } });
  expect(added).toMatchObject({ code: 0 });
}

test(
  "a list of a market is read as far as the caller says, in pages or in dollars",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    await using both = await startBoth();

    const inspected = await both.ask("/v1/inspect");
    const whole = await both.ask("/v1/quote");
    const quote = await both.ask("/v1/quote", { maxPages: 2 });
    const pages = await both.ask("/v1/run", { maxPages: 2 });
    const cost = await both.ask("/v1/run", { maxCost: dollars(0.035) });
    const tooMany = await both.ask("/v1/run", { maxPages: 6 });
    const tooLittle = await both.ask("/v1/run", { maxCost: dollars(0.0109) });

    expect(inspected.body).toMatchObject({ maxPages: 5, maxAge: 3_600 });
    expect(whole.body).toMatchObject({ maximum: dollars(0.055) });
    expect(quote.body).toMatchObject({ maximum: dollars(0.022), maxPages: 2 });
    expect(pages.body).toMatchObject({
      output: { items: [{ at: 0 }, { at: 1 }] },
      pages: { read: 2, more: true, stoppedBy: "maxPages" },
      cost: dollars(0.022),
      market: { cost: dollars(0.02) },
    });
    expect(cost.body).toMatchObject({
      pages: { read: 3, more: true, stoppedBy: "cost" },
      cost: dollars(0.033),
      market: { cost: dollars(0.03) },
    });
    expect(tooMany).toMatchObject({ status: 400, body: { message: expect.stringContaining("at most 5") } });
    expect(tooLittle).toMatchObject({ status: 402 });
    expect(both.vendor.count("GET /list")).toBe(5);
  },
);

test(
  "an answer of an earlier run at a market is given again where the market's own author allows that",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    await using both = await startBoth();

    const first = await both.ask("/v1/run", { maxPages: 2 });
    const again = await both.ask("/v1/run", { maxPages: 2, maxAge: 600 });
    const more = await both.ask("/v1/run", { maxPages: 3, maxAge: 600 });

    expect(again.body).toMatchObject({
      output: first.body.output,
      cost: dollars(0),
      answeredFrom: { runId: first.body.runId, saved: dollars(0.022) },
    });
    expect(more.body).toMatchObject({ pages: { read: 3 }, cost: dollars(0.033) });
    expect(more.body).not.toHaveProperty("answeredFrom");
    expect(both.vendor.count("GET /list")).toBe(5);
  },
);

test.each([0, 1, 7.5, 10, 33.3, 1_000])(
  "of what callers pay at most, a market gets no more than with %d %%",
  (percent) => {
    for (const paid of [0, 1, 9_999, 10_000, 123_457, 999_999_999]) {
      const most = mostCostWithin(paid, percent);

      expect(markUpCost(most, percent)).toBeLessThanOrEqual(paid);
      expect(markUpCost(most + 1, percent)).toBeGreaterThan(paid);
    }
  },
);
