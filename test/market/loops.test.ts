import { expect, test } from "vitest";
import { MAX_HOPS } from "../../daemon/manifest/parts/market-endpoint.ts";
import { readHops, refuseLoop } from "../../daemon/runs/market/hops.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

/** A file that has its endpoint from the daemon at this address. */
const ring = (baseUrl: string) => ({
  ring: {
    secrets: { key: { env: "NEXT_KEY" } },
    http: {
      baseUrl,
      allowPrivateNetwork: true,
      auth: { type: "bearer", token: "${secret.key}" },
      retry: { attempts: 1 },
    },
    endpoints: {
      "/it": {
        request: { run: { provider: "ring", endpoint: "/it", mode: "sync", deadlineMs: 20_000 } },
        price: { type: "PER_CALL", amount: 0.01 },
      },
    },
  },
});

/** Passes everything on to an address that is known later; `without` takes headers out on the way. */
async function gateway(target: () => { readonly url: string; readonly key: string }, without: readonly string[] = []) {
  const server = await startGateway();
  return server;

  async function startGateway(): Promise<FakeProvider> {
    const fake = await startFakeProvider();
    for (const route of ["POST /*", "GET /*"]) {
      fake.on(route, (call) => {
        const answer = { status: 0, json: undefined as unknown, headers: {} as Record<string, string> };
        const { url, key } = target();
        const headers = Object.fromEntries(
          Object.entries(call.headers).flatMap(([name, value]) =>
            without.includes(name) || name === "host" || name === "content-length" || typeof value !== "string"
              ? []
              : [[name, value]],
          ),
        );
        const after = fetch(`${url}${call.url}`, {
          method: call.method,
          headers: { ...headers, authorization: `Bearer ${key}` },
          ...(call.method === "POST" && { body: call.text }),
        }).then(async (response) => {
          answer.status = response.status;
          answer.json = await response.json();
        });
        return {
          after,
          get status() {
            return answer.status;
          },
          get json() {
            return answer.json;
          },
        };
      });
    }
    return fake;
  }
}

async function threeInARing(without: readonly string[] = []) {
  const first = { url: "", key: "" };
  const back = await gateway(() => first, without);
  const c = await startTestDaemon({ manifests: ring(back.url), environment: { NEXT_KEY: "any" } });
  const b = await startTestDaemon({ manifests: ring(c.url), environment: { NEXT_KEY: c.key } });
  const a = await startTestDaemon({ manifests: ring(b.url), environment: { NEXT_KEY: b.key } });
  Object.assign(first, { url: a.url, key: a.key });
  return {
    all: [a, b, c],
    a,
    back,
    async [Symbol.asyncDispose]() {
      for (const one of [a, b, c]) await one[Symbol.asyncDispose]();
      await back.close();
    },
  };
}

test("three daemons in a ring refuse a run before anything is held, with a clear error", async () => {
  await using daemons = await threeInARing();

  const { status, body } = await daemons.a.request("POST", "/v1/run", { provider: "ring", endpoint: "/it" });
  const runs = await Promise.all(daemons.all.map(async ({ client }) => (await client.listRuns({ query: {} })).items));

  expect({ status, message: body.message }).toEqual({
    status: 508,
    message: expect.stringContaining("two markets have this endpoint from each other"),
  });
  expect(runs).toEqual([[], [], []]);
});

test("a ring is found although a gateway takes the header out, by the tag", async () => {
  await using daemons = await threeInARing(["x-mkt-hops"]);

  const quote = await daemons.a.request("POST", "/v1/quote", { provider: "ring", endpoint: "/it" });
  const run = await daemons.a.request("POST", "/v1/run", { provider: "ring", endpoint: "/it" });

  expect(daemons.back.calls.at(-1)?.headers["x-mkt-hops"]).toBeDefined();
  expect([quote.status, run.status]).toEqual([508, 508]);
});

test("a daemon keeps its id over restarts, and knows itself", async () => {
  using home = mktHome();
  const ids: unknown[] = [];
  const vendor = await startFakeProvider();
  for (let start = 0; start < 2; start += 1) {
    await using daemon = await startTestDaemon({ home, manifests: ring(vendor.url), environment: { NEXT_KEY: "k" } });
    await daemon.request("POST", "/v1/run", { provider: "ring", endpoint: "/it" });
    ids.push(vendor.calls.at(-1)?.headers["x-mkt-hops"]);
    const own = await daemon.request(
      "POST",
      "/v1/run",
      { provider: "ring", endpoint: "/it" },
      { "x-mkt-hops": `01ABC ${String(ids[0])}` },
    );
    expect(own.status).toBe(508);
  }
  await vendor.close();

  expect(ids[0]).toMatch(/^[0-9A-Z]{26}$/);
  expect(ids[1]).toBe(ids[0]);
});

test("hops are read from the header or the tag, whichever has more, and anything else is refused", () => {
  expect(readHops(undefined, undefined)).toEqual([]);
  expect(readHops("a b", { "mkt-hops": "a" })).toEqual(["a", "b"]);
  expect(readHops("", { "mkt-hops": "a b" })).toEqual(["a", "b"]);
  expect(() => readHops("a <b>")).toThrow("must be ids of markets");
});

test("a run through too many markets is refused, and one through fewer is not", () => {
  const through = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

  expect(() => refuseLoop(through(MAX_HOPS - 1), "me")).not.toThrow();
  expect(() => refuseLoop(through(MAX_HOPS), "me")).toThrow(`at most ${MAX_HOPS}`);
  expect(() => refuseLoop(["me"], "me")).toThrow("came through this market before");
});
