import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { request } from "../support/request.ts";
import { mktHome } from "../support/mkt-home.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

const HANG_MS = 120_000;
const LIMIT = 128;

/** Of a process that runs; its hard limit stays, so that it may be raised again. */
function setLimit(pid: number, files: number): void {
  execFileSync("prlimit", [`--pid=${pid}`, `--nofile=${files}:`]);
}

/** The program is Linux's. */
function canSetLimits(): boolean {
  try {
    execFileSync("prlimit", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Idle connections, one after the other until the daemon takes no more; those that are closed are opened again once. */
async function takeAllOf(url: string): Promise<readonly Socket[]> {
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  for (let count = 0; count < 2 * LIMIT; count += 1) {
    sockets.push(connect(port, "127.0.0.1").on("error", () => {}));
    if (count % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  return sockets;
}

test.skipIf(process.platform !== "linux")(
  "idle connections that take all they can get keep nobody from a first run, nor from the registry",
  async () => {
    await using provider = await startFakeProvider();
    provider.on("GET /plain", { json: { ok: true } });
    await using daemon = await spawnDaemon({
      shellLine: `ulimit -n ${LIMIT}`,
      bundled: true,
      manifests: { forecast: weatherManifest(provider.url) },
    });
    const run = async (body: object) => (await daemon.request("POST", "/v1/run", body)).body.status;
    const atlas = { provider: "atlas", endpoint: "/sun", input: { latitude: 52, longitude: 13, date: "2026-11-22" } };

    const idle = [...(await takeAllOf(daemon.url)), ...(await takeAllOf(daemon.registryUrl))];
    const open = readdirSync(`/proc/${daemon.pid}/fd`).length;
    const during = [await run({ provider: "forecast", endpoint: "/plain" }), await run(atlas)];
    const registry = await request(`${daemon.registryUrl}/public/v1/categories`);
    const health = await daemon.request("GET", "/health");
    for (const socket of idle) socket.destroy();
    const after = [await run({ provider: "forecast", endpoint: "/plain" }), await run(atlas)];

    expect(open).toBeLessThan(LIMIT - 32);
    expect(during).toEqual(["COMPLETED", "COMPLETED"]);
    expect([registry.status, health.status]).toEqual([200, 200]);
    expect(after).toEqual(["COMPLETED", "COMPLETED"]);
    expect(daemon.stderr()).toContain("all connections are taken");
  },
  HANG_MS,
);

test.skipIf(!canSetLimits())(
  "a daemon that can open nothing while a segment is full goes on, and begins the next one later",
  async () => {
    await using provider = await startFakeProvider();
    await using daemon = await spawnDaemon({ manifests: { forecast: weatherManifest(provider.url) } });
    const cap = { limitAmount: { value: 1, unit: "MICRO_DOLLAR", currency: "USD" } };
    await daemon.request("POST", "/v1/controls/workspace/run-caps", cap);
    // Refused by the cap: a line of half a megabyte each, and nobody is called.
    const block = async () =>
      await daemon.request("POST", "/v1/run", {
        provider: "forecast",
        endpoint: "/report",
        input: { body: { topic: "x".repeat(500_000) } },
      });
    const segments = () =>
      readdirSync(join(daemon.home.dataDir, "log")).filter((name) => name.endsWith(".ndjson")).length;
    const first = await block();
    const begun = segments();

    // Input and output of the process itself: whatever else is opened would have a higher number.
    setLimit(daemon.pid, 3);
    const statuses = new Set<string>();
    for (let count = 0; count < 36; count += 1) statuses.add((await block()).body.status);
    const during = segments();
    setLimit(daemon.pid, LIMIT);
    statuses.add((await block()).body.status);
    const health = await daemon.request("GET", "/health");

    expect(first.body.status, first.text).toBe("BLOCKED");
    expect(statuses).toEqual(new Set(["BLOCKED"]));
    expect(during).toBe(begun);
    expect(segments()).toBe(begun + 1);
    expect(health.body).toMatchObject({ status: "ok", storage: "ok" });
  },
  HANG_MS,
);

test.skipIf(process.platform !== "linux")(
  "more connections than the process may have open are refused as a setting, with what to do",
  async () => {
    using home = mktHome();
    const words = ["daemon", "--port", "0", "--registry-port", "0", "--no-bundled-catalog"];

    const { code, stderr } = await spawnMkt(words, {
      home,
      shellLine: `ulimit -n ${LIMIT}`,
      environment: { MKT_MAX_CONNECTIONS: "100" },
    });

    expect(code).toBe(78);
    expect(stderr).toContain("MKT_MAX_CONNECTIONS");
    expect(stderr).toContain("LimitNOFILE");
  },
  HANG_MS,
);
