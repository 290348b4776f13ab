import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** A run of `/plain` costs a cent. */
const cents = (count: number) => ({ amount: { value: count / 100, currency: "USD" }, period: "DAY" });

let vendor: FakeProvider;
let daemon: TestDaemon;
let made = 0;
beforeAll(async () => {
  vendor = await startFakeProvider();
  vendor.on("GET /plain", { json: {} });
  daemon = await startTestDaemon({ manifests: { weather: weatherManifest(vendor.url) } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

async function makeKey(members: object, key = daemon.key): Promise<string> {
  made += 1;
  const answer = await request(`${daemon.url}/v1/api-keys`, "POST", {
    key,
    body: { label: `key-${made}`, ...members },
  });
  expect(answer.status).toBe(201);
  return answer.body.key;
}

async function run(key: string): Promise<number> {
  const body = { provider: "weather", endpoint: "/plain" };
  return (await request(`${daemon.url}/v1/run`, "POST", { key, body })).status;
}

async function runAll(keys: readonly string[]) {
  const statuses = await Promise.all(keys.map(run));
  return {
    charged: statuses.filter((status) => status === 200).length,
    refused: statuses.filter((s) => s === 403).length,
  };
}

describe("a spend limit holds for", () => {
  test("a key and all that come from it together, run side by side", async () => {
    const maker = await makeKey({ spendLimit: cents(5) });
    const children = await Promise.all(Array.from({ length: 4 }, () => makeKey({}, maker)));
    const grandchild = await makeKey({ spendLimit: cents(5) }, children[0]);
    const keys = [maker, ...children, grandchild];

    const outcome = await runAll(Array.from({ length: 60 }, (_, index) => keys[index % keys.length] ?? ""));

    expect(outcome).toEqual({ charged: 5, refused: 55 });
  });

  test("a child alone where its own is narrower, and not for its maker", async () => {
    const maker = await makeKey({ spendLimit: cents(3) });
    const child = await makeKey({ spendLimit: cents(1) }, maker);

    expect(await runAll([child, child])).toEqual({ charged: 1, refused: 1 });
    expect(await runAll([maker, maker, maker])).toEqual({ charged: 2, refused: 1 });
  });

  test("what comes from a key that is revoked by now", async () => {
    const maker = await makeKey({ label: "gone", spendLimit: cents(1) });
    const children = [await makeKey({}, maker), await makeKey({}, maker)];
    await daemon.request("POST", "/v1/api-keys/gone/revoke");

    expect(await runAll(children)).toEqual({ charged: 1, refused: 1 });
  });

  test("at most eight makings in a row", async () => {
    let key = await makeKey({ spendLimit: cents(1) });
    for (let depth = 0; depth < 8; depth += 1) key = await makeKey({}, key);

    const beyond = await request(`${daemon.url}/v1/api-keys`, "POST", { key, body: { label: "beyond" } });

    expect(beyond.status).toBe(403);
  });
});
