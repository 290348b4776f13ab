import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const HOUR_MS = 3_600_000;
const DOLLARS_PER_SECOND = 0.01;

/** By the second, at most 20 of them. */
function meteredManifest(baseUrl: string): object {
  return {
    displayName: "Meter",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 }, timeoutMs: 20_000 },
    endpoints: {
      "/work": {
        description: "Work that is paid by the time it takes.",
        request: { method: "GET", path: "/work" },
        price: { type: "METERED", amount: DOLLARS_PER_SECOND * 60, per: { unit: "MINUTE", count: 1 } },
      },
    },
  };
}

test.each([
  ["an hour ahead", HOUR_MS],
  ["an hour back", -HOUR_MS],
])("a run during which the clock is set %s is charged for the time that passed, and says so", async (_, stepMs) => {
  let skewMs = 0;
  await using upstream = await startFakeProvider();
  upstream.on("GET /work", () => {
    skewMs = stepMs;
    return { json: {}, delayMs: 300 };
  });
  await using daemon = await startTestDaemon({
    manifests: { meter: meteredManifest(upstream.url) },
    clock: { now: () => Date.now() + skewMs },
  });
  const beganMs = performance.now();

  const { body } = await daemon.request("POST", "/v1/run", { provider: "meter", endpoint: "/work" });

  const mostSeconds = (performance.now() - beganMs) / 1_000;
  expect(body.cost.value).toBeGreaterThanOrEqual(0.29 * DOLLARS_PER_SECOND);
  expect(body.cost.value).toBeLessThanOrEqual((mostSeconds + 0.01) * DOLLARS_PER_SECOND);
  expect(body.notes).toEqual([expect.stringContaining("The clock was set during the run")]);
});
