import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { askForKeysUntilRefused, untilStorageIs } from "../support/full-disk.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const BALLAST = { MKT_BALLAST_BYTES: String(512 * 1_024) };

/** A real disk that can be full, or the test is skipped and says why. */
function smallDisk(context: TestContext): SmallDisk {
  const disk = mountSmallDisk(4);
  if (disk === undefined) return context.skip("only root may mount a small disk");
  onTestFinished(() => disk[Symbol.dispose]());
  return disk;
}

async function sumOfAllPostings(dataDir: string): Promise<number> {
  const names = (await readdir(join(dataDir, "log"))).filter((name) => name.endsWith(".ndjson"));
  const texts = await Promise.all(names.map((name) => readFile(join(dataDir, "log", name), "utf8")));
  const lines = texts.flatMap((text) => text.trimEnd().split("\n")).map((line) => JSON.parse(line));
  return lines.flatMap(({ led = [] }) => led).reduce((sum: number, [, amount]: [string, number]) => sum + amount, 0);
}

const runOf = (endpoint: string, input: object = {}) => ({ provider: "weather", endpoint, input });

test("full and back: runs in flight end, new ones read 507, reads go on, and nothing is lost", async (context) => {
  const disk = smallDisk(context);
  await using provider = await startFakeProvider();
  provider.on("GET /plain", { delayMs: 1_500, json: { well: true } });
  scriptReport(provider, { polls: 40, result: { items: [1, 2, 3] } });
  using home = mktHome();
  const config = { dataDir: join(disk.path, "data") };
  const manifests = { weather: weatherManifest(provider.url) };
  const start = async () => await startTestDaemon({ home, manifests, config, environment: BALLAST });
  const daemon = await start();
  const { request } = daemon;
  const report = await request("POST", "/v1/run", runOf("/report", { body: { topic: "rain" } }));
  const inFlight = request("POST", "/v1/run", runOf("/plain"));
  await untilCalled(provider, "GET /plain");

  disk.fill();
  const refusedKey = await askForKeysUntilRefused(daemon);
  const refusedRun = await request("POST", "/v1/run", runOf("/plain"));
  const health = await request("GET", "/health");
  const ended = await inFlight;
  const ofReport = await request("GET", `/v1/runs/${report.body.runId}?wait=20`);
  const calls = provider.count("GET /plain");
  disk.empty();
  await untilStorageIs("ok", daemon);
  const later = await request("POST", "/v1/run", runOf("/plain"));
  const wallet = await request("GET", "/v1/wallet/balance");
  await daemon.daemon.close();
  await using again = await start();

  expect(refusedKey).toMatchObject({ status: 507, body: { code: 507 } });
  expect(refusedRun).toMatchObject({ status: 507, body: { code: 507, message: expect.stringContaining("disk") } });
  expect(Number(refusedRun.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(health).toMatchObject({ status: 200, body: { storage: "read-only" } });
  expect(ended).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { well: true } } });
  expect(ofReport).toMatchObject({ status: 200, body: { status: "COMPLETED", output: [1, 2, 3] } });
  expect(calls).toBe(1);
  expect(later).toMatchObject({ status: 200, body: { status: "COMPLETED" } });
  const runs = await again.request("GET", "/v1/runs");
  expect(runs.body.items.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill("COMPLETED"));
  expect((await again.request("GET", "/v1/wallet/balance")).body).toEqual(wallet.body);
  expect(wallet.body.held.value).toBe(0);
  expect(await sumOfAllPostings(config.dataDir)).toBe(0);
});

test("a key that must stop working is revoked on a full disk too", async (context) => {
  const disk = smallDisk(context);
  await using daemon = await startTestDaemon({ config: { dataDir: join(disk.path, "data") }, environment: BALLAST });
  const { body: created } = await daemon.request("POST", "/v1/api-keys", { label: "leaked" });
  disk.fill();
  await askForKeysUntilRefused(daemon);

  const revoked = await daemon.request("POST", "/v1/api-keys/leaked/revoke", { confirm: true });
  const used = await daemon.request("GET", "/v1/auth/whoami", undefined, { authorization: `Bearer ${created.key}` });

  expect(revoked.status).toBe(200);
  expect(used.status).toBe(401);
  disk.empty();
  await untilStorageIs("ok", daemon);
});
