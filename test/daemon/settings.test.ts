import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { freePort } from "../support/free-port.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** `fetch` does not let its host be set. */
async function statusFor(port: number, host: string): Promise<number> {
  const { status } = await rawRequest(
    port,
    rawHead("GET /openapi.json HTTP/1.1", `Host: ${host}`, "Connection: close"),
  );
  return status;
}

const nowRun = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

describe.concurrent("the environment", () => {
  test("sets ports, data folder and catalog as the flags do", async () => {
    using home = mktHome();
    const [port, registryPort] = [String(await freePort()), String(await freePort())];
    const catalog = home.writeCatalog("mine", { weather: weatherManifest("http://127.0.0.1:9") });
    const environment = {
      MKT_PORT: port,
      MKT_REGISTRY_PORT: registryPort,
      MKT_DATA_DIR: join(home.path, "elsewhere"),
      MKT_CATALOGS: catalog,
      MKT_ALLOW_PRIVATE_HOSTS: "127.0.0.1:9",
      MKT_NO_BUNDLED_CATALOG: "1",
      MKT_LOG_LEVEL: "silent",
    };

    const start = await spawnMkt(["daemon", "start"], { home, environment });
    const list = await spawnMkt(["catalog", "list", "--json"], { home, environment });
    const stop = await spawnMkt(["daemon", "stop"], { home, environment });
    const logs = await spawnMkt(["daemon", "logs"], { home, environment });

    expect([start.code, list.code, stop.code]).toEqual([0, 0, 0]);
    expect(JSON.parse(start.stdout)).toMatchObject({
      url: `http://127.0.0.1:${port}`,
      registryUrl: `http://127.0.0.1:${registryPort}`,
      dataDir: join(home.path, "elsewhere"),
    });
    expect(JSON.parse(list.stdout).providers).toMatchObject([{ provider: "weather", available: true }]);
    expect(logs.stdout).not.toContain('"level"');
    expect(existsSync(home.dataDir)).toBe(false);
  });

  test("is overruled by flags", async () => {
    using home = mktHome();
    const environment = { MKT_PORT: "1", MKT_REGISTRY_PORT: "1", MKT_LOG_LEVEL: "loud", MKT_DATA_DIR: "/dev/null/x" };
    const flags = ["--data-dir", home.dataDir, "--log-level", "info"];

    await using daemon = await spawnDaemon({ home, environment, args: flags });

    expect(daemon.key).toMatch(/^mkt_live_/);
  });

  test("sets the credit of the first workspace", async () => {
    await using daemon = await spawnDaemon({ environment: { MKT_STARTING_CREDIT: "2.50" } });

    const wallet = await daemon.request("GET", "/v1/wallet/balance");

    expect(wallet.body).toMatchObject({ balance: { value: 2.5, currency: "USD" }, held: { value: 0 } });
  });

  test("lets a person alone do without a wallet: unlimited refuses no run", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ manifests, environment: { MKT_STARTING_CREDIT: "unlimited" } });

    const run = await daemon.request("POST", "/v1/run", nowRun);
    const wallet = await daemon.request("GET", "/v1/wallet/balance");

    expect(run).toMatchObject({ status: 200, body: { status: "COMPLETED" } });
    expect(wallet.body).toMatchObject({ unlimited: true, balance: { value: -0.01 } });
  });

  test("with no credit at all a run is refused, naming the command that credits, and that command helps", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { json: {} });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ manifests, environment: { MKT_STARTING_CREDIT: "0" } });
    const { home } = daemon;

    const refused = await spawnMkt(["run", "weather/now", "city=Lisbon"], { home });
    const credit = await spawnMkt(["wallet", "credit", "10", "--reason", "test"], { home });
    const run = await spawnMkt(["run", "weather/now", "city=Lisbon", "--json"], { home });

    expect(refused).toMatchObject({ code: 7, stdout: "", stderr: expect.stringContaining("mkt wallet credit 10") });
    expect(credit.code).toBe(0);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ status: "COMPLETED" });
    expect(provider.count("GET /now")).toBe(1);
  });

  test("has a sync run answer with the provider's own status, and the run", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { status: 404, json: { message: "no such city" } });
    const manifests = { weather: weatherManifest(provider.url) };
    await using daemon = await spawnDaemon({ manifests, environment: { MKT_MIRROR_PROVIDER_STATUS: "1" } });

    const answer = await daemon.request("POST", "/v1/run", nowRun);
    const run = await spawnMkt(["run", "weather/now", "city=Lisbon", "--json"], { home: daemon.home });

    expect(answer).toMatchObject({
      status: 404,
      body: {
        code: 404,
        message: expect.stringContaining("no such city"),
        runId: expect.any(String),
        status: "COMPLETED",
        output: null,
        providerResponse: { httpStatus: 404 },
      },
    });
    expect(run.code).toBe(3);
  });

  test("does not mirror unless it says so", async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /now", { status: 404, json: { message: "no such city" } });
    await using daemon = await spawnDaemon({ manifests: { weather: weatherManifest(provider.url) } });

    const answer = await daemon.request("POST", "/v1/run", nowRun);

    expect(answer).toMatchObject({ status: 200, body: { status: "COMPLETED", providerResponse: { httpStatus: 404 } } });
  });

  test("limits bodies, in words that name the limit", async () => {
    await using daemon = await spawnDaemon({ environment: { MKT_MAX_BODY_BYTES: "1024" } });

    const answer = await daemon.request("POST", "/v1/inspect", { provider: "x".repeat(2_000), endpoint: "/x" });

    expect(answer).toMatchObject({ status: 413, body: { code: 413, message: expect.stringContaining("1024") } });
  });

  test("names the hosts that requests may be for", async () => {
    await using daemon = await spawnDaemon({
      environment: { MKT_ALLOWED_HOSTS: "mkt.test" },
      args: ["--public-url", "https://p.test"],
    });
    const { port } = new URL(daemon.url);

    const [local, named, published, stranger] = await Promise.all(
      [`127.0.0.1:${port}`, "mkt.test", "p.test", "evil.test"].map((host) => statusFor(Number(port), host)),
    );

    expect([local, named, published, stranger]).toEqual([200, 200, 200, 403]);
  });

  test("lets others in with MKT_ALLOW_REMOTE=1", async () => {
    await using daemon = await spawnDaemon({ environment: { MKT_HOST: "0.0.0.0", MKT_ALLOW_REMOTE: "1" } });
    const { port } = new URL(daemon.url);

    const whoami = await spawnMkt(["whoami"], { home: daemon.home });

    expect((await request(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect(whoami.code).toBe(0);
    expect(daemon.stderr()).toContain("0.0.0.0");
  });
});
