import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { localDaemonFilePath, readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** What others than the owner may touch. */
function openToOthers(...folders: readonly string[]): string {
  return execFileSync("find", [...folders, "-perm", "/077"], { encoding: "utf8" });
}

async function keyOnFile({ configDir, dataDir }: MktHome): Promise<string> {
  return (await readLocalDaemonFile(configDir, dataDir))?.key ?? "";
}

describe.concurrent("the owner's key", () => {
  test("is made at the first start, in files that only the owner may touch, whatever the umask", async () => {
    using home = mktHome();
    await using daemon = await spawnDaemon({ home, shellLine: "umask 000", bundled: true });
    await daemon.request("PATCH", "/v1/admin/settings", { discoverFloor: 0.1 });
    await daemon.request("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/sun",
      input: { latitude: 1, longitude: 1 },
    });

    const whoami = await daemon.request("GET", "/v1/auth/whoami");

    expect(whoami.body).toMatchObject({ credential: { operator: true }, workspace: { name: "Default" } });
    const file = localDaemonFilePath(home.configDir, home.dataDir);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(openToOthers(home.dataDir, home.configDir)).toBe("");
  });

  test("is also safe when the daemon was started in the background", async () => {
    using home = mktHome();

    const start = await spawnMkt(["daemon", "start", "--port", "0", "--registry-port", "0"], {
      home,
      shellLine: "umask 000",
    });
    const stop = await spawnMkt(["daemon", "stop"], { home });

    expect([start.code, stop.code]).toEqual([0, 0]);
    expect(openToOthers(home.dataDir, home.configDir)).toBe("");
  });

  test("stays the same at the second start", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    await first.kill();

    await using second = await spawnDaemon({ home });

    expect(second.key).toBe(first.key);
    expect((await second.request("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("lost with the configuration folder is warned of, and made anew on the stopped daemon's folder", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    await first.kill();
    rmSync(home.configDir, { recursive: true });
    await using without = await spawnDaemon({ home });
    const whoami = await spawnMkt(["whoami"], { home });
    await without.kill();

    const reset = await spawnMkt(["daemon", "reset-owner-key"], { home });
    await using after = await spawnDaemon({ home });

    expect(without.key).toBe("");
    expect(without.stderr()).toContain("mkt daemon reset-owner-key");
    expect(whoami).toMatchObject({ code: 4, stderr: expect.stringContaining("mkt daemon reset-owner-key") });
    expect(reset).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("mkt daemon start") });
    expect(reset.stderr).not.toContain(after.key);
    expect(after.key).not.toBe(first.key);
    expect((await after.request("GET", "/v1/auth/whoami")).body).toMatchObject({ credential: { operator: true } });
    expect((await request(`${after.url}/v1/auth/whoami`, "GET", { key: first.key })).status).toBe(401);
  });

  test("is not made anew while the daemon runs", async () => {
    await using daemon = await spawnDaemon();

    const reset = await spawnMkt(["daemon", "reset-owner-key"], { home: daemon.home });

    expect(reset).toMatchObject({ code: 75, stdout: "", stderr: expect.stringContaining(String(daemon.pid)) });
    expect(await keyOnFile(daemon.home)).toBe(daemon.key);
    expect((await daemon.request("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("can be made anew over a key file that cannot be read", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    await first.kill();
    const file = localDaemonFilePath(home.configDir, home.dataDir);
    writeFileSync(file, "{");

    const reset = await spawnMkt(["daemon", "reset-owner-key"], { home });
    await using second = await spawnDaemon({ home });

    expect(reset.code).toBe(0);
    expect((await second.request("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("is left as it is when the new one could not be kept", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    await first.kill();
    const file = join(home.path, "file");
    writeFileSync(file, "");

    const reset = await spawnMkt(["daemon", "reset-owner-key"], { home, environment: { MKT_CONFIG_DIR: file } });
    await using second = await spawnDaemon({ home });

    expect(reset).toMatchObject({ code: 78, stdout: "", stderr: expect.stringContaining("MKT_CONFIG_DIR") });
    expect((await second.request("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test("of a folder that no daemon ever had is not made, and neither is the folder", async () => {
    using home = mktHome();

    const reset = await spawnMkt(["daemon", "reset-owner-key"], { home });

    expect(reset).toMatchObject({ code: 78, stdout: "", stderr: expect.stringContaining(home.dataDir) });
    expect(reset.stderr).toContain("mkt daemon start");
    expect(existsSync(home.dataDir)).toBe(false);
  });

  test("is not made in the folder of a daemon whose keys are in a database", async () => {
    using home = mktHome();
    mkdirSync(home.dataDir);

    const reset = await spawnMkt(["daemon", "reset-owner-key"], { home });
    const named = await spawnMkt(["daemon", "reset-owner-key"], {
      home,
      environment: { MKT_DATABASE_URL: "postgres://127.0.0.1:1/mkt" },
    });

    expect(reset.code).toBe(78);
    expect(named).toMatchObject({ code: 75, stderr: expect.stringMatching(/database/) });
    expect(readdirSync(home.dataDir)).toEqual([]);
  });

  test("opens the folder from a path that leads to it by a link, as the same daemon", async () => {
    using home = mktHome();
    await using first = await spawnDaemon({ home });
    const link = join(home.path, "link");
    execFileSync("ln", ["-s", home.dataDir, link]);

    const whoami = await spawnMkt(["whoami", "--data-dir", link], { home });
    const second = await spawnMkt(["daemon", "--port", "0", "--registry-port", "0", "--data-dir", link], { home });

    expect(whoami.code).toBe(0);
    expect(second).toMatchObject({ code: 75, stderr: expect.stringContaining(String(first.pid)) });
  });
});

describe.concurrent("a key of one's own", () => {
  test("is printed once by `mkt keys create --json`, with its label, and works", async () => {
    await using daemon = await spawnDaemon();

    const created = await spawnMkt(["keys", "create", "--label", "X", "--json"], { home: daemon.home });
    const list = await spawnMkt(["keys", "list", "--json"], { home: daemon.home });

    const { label, key } = JSON.parse(created.stdout) as { label: string; key: string };
    expect(created.code).toBe(0);
    expect(label).toBe("X");
    expect(key).toMatch(/^mkt_live_\w+$/);
    expect((await request(`${daemon.url}/v1/auth/whoami`, "GET", { key })).status).toBe(200);
    expect(list.stdout).toContain('"X"');
    expect(list.stdout + daemon.stderr()).not.toContain(key);
  });

  test("that was revoked is refused once the answer is out, also after kill -9 and a restart", async () => {
    using home = mktHome();
    await using daemon = await spawnDaemon({ home });
    const { key } = (await daemon.request("POST", "/v1/api-keys", { label: "thief" })).body as { key: string };
    const before = await request(`${daemon.url}/v1/auth/whoami`, "GET", { key });

    const revoked = await daemon.request("DELETE", "/v1/api-keys/thief");
    const after = await request(`${daemon.url}/v1/auth/whoami`, "GET", { key });
    await daemon.kill("SIGKILL");
    await using again = await spawnDaemon({ home });
    const later = await request(`${again.url}/v1/auth/whoami`, "GET", { key });

    expect(revoked.status).toBeLessThan(300);
    expect([before.status, after.status, later.status]).toEqual([200, 401, 401]);
    expect(after.body).toEqual({ code: 401, message: expect.any(String) });
  });

  test("is nowhere in the data folder in readable form", async () => {
    await using daemon = await spawnDaemon();
    const { key } = (await daemon.request("POST", "/v1/api-keys", { label: "mine" })).body as { key: string };

    const found = execFileSync("sh", [
      "-c",
      'grep -raFe "$0" -e "$1" "$2" || true',
      key,
      daemon.key,
      daemon.home.dataDir,
    ]);

    expect(found.toString()).toBe("");
    expect(readdirSync(join(daemon.home.configDir, "local"))).toHaveLength(1);
  });
});
