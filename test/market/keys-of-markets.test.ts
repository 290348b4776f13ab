import { describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { startTwoDaemons, type TwoDaemons } from "./two-daemons.ts";

const verdictOf = async ({ laptop }: Pick<TwoDaemons, "laptop">) =>
  (await laptop.request("GET", "/v1/admin/secret-verdicts")).body.items[0]?.verdict;

describe("the key of a market", () => {
  test("works where the market refuses a run for its budget, or its provider refuses the market", async () => {
    await using daemons = await startTwoDaemons();
    daemons.vendor.on("GET /refused", { status: 401, json: { message: "bad key" } });

    const refused = await daemons.run("/refused");
    const afterRefused = await verdictOf(daemons);
    await daemons.team.request("POST", "/v1/controls/workspace/budgets", {
      limitAmount: { value: 1, unit: "MICRO_DOLLAR", currency: "USD" },
      period: "DAY",
    });
    const blocked = await daemons.run("/buy");

    expect(refused.body.providerResponse.httpStatus).toBe(401);
    expect(blocked.body.providerResponse.httpStatus).toBe(403);
    expect([afterRefused, await verdictOf(daemons)]).toEqual(["works", "works"]);
  });

  test("is failing when the market itself does not know it", async () => {
    await using daemons = await startTwoDaemons({ keyOf: async () => "mkt_not_a_key_of_the_team" });

    const { body } = await daemons.run("/buy");

    expect(body.providerResponse.httpStatus).toBe(401);
    expect(await verdictOf(daemons)).toBe("failing");
  });
});

test("an answer of an earlier run says nothing of a secret, since nobody was called", async () => {
  await using vendor = await startFakeProvider();
  vendor.on("GET /data", { json: { fine: true } });
  vendor.on("GET /me", { status: 401, json: { error: "revoked" } });
  await using daemon = await startTestDaemon({
    environment: { KEYED_API_KEY: "a-key-of-the-vendor" },
    manifests: {
      keyed: {
        secrets: { key: { env: "KEYED_API_KEY" } },
        verify: { method: "GET", path: "/me" },
        http: { baseUrl: vendor.url, allowPrivateNetwork: true, auth: { type: "bearer", token: "${secret.key}" } },
        endpoints: {
          "/data": {
            request: { method: "GET", path: "/data" },
            price: { type: "PER_CALL", amount: 0.01 },
            reuse: { maxAgeSeconds: 3_600 },
          },
        },
      },
    },
  });
  const asked = { provider: "keyed", endpoint: "/data", maxAge: 3_600 };
  await daemon.request("POST", "/v1/run", asked);
  await daemon.request("POST", "/v1/admin/secret-verdicts/keyed/test");

  const again = await daemon.request("POST", "/v1/run", asked);

  expect(again.body).toHaveProperty("answeredFrom");
  expect((await daemon.request("GET", "/v1/admin/secret-verdicts")).body.items[0]).toMatchObject({
    verdict: "failing",
  });
});
