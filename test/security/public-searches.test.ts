import { expect, test } from "vitest";
import { ErrorBody } from "../../shared/contract/common.ts";
import { operations } from "../../shared/contract/index.ts";
import { errorStatuses } from "../../shared/contract/operation.ts";
import { manyManifests } from "../discovery/many-manifests.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { request } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** A machine that does nothing else needs about a second for all that is let in. */
const HANG_MS = 30_000;

test("256 searches without a key do not hold up a run, and what is too much is told when to come again", async () => {
  await using upstream = await startFakeProvider();
  const manifests = {
    ...manyManifests({ providers: 100, endpointsEach: 25 }),
    nimbus: weatherManifest(upstream.url),
  };
  await using daemon = await startTestDaemon({ manifests });
  const search = async (q: string) =>
    await request(`${daemon.url}/public/v1/discover/endpoints`, "POST", { body: { q, limit: 50 } });
  const run = async () => await daemon.request("POST", "/v1/run", { provider: "nimbus", endpoint: "/plain" });
  // What is loaded late is loaded.
  await Promise.all([search("warm up"), run()]);

  const questions = Array.from({ length: 256 }, (_, n) => `the ${n}th question about weather and payments`);
  const flood = Promise.all(questions.map(async (q) => await search(q)));
  const startMs = performance.now();
  const paid = await run();
  const runMs = performance.now() - startMs;
  const health = await request(`${daemon.url}/health`);
  const answers = await flood;

  expect(paid.body).toMatchObject({ status: "COMPLETED" });
  expect(runMs).toBeLessThan(HANG_MS);
  expect(health.status).toBe(200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(256);
  for (const { status, headers, body } of refused) {
    expect(errorStatuses(operations.publicDiscoverEndpoints)).toContain(status);
    expect([429, 503]).toContain(status);
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(ErrorBody.parse(body).code).toBe(status);
  }
  expect((await search("what comes after")).status).toBe(200);
}, 60_000);

test("every answer that sheds load is declared", () => {
  for (const operation of Object.values(operations)) {
    const declared = [...errorStatuses(operation), ...Object.keys(operation.responses).map(Number)];
    expect(declared, operation.operationId).toEqual(expect.arrayContaining([429, 503]));
  }
});
