import { expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { marketManifest, startTwoDaemons } from "./two-daemons.ts";

const dollars = (value: number) => ({ value, currency: "USD" });

test("a run at a market is charged what the market reports, and shows the run there", async () => {
  await using daemons = await startTwoDaemons();

  const { status, body } = await daemons.run("/buy", { input: { thing: "a kite" } });
  const theirs = await daemons.team.request("GET", `/v1/runs/${body.market.runId}`);
  const [ours, team] = await Promise.all([
    daemons.laptop.client.getWalletBalance(),
    daemons.team.client.getWalletBalance(),
  ]);

  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: "COMPLETED",
    output: { bought: { thing: "a kite" } },
    billing: { actualCost: { value: 10_001 }, reportedCost: { value: 10_001 } },
    market: { host: new URL(daemons.team.url).host, status: "COMPLETED", cost: dollars(0.010001) },
  });
  expect(theirs.body).toMatchObject({ endpoint: "/buy", maxCost: dollars(0.010001) });
  expect(ours.balance).toEqual(team.balance);
});

test("the run there is shown to people, so that its operator can be asked about it", async () => {
  await using daemons = await startTwoDaemons();
  const { body } = await daemons.run("/buy");

  const { url, key } = daemons.laptop;
  const env = { MKT_API_URL: url, MKT_API_KEY: key };
  const shown = await runMkt(["get-run", body.runId], { env, tty: true, columns: 200 });

  expect(shown.stdout).toContain(`${body.market.host}, run ${body.market.runId} (COMPLETED): $0.010001`);
});

test("the market's quote is held, and a markup is added to the micro-dollar, rounded up", async () => {
  await using daemons = await startTwoDaemons({ file: { markup: { percent: 7.5 } } });

  const asked = { provider: "team-acme", endpoint: "/list", input: { limit: 7 } };
  const quote = await daemons.laptop.request("POST", "/v1/quote", asked);
  const run = await daemons.run("/list", { input: { limit: 7 } });

  // 7 × 333 = 2331 there, × 1.075 = 2505.825
  expect(quote.body).toMatchObject({ maximum: dollars(0.002506) });
  expect(run.body).toMatchObject({
    resultCount: 7,
    billing: { actualCost: { value: 2331 }, reportedCost: { value: 2506 } },
    market: { cost: dollars(0.002331) },
  });
});

test("where the market gives no price, the known price of a call is held to the micro-dollar", async () => {
  // As a double, 0.000123 dollars are a little more than 123 micro-dollars.
  const exact = {
    request: { run: { provider: "acme", endpoint: "/exact", mode: "sync", deadlineMs: 30_000 } },
    price: { type: "PER_CALL", amount: 0.000123 },
  };
  await using laptop = await startTestDaemon({
    environment: { TEAM_KEY: "mkt_away" },
    manifests: { "team-acme": marketManifest(`http://127.0.0.1:${await freePort()}`, {}, { "/exact": exact }) },
  });
  const asked = { provider: "team-acme", endpoint: "/exact", maxCost: dollars(0.000123) };

  const quote = await laptop.request("POST", "/v1/quote", asked);

  expect(quote.body).toMatchObject({ estimate: dollars(0.000123), maximum: dollars(0.000123), wouldBlock: [] });
});

test("a background run is polled to its end, and one that was expected at once is waited for", async () => {
  await using daemons = await startTwoDaemons();

  const accepted = await daemons.run("/work", { wait: 0 });
  const ended = await daemons.laptop.request("GET", `/v1/runs/${accepted.body.runId}?wait=30`);
  const atOnce = await daemons.run("/work-at-once");

  expect(accepted.status).toBe(202);
  expect(ended.body).toMatchObject({ status: "COMPLETED", cost: dollars(0.02), market: { cost: dollars(0.02) } });
  expect(atOnce.body).toMatchObject({ status: "COMPLETED", cost: dollars(0.02) });
});

test("a stop is passed on, and nothing is charged on either side", async () => {
  await using daemons = await startTwoDaemons();
  daemons.vendor.on("GET /work/*", { json: { status: "working" } });

  const { body } = await daemons.run("/work");
  await expect
    .poll(async () => (await daemons.laptop.request("GET", `/v1/runs/${body.runId}`)).body.market.runId)
    .toBeDefined();
  daemons.vendor.on("GET /work/*", { json: { status: "stopped" } });
  await daemons.laptop.request("POST", `/v1/runs/${body.runId}/stop`);
  const ended = await daemons.laptop.request("GET", `/v1/runs/${body.runId}?wait=30`);
  const theirs = await daemons.team.request("GET", `/v1/runs/${ended.body.market.runId}`);

  expect(ended.body).toMatchObject({ status: "STOPPED", cost: dollars(0) });
  expect(theirs.body).toMatchObject({ status: "STOPPED", cost: dollars(0) });
});

test("what fails there is charged nowhere, and keeps its meaning", async () => {
  await using daemons = await startTwoDaemons();

  const refused = await daemons.run("/refused");
  const cut = await daemons.run("/cut");
  const gone = await daemons.run("/gone");

  expect(refused.body).toMatchObject({
    status: "COMPLETED",
    providerResponse: { httpStatus: 404, error: { message: "no such thing" } },
    cost: dollars(0),
  });
  expect(cut.body).toMatchObject({ status: "FAILED", error: { source: "provider" }, market: { status: "FAILED" } });
  expect(cut.body).not.toHaveProperty("providerMayHaveCharged");
  expect(gone.body).toMatchObject({ status: "COMPLETED", providerResponse: { httpStatus: 404 }, cost: dollars(0) });
  expect(gone.body.providerResponse.error.message).toContain("it no longer has this endpoint");
});

test("a budget of the market's workspace refuses the run there, and here it is an answer with 403", async () => {
  await using daemons = await startTwoDaemons();
  await daemons.team.request("POST", "/v1/controls/workspace/budgets", {
    limitAmount: { value: 1, unit: "MICRO_DOLLAR", currency: "USD" },
    period: "DAY",
  });

  const { body } = await daemons.run("/buy");

  expect(body).toMatchObject({
    status: "COMPLETED",
    providerResponse: { httpStatus: 403 },
    cost: dollars(0),
    market: { status: "BLOCKED" },
  });
});

test("an empty wallet there, a revoked key and a closed daemon are told, and cost nothing", async () => {
  await using daemons = await startTwoDaemons({ team: { environment: { MKT_STARTING_CREDIT: "0" } } });

  const empty = await daemons.run("/buy");
  await daemons.team.daemon.close();
  const closed = await daemons.run("/buy");

  expect(empty.body).toMatchObject({ providerResponse: { httpStatus: 402 }, cost: dollars(0) });
  expect(closed.body).toMatchObject({ status: "FAILED", error: { source: "network" }, cost: dollars(0) });
});

test("a run that a person there has to approve is refused where it has to answer at once, and waits in the background", async () => {
  await using daemons = await startTwoDaemons();
  const { laptop, team, vendor } = daemons;
  const limitAmount = { value: 10_000, unit: "MICRO_DOLLAR", currency: "USD" };
  await team.request("POST", "/v1/controls/approval-rules", { limitAmount });

  const refused = await daemons.run("/buy");
  const below = await daemons.run("/list", { input: { limit: 3 } });
  const waits = await daemons.run("/work", { wait: 0 });
  const waiting = async () => (await team.request("GET", "/v1/approvals")).body.items;
  await expect.poll(waiting).toHaveLength(1);
  const [{ runId }] = await waiting();
  const stopped = await laptop.request("POST", `/v1/runs/${waits.body.runId}/stop`);
  const ended = await laptop.request("GET", `/v1/runs/${waits.body.runId}?wait=30`);

  expect(refused).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining("approve runs above $0.01") },
  });
  expect(below.body).toMatchObject({ status: "COMPLETED", cost: dollars(0.000999) });
  expect(stopped.status).toBe(202);
  expect(ended.body).toMatchObject({ status: "STOPPED", cost: dollars(0), market: { runId } });
  expect([vendor.count("POST /buy"), vendor.count("POST /work")]).toEqual([0, 0]);
});
