import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { phonedesk } from "./phone-market.ts";

let upstream: FakeProvider;

beforeEach(async () => {
  upstream = await startFakeProvider();
});

afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
});

const secret = "sk-live-0123456789abcdef";

async function openShop() {
  const base = phonedesk(upstream.url) as { http: object; resources: object };
  const manifest = {
    ...base,
    secrets: { key: { env: "PHONEDESK_KEY" } },
    http: { ...base.http, auth: { type: "apiKey", in: "header", name: "X-Api-Key", value: "${secret.key}" } },
  };
  return await startTestDaemon({ manifests: { phonedesk: manifest }, environment: { PHONEDESK_KEY: secret } });
}

const buy = { provider: "phonedesk", endpoint: "/numbers/buy", input: { body: { country: "PT" } } };

describe("secrets of the provider", () => {
  test("go along with the calls that look after a resource, and never come back", async () => {
    upstream.on("POST /numbers", { json: { id: "pn-1", number: `+351 ${secret}`, country: secret } });
    upstream.on("GET /numbers/*", (call) => ({ json: { number: call.headers["x-api-key"], country: { a: secret } } }));
    await using shop = await openShop();

    const run = await shop.request("POST", "/v1/run", buy);
    const { resourceId } = run.body.resources[0];
    const resource = await shop.request("GET", `/v1/resources/${resourceId}`);
    const live = await shop.request("GET", `/v1/resources/${resourceId}/external/phone-number`);

    expect(live.status).toBe(200);
    expect(upstream.calls.map(({ headers }) => headers["x-api-key"])).toEqual([secret, secret]);
    for (const { text } of [run, resource, live]) expect(text).not.toContain(secret);
  });

  test("are no ids: what could not be told to anybody is not taken for one", async () => {
    upstream.on("POST /numbers", { json: { id: `pn-${secret}`, number: "+351" } });
    await using shop = await openShop();

    const run = await shop.request("POST", "/v1/run", buy);

    expect(run.body.resources).toMatchObject([{ action: "PROVISION_FAILED" }]);
    expect(run.text).not.toContain(secret);
  });
});

test("an id goes into a path as one segment, whatever is in it", async () => {
  upstream.on("POST /numbers", { json: { id: "../a b/c", number: "+351" } });
  upstream.on("GET /numbers/*", { json: { number: "+351" } });
  await using shop = await openShop();

  const run = await shop.request("POST", "/v1/run", buy);
  await shop.request("GET", `/v1/resources/${run.body.resources[0].resourceId}/external/phone-number`);

  expect(upstream.calls.at(-1)?.path).toBe("/numbers/..%2Fa%20b%2Fc");
});
