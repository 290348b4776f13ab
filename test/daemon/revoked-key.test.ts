import { request as openRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { signIn } from "../console/sign-in.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** Sends the head and half the body, does something else, then sends the rest. */
async function sendInTwo(
  market: TestDaemon,
  { path, key, body }: { readonly path: string; readonly key: string; readonly body: object },
  between: () => Promise<unknown>,
): Promise<number> {
  const text = JSON.stringify(body);
  const request = openRequest(`${market.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": text.length },
  });
  const answered = new Promise<number>((resolve, reject) => {
    request.once("response", (response) => resolve(response.statusCode ?? 0));
    request.once("error", reject);
  });
  await new Promise<void>((resolve) => request.write(text.slice(0, 5), () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await between();
  request.end(text.slice(5));
  return await answered;
}

describe("a key that is revoked while its request is under way", () => {
  test("runs nothing", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using market = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const { key } = await market.client.createApiKey({ body: { label: "slow" } });
    const body = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

    const status = await sendInTwo(market, { path: "/v1/run", key, body }, () =>
      market.client.revokeApiKey({ params: { label: "slow" } }),
    );

    expect(status).toBe(401);
    expect(provider.calls).toHaveLength(0);
  });

  test.each(["a date that has come meanwhile", "a session whose key is revoked meanwhile"])(
    "runs nothing by %s",
    async (kind) => {
      await using provider = await startFakeProvider();
      provider.on("GET /now", { json: {} });
      let aheadMs = 0;
      await using market = await startTestDaemon({
        manifests: { weather: weatherManifest(provider.url) },
        clock: { now: () => Date.now() + aheadMs },
      });
      const isSession = kind.startsWith("a session");
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const made = await market.client.createApiKey({
        body: { label: "slow", role: "member", ...(!isSession && { expiresAt }) },
      });
      const key = isSession ? (await signIn(market.url, askWith(market.url, made.key))).key : made.key;
      const body = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

      const status = await sendInTwo(market, { path: "/v1/run", key, body }, async () => {
        if (isSession) await market.client.revokeApiKey({ params: { label: "slow" } });
        else aheadMs = 7_200_000;
      });

      expect(status).toBe(401);
      expect(provider.calls).toHaveLength(0);
    },
  );

  test("at that very moment makes what it asked for, or is 401", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    await using market = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
    const body = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
    const limitAmount = { value: 1, unit: "DOLLAR", currency: "USD" };
    const statuses = new Set<string>();

    for (let round = 0; round < 10; round += 1) {
      const label = `key-${round}`;
      const { key } = await market.client.createApiKey({ body: { label, scopes: ["*"] } });
      const ask = askWith(market.url, key);
      const answers = await Promise.all([
        market.request("POST", `/v1/api-keys/${label}/revoke`),
        ...Array.from({ length: 4 }, () => ask("POST", "/v1/run", body)),
        ...Array.from({ length: 4 }, () => ask("POST", "/v1/controls/workspace/run-caps", { limitAmount })),
      ]);
      for (const { status } of answers.slice(1)) statuses.add(String(status));
    }

    expect([...statuses].filter((status) => !["200", "201", "401"].includes(status))).toEqual([]);
  });

  test("moves no money", async () => {
    await using market = await startTestDaemon();
    const { workspace } = await market.client.whoami({});
    const workspaceId = workspace?.workspaceId ?? "";
    const { key } = await market.client.createAdminApiKey({
      params: { workspaceId },
      body: { label: "slow", operator: true },
    });
    const body = { amount: { value: 1_000, currency: "USD" }, reason: "gift" };

    const status = await sendInTwo(market, { path: `/v1/admin/workspaces/${workspaceId}/credits`, key, body }, () =>
      market.client.revokeApiKey({ params: { label: "slow" } }),
    );

    expect(status).toBe(404);
    expect((await market.client.getWalletBalance({})).balance.value).toBe(10);
  });
});
