import { expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTwoDaemons } from "./two-daemons.ts";

/** `mkt catalog add-market` of a market that has endpoints from another one, and of one with very many. docs/markets.md */

const LOCAL = ["--allow-private-host", "127.0.0.1"];
const SEVERAL_PROCESSES_MS = 120_000;
const dollars = (value: number) => ({ value, currency: "USD" });

test(
  "what a market has from another one is left out, unless --through: then a run goes through both",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    await using daemons = await startTwoDaemons();
    const { laptop: middle, team } = daemons;
    using home = mktHome();
    const environment = { MIDDLE_KEY: middle.key };
    const words = ["catalog", "add-market", middle.url, "--key-env", "MIDDLE_KEY", "--prefix", "far", ...LOCAL];

    const without = await spawnMkt(words, { home, environment });
    const through = await spawnMkt([...words, "--through", "--json"], { home, environment });
    const again = await spawnMkt(["catalog", "drift", "far-team-acme", "--auth-env", "MIDDLE_KEY", ...LOCAL], {
      home,
      environment,
    });
    await using far = await startTestDaemon({ home, environment });
    await far.client.createGrant({ body: { provider: "far-team-acme" } });
    const buy = { provider: "far-team-acme", endpoint: "/buy", input: { thing: "a kite" } };
    const inspected = await far.request("POST", "/v1/inspect", buy);
    const run = await far.request("POST", "/v1/run", buy);
    const balances = await Promise.all(
      [far, middle, team].map(async ({ client }) => (await client.getWalletBalance()).balance),
    );

    expect(`${without.stdout}${without.stderr}`).toContain(`the market has it from ${new URL(team.url).host}`);
    expect(through).toMatchObject({ code: 0 });
    expect(JSON.parse(through.stdout).documents).toMatchObject([{ provider: "far-team-acme" }]);
    expect(again).toMatchObject({ code: 0, stdout: "far-team-acme: as it was imported.\n" });
    expect(inspected.body.via).toEqual([new URL(middle.url).host, new URL(team.url).host]);
    expect(run.body).toMatchObject({ status: "COMPLETED", output: { bought: { thing: "a kite" } } });
    expect(run.body.cost).toEqual(dollars(0.010001));
    expect(balances).toEqual(Array(3).fill(balances[0]));
  },
);

test("a market with more than 2,000 endpoints is refused before one is inspected, with what to do", async () => {
  await using market = await startFakeProvider();
  market.on("GET /v1/endpoints", ({ query }) => {
    const from = Number(query.get("cursor") ?? 0);
    const items = Array.from({ length: 100 }, (_, at) => ({
      provider: "many",
      endpoint: `/e${from + at}`,
      providerDisplayName: "Many",
    }));
    return { json: { items, ...(from < 2_000 && { cursor: String(from + 100) }) } };
  });
  using home = mktHome();
  const words = ["catalog", "add-market", market.url, "--key-env", "TEAM_KEY", ...LOCAL];

  const { code, stderr } = await spawnMkt(words, { home, environment: { TEAM_KEY: "a-key-of-the-team" } });

  expect(code).toBe(5);
  expect(stderr).toContain("The market has 2100 endpoints, and at most 2000 are taken at once: name providers");
  expect(market.count("POST /v1/inspect")).toBe(0);
});
