import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { gate } from "../support/gate.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

test("an answer belongs to the secret that its call was made with, not to that of the moment when it was asked for", async () => {
  await using upstream = await startFakeProvider();
  const held = gate();
  upstream.on("GET /now", { after: held.opened, json: { degrees: 21 } });
  const file = weatherManifest(upstream.url) as { http: object; endpoints: Record<"/now", object> };
  await using daemon = await startTestDaemon({
    manifests: {
      nimbus: {
        ...file,
        secrets: { plan: { env: "NIMBUS_PLAN" } },
        http: {
          ...file.http,
          headers: { "x-plan": "${secret.plan}" },
          rateLimit: { requests: 1_000, perMs: 1, concurrency: 1 },
        },
        endpoints: { "/now": { ...file.endpoints["/now"], reuse: { maxAgeSeconds: 3_600 } } },
      },
    },
  });
  const set = async (value: string) => {
    expect((await daemon.request("PUT", "/v1/admin/secrets/NIMBUS_PLAN", { value })).status).toBeLessThan(300);
  };
  const run = async (city: string, more: object = {}) =>
    (await daemon.request("POST", "/v1/run", { provider: "nimbus", endpoint: "/now", input: { city }, ...more })).body;
  await set("the first plan");
  const busy = run("Porto");
  await untilCalled(upstream, "GET /now", 0);
  const inLine = run("Lisbon");
  await expect.poll(async () => (await daemon.request("GET", "/v1/runs?status=READY")).body.items.length).toBe(1);

  await set("the second plan");
  held.open();
  await busy;
  const { runId } = await inLine;
  const ofSecond = await run("Lisbon", { maxAge: 3_600 });
  await set("the first plan");
  const ofFirst = await run("Lisbon", { maxAge: 3_600 });
  const duringChange = await run("Porto", { maxAge: 3_600 });

  expect(ofSecond).toMatchObject({ answeredFrom: { runId } });
  expect([ofFirst, duringChange].map(({ answeredFrom }) => answeredFrom)).toEqual([undefined, undefined]);
  expect(upstream.calls.map(({ headers, query }) => [headers["x-plan"], query.get("city")])).toEqual([
    ["the first plan", "Porto"],
    ["the second plan", "Lisbon"],
    ["the first plan", "Lisbon"],
    ["the first plan", "Porto"],
  ]);
});
