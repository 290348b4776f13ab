import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { localDaemonFilePath } from "../../shared/local-daemon-file.ts";
import { BUNDLED_CATALOG, type MktHome, mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const freePorts = { MKT_PORT: "0", MKT_REGISTRY_PORT: "0" };

/** A home whose background daemon ends with the test. */
function backgroundHome() {
  const home = mktHome();
  return {
    home,
    mkt: (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
      spawnMkt(words, { home, environment: { ...freePorts, ...environment } }),
    async [Symbol.asyncDispose]() {
      await spawnMkt(["daemon", "stop"], { home });
      home[Symbol.dispose]();
    },
  };
}

async function fileOf({ configDir, dataDir }: MktHome): Promise<string> {
  return localDaemonFilePath(configDir, dataDir);
}

describe.concurrent("mkt daemon start", () => {
  test("says where the daemon is, which status, stop and logs then find", async () => {
    await using background = backgroundHome();
    const { home, mkt } = background;

    const before = await mkt(["daemon", "status", "--json"]);
    const start = await mkt(["daemon", "start", "--no-bundled-catalog"]);
    const { url, pid } = JSON.parse(start.stdout) as { url: string; pid: number };
    const health = await request(`${url}/health`);
    const status = await mkt(["daemon", "status", "--json"]);
    const logs = await mkt(["daemon", "logs"]);
    const lastLine = await mkt(["daemon", "logs", "--lines", "1"]);
    const stop = await mkt(["daemon", "stop"]);
    const after = await mkt(["daemon", "status", "--json"]);
    const stopAgain = await mkt(["daemon", "stop"]);

    expect(before).toMatchObject({ code: 9, stdout: expect.stringContaining('"running":false') });
    expect(start.code).toBe(0);
    expect(health.status).toBe(200);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.stdout)).toEqual(JSON.parse(start.stdout));
    expect(JSON.parse(status.stdout)).toEqual({
      running: true,
      url: expect.stringMatching(/^http:/),
      registryUrl: expect.stringMatching(/^http:/),
      pid,
      version: "0.1.0",
      dataDir: home.dataDir,
      startedAt: expect.any(String),
      replacedBy: null,
      damagedPlaces: null,
    });
    expect(logs).toMatchObject({ code: 0, stdout: expect.stringContaining(`"url":"${url}"`) });
    expect(lastLine.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(stop).toMatchObject({ code: 0, stderr: expect.stringContaining("has stopped") });
    expect(after.code).toBe(9);
    expect(JSON.parse(after.stdout)).toMatchObject({ running: false, url: null, pid: null });
    expect(stopAgain).toMatchObject({ code: 0, stderr: expect.stringContaining("No daemon is running") });
  });

  test("writes to a log that only its owner reads", async () => {
    await using background = backgroundHome();
    const { home, mkt } = background;

    await mkt(["daemon", "start"]);

    expect(statSync(join(home.dataDir, "daemon.log")).mode & 0o777).toBe(0o600);
    expect(statSync(home.dataDir).mode & 0o777).toBe(0o700);
  });

  test("twice says that it already runs, and leaves it alone", async () => {
    await using background = backgroundHome();
    const { mkt } = background;
    const first = await mkt(["daemon", "start"]);

    const second = await mkt(["daemon", "start"]);

    expect(second).toMatchObject({ code: 0, stderr: expect.stringContaining("already running") });
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout));
  });

  test("at the same moment starts one, and both say where it is", async () => {
    await using background = backgroundHome();
    const { mkt } = background;

    const [one, other] = await Promise.all([mkt(["daemon", "start"]), mkt(["daemon", "start"])]);

    expect([one.code, other.code]).toEqual([0, 0]);
    expect(JSON.parse(one.stdout)).toEqual(JSON.parse(other.stdout));
  });

  test("hands its flags on, and ends as the daemon does when that refuses them", async () => {
    await using background = backgroundHome();
    const { mkt } = background;

    const start = await mkt(["daemon", "start", "--log-level", "loud"]);

    expect(start).toMatchObject({ code: 78, stdout: "" });
    expect(start.stderr).toMatch(/^error: The daemon did not start\.\nmkt daemon: .*got "loud".*\n {2}next: mkt /);
    expect((await mkt(["daemon", "status"])).code).toBe(9);
  });

  test("finds a daemon that runs in the foreground, and stop stops that one", async () => {
    await using daemon = await spawnDaemon();

    const start = await spawnMkt(["daemon", "start"], { home: daemon.home });
    const stop = await spawnMkt(["daemon", "stop"], { home: daemon.home });

    expect(start).toMatchObject({ code: 0, stderr: expect.stringContaining("already running") });
    expect(JSON.parse(start.stdout)).toMatchObject({ url: daemon.url, pid: daemon.pid });
    expect(stop.code).toBe(0);
    expect(await daemon.exited).toMatchObject({ code: 0 });
  });

  test("starts anew after kill -9", async () => {
    await using background = backgroundHome();
    const { mkt } = background;
    const first = JSON.parse((await mkt(["daemon", "start"])).stdout) as { pid: number };
    process.kill(first.pid, "SIGKILL");

    const again = await mkt(["daemon", "start"]);
    const whoami = await mkt(["whoami"]);

    expect([again.code, whoami.code]).toEqual([0, 0]);
    expect(JSON.parse(again.stdout)).not.toMatchObject({ pid: first.pid });
  });
});

describe.concurrent("a command that needs a daemon", () => {
  test("starts the local one and says so on stderr", async () => {
    await using background = backgroundHome();
    const { mkt } = background;

    const environment = { ...BUNDLED_CATALOG, MKT_NO_AUTOSTART: "" };
    const discover = await mkt(["discover", "sunrise", "--json"], environment);
    const status = await mkt(["daemon", "status", "--json"]);

    expect(discover).toMatchObject({ code: 0, stderr: expect.stringContaining("Started the local daemon at http://") });
    expect(discover.stderr).toContain("mkt daemon stop");
    expect(JSON.parse(discover.stdout).count).toBeGreaterThan(0);
    expect(status.code).toBe(0);
  });

  test("uses the one that runs, and says nothing of it", async () => {
    await using daemon = await spawnDaemon({ bundled: true });

    const discover = await spawnMkt(["discover", "sunrise"], {
      home: daemon.home,
      environment: { MKT_NO_AUTOSTART: "" },
    });

    expect(discover.code).toBe(0);
    expect(discover.stderr).not.toMatch(/daemon|start/i);
  });

  test("starts none when it only looks", async () => {
    await using background = backgroundHome();
    const { home, mkt } = background;

    const whoami = await mkt(["whoami"], { MKT_NO_AUTOSTART: "" });

    expect(whoami.code).toBe(9);
    expect(existsSync(join(home.dataDir, "daemon.log"))).toBe(false);
  });

  test("starts none with MKT_NO_AUTOSTART=1, and names the command that does", async () => {
    await using background = backgroundHome();
    const { mkt } = background;

    const discover = await mkt(["discover", "sunrise"], { MKT_NO_AUTOSTART: "1" });
    const status = await mkt(["daemon", "status"]);

    expect(discover).toMatchObject({ code: 9, stdout: "", stderr: expect.stringContaining("mkt daemon start") });
    expect(status.code).toBe(9);
  });

  test("starts none for another address", async () => {
    await using background = backgroundHome();
    const { mkt } = background;

    const discover = await mkt(["discover", "sunrise", "--api-url", "http://127.0.0.1:1"], { MKT_NO_AUTOSTART: "" });

    expect(discover).toMatchObject({ code: 9, stdout: "", stderr: expect.stringContaining("http://127.0.0.1:1") });
    expect((await mkt(["daemon", "status"])).code).toBe(9);
  });

  test("says so, as one JSON object at the end of stderr with --json", async () => {
    using home = mktHome();

    const whoami = await spawnMkt(["whoami", "--json"], { home });

    expect(whoami).toMatchObject({ code: 9, stdout: "" });
    expect(JSON.parse(whoami.stderr.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      code: 0,
      message: expect.stringContaining(home.dataDir),
      next: "mkt daemon start",
    });
  });

  test("does not take a program that reuses the daemon's pid for it", async () => {
    using home = mktHome();
    await using daemon = await spawnDaemon({ home });
    await daemon.kill("SIGKILL");
    const file = await fileOf(home);
    const left = { url: daemon.url, registryUrl: daemon.registryUrl, version: "0.1.0", dataDir: home.dataDir };
    const stranger = { ...left, pid: process.pid, key: daemon.key, startedAt: new Date().toISOString() };
    writeFileSync(file, JSON.stringify(stranger), { mode: 0o600 });

    const status = await spawnMkt(["daemon", "status"], { home });
    const stop = await spawnMkt(["daemon", "stop"], { home });

    expect(status.code).toBe(9);
    expect(stop).toMatchObject({ code: 9, stderr: expect.stringContaining(String(process.pid)) });
  });
});
