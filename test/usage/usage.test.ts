import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

let upstream: FakeProvider;
let daemon: TestDaemon;
let batch: Ask;
let between = "";

const usd = (value: number) => ({ value, currency: "USD" });
const run = async (ask: Ask, provider: string, endpoint: string, members: object = {}) =>
  (await ask("POST", "/v1/run", { provider, endpoint, wait: 20, ...members })).body;

/** Made once: five runs by the owner's key, one by another key. */
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /now", { json: {} });
  upstream.on("GET /plain", { reset: true }, { json: {} });
  scriptReport(upstream, { polls: 0, result: { items: [1, 2, 3] } });
  const manifest = weatherManifest(upstream.url);
  daemon = await startTestDaemon({ manifests: { nimbus: manifest, tidewise: manifest } });
  const minted = await daemon.request("POST", "/v1/api-keys", { label: "batch" });
  batch = askWith(daemon.url, minted.body.key);

  await run(daemon.request, "nimbus", "/plain", { tags: { team: "" } });
  await run(daemon.request, "nimbus", "/now", { input: { city: "Rome" }, tags: { team: "red", job: "a:b" } });
  await run(daemon.request, "nimbus", "/report", { input: { topic: "rain", limit: 5 }, tags: { team: "red" } });
  await new Promise((resolve) => setTimeout(resolve, 5));
  between = new Date().toISOString();
  await run(daemon.request, "nimbus", "/now", { input: { city: "Oslo" }, tags: { constructor: "x" } });
  await run(daemon.request, "tidewise", "/plain", { tags: { team: "blue" } });
  await run(batch, "nimbus", "/plain");
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const usage = async (query = "") => await daemon.request("GET", `/v1/usage${query}`);
const short = (items: { group: string | null; runs: number; charged: { value: number } }[]) =>
  items.map(({ group, runs, charged }) => [group, runs, charged.value]);

describe("usage", () => {
  test("sums runs by provider where nothing else is asked for, the dearest first, and all of them", async () => {
    const { status, body } = await usage();

    expect(status).toBe(200);
    expect(body.items).toEqual([
      {
        group: "nimbus",
        runs: 5,
        failed: 1,
        reused: 0,
        saved: usd(0),
        charged: usd(0.041),
        cost: usd(0.041),
        rent: usd(0),
        overruns: 0,
        overrun: usd(0),
      },
      {
        group: "tidewise",
        runs: 1,
        failed: 0,
        reused: 0,
        saved: usd(0),
        charged: usd(0.01),
        cost: usd(0.01),
        rent: usd(0),
        overruns: 0,
        overrun: usd(0),
      },
    ]);
    const { group: _, ...total } = { ...body.items[0], runs: 6, charged: usd(0.051), cost: usd(0.051) };
    expect(body.total).toEqual(total);
  });

  test.each([
    [
      "endpoint",
      [
        ["nimbus/now", 2, 0.02],
        ["nimbus/report", 1, 0.011],
        ["nimbus/plain", 2, 0.01],
        ["tidewise/plain", 1, 0.01],
      ],
    ],
    [
      "key",
      [
        ["owner", 5, 0.041],
        ["batch", 1, 0.01],
      ],
    ],
    [
      "tag:team",
      [
        ["red", 2, 0.021],
        [null, 2, 0.02],
        ["blue", 1, 0.01],
        ["", 1, 0],
      ],
    ],
    [
      "tag:job",
      [
        [null, 5, 0.041],
        ["a:b", 1, 0.01],
      ],
    ],
    [
      "tag:constructor",
      [
        [null, 5, 0.041],
        ["x", 1, 0.01],
      ],
    ],
  ])("by %s", async (groupBy, expected) => {
    const { body } = await usage(`?groupBy=${groupBy}`);

    expect(short(body.items)).toEqual(expected);
    expect(body.total.charged.value).toBe(0.051);
  });

  test("by day is in the order of the days, in UTC", async () => {
    const runs = await daemon.request("GET", "/v1/runs?limit=100");
    const days = new Set(runs.body.items.map(({ createdAt }: { createdAt: string }) => createdAt.slice(0, 10)));

    const { body } = await usage("?groupBy=day");

    expect(body.items.map(({ group }: { group: string }) => group)).toEqual([...days].sort());
  });

  test("since is at or after, until is before", async () => {
    const since = await usage(`?since=${between}`);
    const until = await usage(`?until=${between}`);

    expect(short(since.body.items)).toEqual([
      ["nimbus", 2, 0.02],
      ["tidewise", 1, 0.01],
    ]);
    expect(short(until.body.items)).toEqual([["nimbus", 3, 0.021]]);
  });

  test("is what the wallet paid", async () => {
    const activities = await daemon.request("GET", "/v1/wallet/activities?limit=100");
    const { body } = await usage();

    const paid = activities.body.items
      .filter(({ type }: { type: string }) => type.endsWith("_CHARGE"))
      .reduce((sum: number, { amount }: { amount: { value: number } }) => sum - Math.round(amount.value * 1e6), 0);
    expect(paid / 1e6).toBe(body.total.charged.value);
  });

  test("is of the caller's workspace alone", async () => {
    await daemon.request("POST", "/v1/admin/workspaces", { name: "Other", slug: "other" });
    const key = await daemon.request("POST", "/v1/admin/workspaces/other/api-keys", { label: "first" });

    const { body } = await askWith(daemon.url, key.body.key)("GET", "/v1/usage");

    expect(body.items).toEqual([]);
    expect(body.total).toMatchObject({ runs: 0, charged: usd(0) });
  });

  test.each(["groupBy=nobody", "groupBy=tag:", "groupBy=tag", "groupBy=", "since=yesterday", "until=2026-13-01"])(
    "?%s is refused",
    async (query) => {
      expect((await usage(`?${query}`)).status).toBe(400);
    },
  );

  test("names the groups that there are where one is refused", async () => {
    const { body } = await usage("?groupBy=nobody");

    expect(body.message).toContain("must be provider, endpoint, key, day or tag:NAME");
  });

  test("needs the right to read runs", async () => {
    const { body } = await daemon.request("POST", "/v1/api-keys", { label: "narrow", scopes: ["wallet:read"] });

    const narrow = askWith(daemon.url, body.key);

    expect((await narrow("GET", "/v1/usage")).status).toBe(403);
    expect((await narrow("GET", "/v1/runs/export?format=csv")).status).toBe(403);
    expect((await narrow("GET", "/v1/wallet/activities")).status).toBe(200);
  });
});
