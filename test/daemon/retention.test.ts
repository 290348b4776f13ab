import { expect, it } from "vitest";
import { unhurried } from "../../daemon/clock.ts";
import { parseDaemonConfig } from "../../daemon/config.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const DAY_MS = 86_400_000;

it("outputs past their retention go, and the run, its bill and the wallet stay", async () => {
  using home = mktHome();
  await using upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { answer: 42 } });
  const manifests = {
    shop: {
      http: { baseUrl: upstream.url, allowPrivateNetwork: true },
      endpoints: { "/now": { request: { method: "GET", path: "/now" }, price: { type: "PER_CALL", amount: 0.01 } } },
    },
  };
  const later = { now: () => Date.now() + 31 * DAY_MS };
  const environment = { MKT_RETENTION_DAYS: "30" };
  let runId = "";
  let walletBefore: unknown;
  {
    await using daemon = await startTestDaemon({ home, manifests, environment });
    const made = await daemon.request("POST", "/v1/run", { provider: "shop", endpoint: "/now" });
    expect(made.body).toMatchObject({ status: "COMPLETED", output: { answer: 42 } });
    runId = made.body.runId;
    walletBefore = (await daemon.request("GET", "/v1/wallet/balance")).body;
  }

  await using daemon = await startTestDaemon({ home, manifests, environment, clock: later });
  const read = async () => (await daemon.request("GET", `/v1/runs/${runId}`)).body;

  await expect.poll(async () => (await read()).output).toBeNull();
  expect(await read()).toMatchObject({
    status: "COMPLETED",
    providerResponse: { httpStatus: 200 },
    cost: { value: 0.01, currency: "USD" },
    notes: [expect.stringMatching(/^The output was kept until \d{4}-/)],
  });
  expect((await daemon.request("GET", "/v1/wallet/balance")).body).toEqual(walletBefore);
});

it("a clock that is set a year ahead makes no output older than the daemon has seen it become", () => {
  let [wallMs, processMs] = [1_000, 50];
  const clock = unhurried({ now: () => wallMs }, () => processMs);

  processMs += 10;
  wallMs += 365 * DAY_MS;
  expect(clock.now()).toBe(1_010);

  wallMs = 500;
  expect(clock.now()).toBe(500);
});

it("is at least two days, because the answers to an Idempotency-Key are made of outputs for one", () => {
  using home = mktHome();
  const parse = (days: string) =>
    parseDaemonConfig(
      {},
      { environment: { ...home.environment, MKT_RETENTION_DAYS: days }, bundledCatalogDir, version: "0.1.0" },
    );

  expect(() => parse("1")).toThrow(/MKT_RETENTION_DAYS/);
  expect(() => parse("soon")).toThrow(/MKT_RETENTION_DAYS/);
  expect(parse("2").retentionDays).toBe(2);
});
