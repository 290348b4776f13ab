import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { askForKeysUntilRefused, untilStorageIs } from "../support/full-disk.ts";
import { mountSmallDisk, type SmallDisk } from "../support/small-disk.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { untilCalled, weatherManifest } from "../support/weather-manifest.ts";

const HANG_MS = 120_000;

/** A home whose data folder lies on a disk of its own, or the test is skipped and says why. */
function homeOnSmallDisk(context: TestContext): { home: MktHome; disk: SmallDisk } {
  const disk = mountSmallDisk(4);
  if (disk === undefined) return context.skip("only root may mount a small disk");
  const home = mktHome();
  onTestFinished(() => {
    home[Symbol.dispose]();
    disk[Symbol.dispose]();
  });
  const dataDir = join(disk.path, "data");
  return { home: { ...home, dataDir, environment: { ...home.environment, MKT_DATA_DIR: dataDir } }, disk };
}

test(
  "a log that is on the full disk too does not end the daemon, and says later what it misses",
  async (context) => {
    const { home, disk } = homeOnSmallDisk(context);
    const log = join(disk.path, "log");
    await using daemon = await spawnDaemon({ home, args: ["--log-level", "trace"], shellLine: `exec 2>>'${log}'` });

    disk.fill();
    const refused = await askForKeysUntilRefused(daemon);
    const health = await daemon.request("GET", "/health");
    disk.empty();
    await untilStorageIs("ok", daemon);
    const { status } = await daemon.request("POST", "/v1/api-keys", { label: "later" });
    const { code } = await daemon.kill();

    expect(refused.status).toBe(507);
    expect(health.body.storage).toBe("read-only");
    expect(status).toBe(201);
    expect(code).toBe(0);
    expect(readFileSync(log, "utf8")).toMatch(
      /^mkt daemon: \d+ log lines are missing here, because the disk was full$/m,
    );
  },
  HANG_MS,
);

test(
  "stopped while the end of a run fits nowhere, the daemon ends with 74 and says so, and the run is settled at the next start",
  async (context) => {
    const { home, disk } = homeOnSmallDisk(context);
    await using provider = await startFakeProvider();
    provider.on("GET /plain", { delayMs: 1_000, json: { large: "x".repeat(400_000) } });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ home, manifests });
    const inFlight = daemon.request("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });
    await untilCalled(provider, "GET /plain");

    disk.fill();
    await untilStorageIs("read-only", daemon);
    const { code, stderr } = await daemon.kill();
    const answer = await inFlight;
    disk.empty();
    await using next = await spawnDaemon({ home, manifests });
    const run = await next.request("GET", `/v1/runs/${answer.body.runId}`);
    const wallet = await next.request("GET", "/v1/wallet/balance");

    expect(code, stderr).toBe(74);
    expect(stderr).toContain("could not be recorded");
    expect(answer).toMatchObject({ status: 503, body: { runId: expect.any(String) } });
    expect(run.body).toMatchObject({ status: "FAILED", providerMayHaveCharged: true });
    expect(wallet.body.held.value).toBe(0);
    expect(provider.count("GET /plain")).toBe(1);
  },
  HANG_MS,
);
