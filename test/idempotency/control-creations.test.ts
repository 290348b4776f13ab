import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

const limitAmount = { currency: "USD", value: 5, unit: "DOLLAR" };

test.each([
  ["a budget", "/v1/controls/workspace/budgets", { period: "MONTH", limitAmount }],
  ["a run cap", "/v1/controls/workspace/run-caps", { limitAmount }],
])("%s is made once for an Idempotency-Key, and answered as it was then", async (_what, path, body) => {
  await using provider = await startFakeProvider();
  provider.on("GET /plain", { json: {} });
  await using daemon = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
  const headers = { "idempotency-key": "k" };

  const first = await daemon.request("POST", path, body, headers);
  await daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });
  const second = await daemon.request("POST", path, body, headers);
  const other = await daemon.request("POST", path, { ...body, limitAmount: { ...limitAmount, value: 6 } }, headers);

  expect(first.status).toBe(201);
  expect(second).toMatchObject({ status: 201, text: first.text });
  expect(second.headers.get("idempotent-replayed")).toBe("true");
  expect(other.status).toBe(422);
  expect((await daemon.request("GET", path)).body.items).toHaveLength(1);
});

test("a run that a control blocked leaves its key free, and runs once it may", async () => {
  await using provider = await startFakeProvider();
  await using daemon = await startTestDaemon({ manifests: { weather: weatherManifest(provider.url) } });
  const cap = { limitAmount: { currency: "USD", value: 1, unit: "MICRO_DOLLAR" } };
  const made = await daemon.request("POST", "/v1/controls/workspace/run-caps", cap);
  const run = async () =>
    await daemon.request(
      "POST",
      "/v1/run",
      { provider: "weather", endpoint: "/report", input: { topic: "rain" } },
      { "idempotency-key": "k" },
    );

  const first = await run();
  const second = await run();
  const callsBefore = provider.calls.length;
  scriptReport(provider, { polls: 0, result: { items: [] } });
  await daemon.request("DELETE", `/v1/controls/workspace/run-caps/${made.body.runCapControlId}`);
  const third = await run();
  const fourth = await run();

  expect(first).toMatchObject({ status: 200, body: { status: "BLOCKED" } });
  expect(second).toMatchObject({ status: 200, body: { status: "BLOCKED", retryOf: first.body.runId } });
  expect(callsBefore).toBe(0);
  expect(third.status).toBe(202);
  expect(fourth).toMatchObject({ status: 202, text: third.text });
  expect(provider.count("POST /reports")).toBe(1);
  const read = (await daemon.request("GET", `/v1/runs/${third.body.runId}`)).body;
  expect(read.retryOf).toBe(second.body.runId);
});
