import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlMarket, openControlMarket } from "../controls/control-market.ts";
import { type FakeCall, type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { untilCalled } from "../support/weather-manifest.ts";
import { copyFolder } from "../support/copy-folder.ts";

/** Lists of pages: $0.002 a call, and $0.001 a result with $0.01 for the run. */
function listsManifest(baseUrl: string): object {
  const endpoint = (price: object, more: object = {}) => ({
    description: "A list in pages.",
    request: { method: "GET", path: "/list" },
    input: {
      queryParams: {
        properties: {
          after: { type: "integer" },
          limit: { type: "integer", minimum: 1, maximum: 10, default: 10 },
        },
      },
    },
    output: { select: "$.items" },
    usage: { count: "$.items", estimate: { max: "input:queryParams.limit" } },
    pages: { items: "$.items", cursor: "$.next", param: "after", max: 5 },
    price,
    ...more,
  });
  return {
    displayName: "Lists",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    endpoints: {
      "/calls": endpoint({ type: "PER_CALL", amount: 0.002 }),
      "/again": endpoint({ type: "PER_CALL", amount: 0.002 }, { idempotent: true }),
      "/results": endpoint({ type: "PER_RESULT", amount: 0.001, flatFee: 0.01 }),
    },
  };
}

let upstream: FakeProvider;
let market: ControlMarket;
/** The sizes of the pages that the provider has; it says the same of every further one. */
let sizes: readonly number[];
beforeEach(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /list", page);
  market = await openControlMarket({ manifests: { lists: listsManifest(upstream.url) } });
  sizes = [10, 10, 4];
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

function page({ query }: FakeCall): { json: object } {
  const at = Number(query.get("after") ?? 0);
  const items = Array.from({ length: sizes[at] ?? 0 }, (_, index) => ({ at, index }));
  return { json: { items, next: at + 1 < sizes.length ? at + 1 : null } };
}

const money = (value: number) => ({ value, currency: "USD" });
const post = async (path: "run" | "quote", endpoint: string, more: object = {}) =>
  await market.daemon.request("POST", `/v1/${path}`, { provider: "lists", endpoint, ...more });
const run = async (endpoint: string, more: object = {}) => await post("run", endpoint, more);
const quote = async (endpoint: string, more: object = {}) => (await post("quote", endpoint, more)).body;
const balance = async () => (await market.daemon.request("GET", "/v1/wallet/balance")).body;

describe("a list that a run reads page by page", () => {
  test("is one run, charged a call for each page", async () => {
    const { body } = await run("/calls");
    const read = await market.daemon.request("GET", `/v1/runs/${body.runId}`);

    expect(body).toMatchObject({ cost: money(0.006), resultCount: 24, pages: { read: 3, more: false } });
    expect(body.output).toHaveLength(24);
    expect(body.attempts).toHaveLength(3);
    expect(read.body).toMatchObject({ cost: money(0.006), pages: { read: 3, more: false } });
    expect(await balance()).toMatchObject({ balance: money(9.994), held: money(0) });
  });

  test("is charged the results of all pages, and the fee of the run once", async () => {
    const { body } = await run("/results");

    expect(body).toMatchObject({ cost: money(0.034), billedUnits: 24 });
  });

  test("is quoted and held with all the pages that it may read", async () => {
    expect(await quote("/calls")).toMatchObject({ maximum: money(0.01), maxPages: 5 });
    expect(await quote("/calls", { maxPages: 2 })).toMatchObject({ maximum: money(0.004), maxPages: 2 });
    expect(await quote("/results")).toMatchObject({ maximum: money(0.06), rule: { quantity: 50 } });
    expect(await quote("/results", { maxPages: 1, input: { limit: 3 } })).toMatchObject({ maximum: money(0.013) });
  });

  test("is read up to the pages that the caller allows, and names the input that goes on", async () => {
    const first = (await run("/calls", { maxPages: 2 })).body;
    const rest = (await run("/calls", { input: first.pages.next })).body;

    expect(first).toMatchObject({
      cost: money(0.004),
      pages: { read: 2, more: true, stoppedBy: "maxPages", next: { queryParams: { after: 2 } } },
    });
    expect(first.notes.join()).toContain("The next page begins with after=2");
    expect(rest).toMatchObject({ cost: money(0.002), pages: { read: 1, more: false } });
    expect([...first.output, ...rest.output]).toHaveLength(24);
  });

  test.each([
    ["/calls", 6, /maxPages must be at most 5 for lists\/calls/],
    ["/calls", 0, /maxPages/],
    ["/calls", 1.5, /maxPages/],
  ])("%s is not read with maxPages %d", async (endpoint, maxPages, message) => {
    const { status, body } = await run(endpoint, { maxPages });

    expect(status).toBe(400);
    expect(body.message).toMatch(message);
    expect(upstream.calls).toHaveLength(0);
  });
});

describe("a caller's maxCost", () => {
  test("that covers some pages is held, and reading stops before it would be passed", async () => {
    const { body } = await run("/calls", { maxCost: money(0.005) });

    expect(body).toMatchObject({ cost: money(0.004), pages: { read: 2, more: true, stoppedBy: "cost" } });
    expect(body.overrun).toBeUndefined();
    expect(upstream.calls).toHaveLength(2);
    expect(await quote("/calls", { maxCost: money(0.005) })).toMatchObject({ maximum: money(0.005), wouldBlock: [] });
  });

  test("counts what came: pages with few results leave room for further ones", async () => {
    sizes = [1, 1, 1, 1];

    const { body } = await run("/results", { maxCost: money(0.022) });

    expect(body).toMatchObject({ cost: money(0.013), pages: { read: 3, more: true, stoppedBy: "cost" } });
  });

  test("that does not cover one page refuses the run, as it always did", async () => {
    const { status, body } = await run("/calls", { maxCost: money(0.001) });

    expect(status).toBe(402);
    expect(body.message).toContain("0.002");
    expect(upstream.calls).toHaveLength(0);
  });

  test("is never passed, whatever sizes the pages have", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 20_000, max: 70_000 }),
        async (drawn, microDollars) => {
          sizes = drawn;
          const before = (await balance()).balance.value;

          const { body } = await run("/results", { maxCost: money(microDollars / 1_000_000) });

          const cost = Math.round(body.cost.value * 1_000_000);
          expect(cost).toBeLessThanOrEqual(microDollars);
          expect(cost).toBe(Math.min(10_000 + 1_000 * body.output.length, microDollars, 60_000));
          expect(Math.round((before - (await balance()).balance.value) * 1_000_000)).toBe(cost);
          expect(body.pages.more).toBe(body.pages.read < drawn.length);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("a page that fails", () => {
  test("ends the reading: what came before it is given, and charged alone", async () => {
    upstream.on("GET /list", page, { status: 500, json: { message: "boom" } });

    const { body } = await run("/calls");

    expect(body).toMatchObject({
      status: "COMPLETED",
      providerResponse: { httpStatus: 200 },
      cost: money(0.002),
      pages: { read: 1, more: true, stoppedBy: "failure", next: { queryParams: { after: 1 } } },
    });
    expect(body.notes.join()).toContain("page 2 could not be read (boom); the page before it is given and charged");
  });

  test("is the end of the run where it is the first one, and nothing is charged", async () => {
    upstream.on("GET /list", { status: 500, json: { message: "boom" } });

    const { body } = await run("/calls");

    expect(body).toMatchObject({ providerResponse: { httpStatus: 500 }, cost: money(0), output: null });
    expect(body.pages).toBeUndefined();
  });

  test("at the deadline leaves what was read whole", async () => {
    upstream.on("GET /list", page, { hang: true });

    const { body } = await run("/calls", { deadlineMs: 1_000 });

    expect(body).toMatchObject({ status: "COMPLETED", cost: money(0.002), pages: { read: 1, stoppedBy: "failure" } });
  });
});

test("the same Idempotency-Key with other pages is another request", async () => {
  const send = async (maxPages: number) =>
    await market.daemon.request(
      "POST",
      "/v1/run",
      { provider: "lists", endpoint: "/calls", maxPages },
      {
        "idempotency-key": "list-1",
      },
    );

  const first = await send(1);
  const replayed = await send(1);
  const other = await send(2);

  expect(replayed.body).toEqual(first.body);
  expect(other.status).toBe(422);
  expect(upstream.calls).toHaveLength(1);
});

describe("a daemon that dies between two pages", () => {
  test.each([
    [
      "/again",
      "reads the list again from its first page, within the same limits",
      { status: "COMPLETED", cost: money(0.004) },
    ],
    ["/calls", "does not call again what may not be repeated", { status: "FAILED", cost: money(0) }],
  ])("%s: the next one %s", async (endpoint, _, expected) => {
    using home = mktHome();
    using copy = mktHome();
    const manifests = { lists: listsManifest(upstream.url) };
    upstream.on("GET /list", page, { hang: true });
    const dying = await startTestDaemon({ home, manifests });
    const lost = dying.request("POST", "/v1/run", { provider: "lists", endpoint, maxPages: 2 }).catch(() => undefined);
    await untilCalled(upstream, "GET /list", 1);
    copyFolder(home.dataDir, copy.dataDir);
    upstream.on("GET /list", page);

    await using next = await startTestDaemon({ home: copy, manifests, config: { forceUnlock: true } });
    const ask = askWith(next.url, dying.key);
    const [item] = (await ask("GET", "/v1/runs")).body.items;
    const { body } = await ask("GET", `/v1/runs/${item.runId}?wait=20`);

    expect(body).toMatchObject(expected);
    await upstream[Symbol.asyncDispose]();
    await dying[Symbol.asyncDispose]();
    await lost;
  });
});

test("mkt run --max-pages reads as many, and mkt inspect says how many a run reads", async () => {
  const env = { MKT_API_KEY: market.daemon.key, MKT_API_URL: market.daemon.url };

  const inspected = await runMkt(["inspect", "lists/calls", "--json"], { env });
  const ran = await runMkt(["run", "lists/calls", "--max-pages", "1", "--json"], { env });

  expect(inspected.stdout).toContain('"maxPages":5');
  expect(JSON.parse(ran.stdout)).toMatchObject({ pages: { read: 1, more: true } });
});
