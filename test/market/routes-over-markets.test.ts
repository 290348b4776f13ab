import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeRoute } from "../runs/routes/serve-route.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { freePort } from "../support/free-port.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTwoDaemons, type TwoDaemons } from "./two-daemons.ts";

/** Routes of the laptop whose members are its own endpoint and those of the team's daemon. docs/routes.md */

const dollars = (value: number) => ({ value, currency: "USD" });
const THING = { body: { type: "object", properties: { thing: { type: "string" } } } };
const LIMIT = { queryParams: { type: "object", properties: { limit: { type: "integer" } } } };

interface Joined extends TwoDaemons {
  /** The upstream of the laptop's own provider, which takes two cents for a call. */
  readonly own: FakeProvider;
}

/** Each route names the team's endpoint and the laptop's own `/do`, in this order or the other. */
const routes: Readonly<Record<string, object>> = {
  "team-first": { members: ["team-acme/buy", "own/do"], input: THING },
  "own-first": { members: ["own/do", "team-acme/buy"], input: THING },
  listed: { members: ["team-acme/list", "own/list"], input: LIMIT },
  refused: { members: ["team-acme/refused", "own/do"] },
  gone: { members: ["team-acme/gone", "own/do"] },
  cut: { members: ["team-acme/cut", "own/do"] },
  away: { members: ["team-acme/away", "own/do"] },
  slow: { members: ["team-acme/slow", "own/do"] },
  lengthy: { members: ["team-acme/lengthy", "own/do"] },
  work: { members: ["team-acme/work", "own/do"] },
  cheapest: { members: ["own/do", "team-acme/buy"], sort: "price" },
};

async function startJoined(): Promise<Joined> {
  const home: MktHome = mktHome();
  const own = await startFakeProvider();
  own.on("POST /do", { json: { did: true } });
  own.on("GET /list", { json: { items: [] } });
  for (const [name, route] of Object.entries(routes)) {
    const { members, input = {}, ...rest } = route as { members: string[]; input?: object };
    writeRoute(home, name, { ...rest, input, members: members.map((endpoint) => ({ endpoint })) });
  }
  const price = { type: "PER_CALL", amount: 0.02 };
  const ownFile = {
    http: { baseUrl: own.url, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/do": { request: { method: "POST", path: "/do" }, input: THING, price },
      "/list": { request: { method: "GET", path: "/list" }, input: LIMIT, price },
    },
  };
  const slow = await startFakeProvider();
  slow.on("POST /slow", { hang: true });
  let isStopped = false;
  slow.on("POST /lengthy", { status: 202, json: { id: "1" } });
  slow.on("GET /lengthy/1", () => ({ json: { status: isStopped ? "stopped" : "working" } }));
  slow.on("DELETE /lengthy/1", () => ((isStopped = true), { status: 204 }));
  const at = (provider: string, endpoint: string) => ({
    request: { run: { provider, endpoint, mode: "sync", deadlineMs: 30_000 } },
    price: { type: "PER_CALL", amount: 0.01 },
  });
  const behind = (url: string, endpoint: string) => ({
    http: { baseUrl: url, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: { [endpoint]: { request: { method: "POST" }, price: { type: "PER_CALL", amount: 0.01 } } },
  });
  const lengthy = {
    ...behind(slow.url, "/lengthy"),
    endpoints: {
      "/lengthy": {
        request: { method: "POST" },
        price: { type: "PER_CALL", amount: 0.01 },
        async: {
          start: { id: "$.id" },
          poll: {
            method: "GET",
            path: "/lengthy/${run.externalId}",
            everyMs: 50,
            status: "$.status",
            states: { running: ["working"], done: ["done"], stopped: ["stopped"] },
          },
          stop: { method: "DELETE", path: "/lengthy/${run.externalId}" },
          runMs: 600_000,
        },
      },
    },
  };
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const daemons = await startTwoDaemons({
    endpoints: {
      "/away": at("nobody", "/away"),
      "/slow": { ...at("slow", "/slow"), http: { timeoutMs: 1_000 } },
      // Without a deadline that the market is told, as of one that knows none.
      "/lengthy": {
        request: { run: { provider: "lengthy", endpoint: "/lengthy", mode: "sync" } },
        price: { type: "PER_CALL", amount: 0.01 },
        http: { timeoutMs: 1_500 },
      },
    },
    team: { manifests: { nobody: behind(nobody, "/away"), slow: behind(slow.url, "/slow"), lengthy } },
    laptop: { home, manifests: { own: ownFile } },
  });
  return {
    ...daemons,
    own,
    async [Symbol.asyncDispose]() {
      await daemons[Symbol.asyncDispose]();
      await own.close();
      await slow.close();
      home[Symbol.dispose]();
    },
  };
}

async function runOf({ laptop }: Joined, route: string, body: object = {}) {
  const { body: begun } = await laptop.request("POST", "/v1/run", {
    provider: "routes",
    endpoint: `/${route}`,
    ...body,
  });
  return (await laptop.request("GET", `/v1/runs/${begun.runId}?wait=30`)).body;
}

/** What a route's run did, in short. */
const told = (run: any) => ({
  at: run.provider,
  status: run.status,
  cost: run.cost.value,
  attempts: run.route.attempts.map(({ provider, outcome }: { provider: string; outcome: string }) => {
    return `${provider} ${outcome}`;
  }),
});

describe("while both are there", () => {
  let joined: Joined;
  beforeAll(async () => {
    joined = await startJoined();
  });
  afterAll(async () => await joined[Symbol.asyncDispose]());

  test("a member of a market answers, and is charged what the market reports", async () => {
    const run = await runOf(joined, "team-first", { input: { thing: "a kite" } });

    const theirs = (await joined.team.request("GET", `/v1/runs/${run.market.runId}`)).body;
    expect(told(run)).toEqual({
      at: "team-acme",
      status: "COMPLETED",
      cost: 0.010001,
      attempts: ["team-acme tried"],
    });
    expect(run.output).toEqual({ bought: { thing: "a kite" } });
    expect(theirs.cost).toEqual(run.cost);
  });

  test("the dearest path is held, by the market's own quote", async () => {
    const listed = { provider: "routes", endpoint: "/listed", input: { limit: 50 } };
    const quote = (await joined.laptop.request("POST", "/v1/quote", listed)).body;
    const dear = (await joined.laptop.request("POST", "/v1/quote", { ...listed, input: { limit: 70 } })).body;
    const run = await runOf(joined, "listed", { input: { limit: 50 } });

    // 50 × 0.000333 are 0.01665, and the other one takes 0.02.
    expect(quote).toMatchObject({ maximum: dollars(0.02), estimate: dollars(0.01665) });
    expect(quote.route.members.map(({ maximum }: { maximum: object }) => maximum)).toEqual([
      dollars(0.01665),
      dollars(0.02),
    ]);
    expect(dear.route.passedOver).toMatchObject([{ provider: "team-acme" }]);
    expect(run.cost).toEqual(dollars(0.01665));
  });

  test("its price orders it, and inspect says through which market it goes", async () => {
    const asked = { provider: "routes", endpoint: "/cheapest" };
    const { route } = (await joined.laptop.request("POST", "/v1/inspect", asked)).body;

    const run = await runOf(joined, "cheapest");

    expect(route.members).toMatchObject([
      { provider: "team-acme", now: "first", via: [new URL(joined.team.url).host] },
      { provider: "own", now: "next" },
    ]);
    expect(route.members[1]).not.toHaveProperty("via");
    expect(run.provider).toBe("team-acme");
  });

  test("an own member that certainly did nothing is left for the market", async () => {
    joined.own.on("POST /do", { status: 429, json: {} });

    const run = await runOf(joined, "own-first", { input: { thing: "a rope" } });

    joined.own.on("POST /do", { json: { did: true } });
    expect(told(run)).toEqual({
      at: "team-acme",
      status: "COMPLETED",
      cost: 0.010001,
      attempts: ["own left", "team-acme tried"],
    });
    expect(run.market).toMatchObject({ status: "COMPLETED", cost: dollars(0.010001) });
  });

  test.each([
    ["the market no longer has it", "gone", true, 404],
    ["its provider could not be reached", "away", true, undefined],
    ["its provider answered 404, which is an answer", "refused", false, undefined],
    ["its provider dropped the connection", "cut", false, undefined],
  ])("%s", async (_title, route, goesOn, httpStatus) => {
    const before = joined.own.count("POST /do");

    const run = await runOf(joined, route);

    expect(told(run)).toMatchObject(goesOn ? { at: "own", cost: 0.02 } : { at: "team-acme", cost: 0 });
    expect(joined.own.count("POST /do") - before).toBe(goesOn ? 1 : 0);
    if (!goesOn) return;
    expect(run.route.attempts[0]).toMatchObject({ outcome: "left", ...(httpStatus && { httpStatus }) });
    expect(run).not.toHaveProperty("market");
    expect(run).not.toHaveProperty("providerMayHaveCharged");
  });

  test("in doubt it goes on only where the caller allows it, and says so", async () => {
    const run = await runOf(joined, "cut", { allowUncertainRepeats: true });

    expect(told(run)).toMatchObject({ at: "own", attempts: ["team-acme left", "own tried"] });
    expect(run.route.attempts[0]).toMatchObject({ maybeExecuted: true });
    expect(run.providerMayHaveCharged).toBe(true);
  });

  test("a member that takes all its time at the market is left only where the caller allows it", async () => {
    const [stays, goesOn] = await Promise.all([
      runOf(joined, "slow"),
      runOf(joined, "slow", { allowUncertainRepeats: true }),
    ]);

    expect(told(stays)).toMatchObject({ at: "team-acme", cost: 0 });
    expect(["FAILED", "TIMED_OUT"]).toContain(stays.status);
    expect(told(goesOn)).toMatchObject({ at: "own", status: "COMPLETED", cost: 0.02 });
    // The runs there were given no more time than the member has, so neither goes on and is charged.
    const theirs = async () => (await joined.team.request("GET", "/v1/runs?provider=slow")).body.items;
    await expect
      .poll(async () => (await theirs()).map(({ status }: { status: string }) => status), { timeout: 15_000 })
      .toEqual(["TIMED_OUT", "TIMED_OUT"]);
    expect((await theirs()).map(({ cost }: any) => cost.value)).toEqual([0, 0]);
  });

  test("a run that was left at the market is shown with its id there, and stopped there", async () => {
    const run = await runOf(joined, "lengthy", { allowUncertainRepeats: true });

    const [left] = run.route.attempts;
    expect(told(run)).toMatchObject({ at: "own", attempts: ["team-acme left", "own tried"] });
    expect(left).toMatchObject({ maybeExecuted: true, market: { host: new URL(joined.team.url).host } });
    await expect
      .poll(async () => (await joined.team.request("GET", `/v1/runs/${left.market.runId}`)).body.status, {
        timeout: 15_000,
      })
      .toBe("STOPPED");
    const { url, key } = joined.laptop;
    const env = { MKT_API_URL: url, MKT_API_KEY: key };
    const shown = await runMkt(["get-run", run.runId], { env, tty: true, columns: 300 });
    expect(shown.stdout).toContain(`Its run there: ${left.market.host}, run ${left.market.runId}`);
  });

  test("a job at the market is waited for, and charged there and here", async () => {
    const run = await runOf(joined, "work");

    expect(told(run)).toMatchObject({ at: "team-acme", status: "COMPLETED", cost: 0.02 });
    expect(run.market).toMatchObject({ status: "COMPLETED", cost: dollars(0.02) });
  });

  test("a route with a market is checked, and run from the command line", async () => {
    const { url, key } = joined.laptop;
    const env = { MKT_API_URL: url, MKT_API_KEY: key };

    const { exitCode, stdout } = await runMkt(["run", "routes/team-first", "thing=kite", "--json"], { env });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ output: { bought: { thing: "kite" } } });
  });
});

test("what a budget of the market's workspace blocks is answered by the next member", async () => {
  await using joined = await startJoined();
  await joined.team.request("POST", "/v1/controls/workspace/budgets", {
    limitAmount: { value: 1, unit: "MICRO_DOLLAR", currency: "USD" },
    period: "DAY",
  });

  const run = await runOf(joined, "team-first");

  expect(told(run)).toMatchObject({ at: "own", cost: 0.02, attempts: ["team-acme left", "own tried"] });
  expect(run.route.attempts[0]).toMatchObject({ httpStatus: 403 });
});

test("a market that is down is left for the own endpoint, and after some runs passed over as in outage", async () => {
  await using joined = await startJoined();
  await joined.team[Symbol.asyncDispose]();

  const runs = [];
  for (let turn = 0; turn < 12; turn++) runs.push(await runOf(joined, "team-first", { input: { thing: "rope" } }));
  const listed = await runOf(joined, "listed", { input: { limit: 3 } });

  expect(told(runs[0])).toEqual({
    at: "own",
    status: "COMPLETED",
    cost: 0.02,
    attempts: ["team-acme left", "own tried"],
  });
  expect(runs.at(-1).route).toMatchObject({
    attempts: [{ provider: "own" }],
    passedOver: [{ provider: "team-acme", reason: expect.stringContaining("outage") }],
  });
  // Nobody knows what the list costs, so the other one's price is held.
  expect(told(listed)).toMatchObject({ at: "own", cost: 0.02 });
});

test("a market that is never tried is passed over as in outage, since it gives no prices", async () => {
  await using joined = await startJoined();
  await joined.team[Symbol.asyncDispose]();

  const runs = [];
  for (let turn = 0; turn < 12; turn++) runs.push(await runOf(joined, "own-first", { input: { thing: "rope" } }));

  expect(runs.map(({ provider }) => provider)).toEqual(runs.map(() => "own"));
  expect(runs.at(-1).route.passedOver).toMatchObject([
    { provider: "team-acme", reason: expect.stringContaining("outage") },
  ]);
});

test("an own endpoint that is down is left for the market", async () => {
  await using joined = await startJoined();
  await joined.own.close();

  const run = await runOf(joined, "own-first", { input: { thing: "rope" } });

  expect(told(run)).toEqual({
    at: "team-acme",
    status: "COMPLETED",
    cost: 0.010001,
    attempts: ["own left", "team-acme tried"],
  });
  expect((await joined.team.client.getWalletBalance()).balance).toEqual(
    (await joined.laptop.client.getWalletBalance()).balance,
  );
});

test("the hops of a run are told to a market behind a route, which refuses a run that came too far", async () => {
  await using joined = await startJoined();
  const asked = { provider: "routes", endpoint: "/team-first", input: {} };

  const { body } = await joined.laptop.request("POST", "/v1/run", asked, { "x-mkt-hops": "a b c d" });

  expect(body.route).toMatchObject({
    attempts: [{ provider: "own", outcome: "tried" }],
    passedOver: [{ provider: "team-acme", reason: expect.stringContaining("This run came through 5 markets") }],
  });
});

test("killed while its second member is at the market, a run is found there by its key and charged once", async () => {
  await using own = await startFakeProvider();
  await using vendor = await startFakeProvider();
  using home = mktHome();
  const endpoint = { request: { method: "POST" }, price: { type: "PER_CALL", amount: 0.03 } };
  const behind = (url: string) => ({
    http: { baseUrl: url, allowPrivateNetwork: true },
    endpoints: { "/do": endpoint },
  });
  await using team = await startTestDaemon({ manifests: { acme: behind(vendor.url) } });
  const options = {
    home,
    environment: { TEAM_KEY: team.key },
    manifests: {
      own: behind(own.url),
      team: {
        secrets: { key: { env: "TEAM_KEY" } },
        http: { baseUrl: team.url, allowPrivateNetwork: true, auth: { type: "bearer", token: "${secret.key}" } },
        endpoints: {
          "/do": {
            request: { run: { provider: "acme", endpoint: "/do", mode: "sync", deadlineMs: 30_000 } },
            price: { type: "PER_CALL", amount: 0.03 },
          },
        },
      },
    },
  };
  writeRoute(home, "both", { input: {}, members: [{ endpoint: "own/do" }, { endpoint: "team/do" }] });
  own.on("POST /do", { status: 429, json: {} });
  const [called, mayEnd] = [gate(), gate()];
  vendor.on("POST /do", () => (called.open(), { json: { did: true }, after: mayEnd.opened }));

  await using laptop = await spawnDaemon(options);
  const body = { provider: "routes", endpoint: "/both", input: {} };
  const asking = laptop.request("POST", "/v1/run", body).catch(() => undefined);
  await called.opened;
  await laptop.kill("SIGKILL");
  await asking;
  mayEnd.open();
  await using next = await spawnDaemon(options);
  const { items } = (await next.request("GET", "/v1/runs")).body;
  await expect
    .poll(async () => (await next.request("GET", `/v1/runs/${items[0].runId}?wait=20`)).body.status, {
      timeout: 30_000,
    })
    .toBe("COMPLETED");
  const run = (await next.request("GET", `/v1/runs/${items[0].runId}`)).body;

  expect(run).toMatchObject({ provider: "team", cost: dollars(0.03), market: { cost: dollars(0.03) } });
  expect([own.count("POST /do"), vendor.count("POST /do")]).toEqual([1, 1]);
  expect((await next.request("GET", "/v1/wallet/balance")).body.balance).toEqual(
    (await team.client.getWalletBalance()).balance,
  );
});
