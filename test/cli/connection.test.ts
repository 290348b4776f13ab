import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../cli/connection/read-settings.ts";
import { localDaemonFilePath, writeLocalDaemonFile, type LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { findProcessIdentity, type ProcessIdentity } from "../../shared/process-identity.ts";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startStandIn } from "./stand-in-service.ts";

async function localDaemon(home: string, members: Partial<LocalDaemonFile> = {}): Promise<Record<string, string>> {
  const env = { MKT_DATA_DIR: join(home, "data"), MKT_CONFIG_DIR: join(home, "config") };
  await writeLocalDaemonFile(env.MKT_CONFIG_DIR, {
    url: "http://127.0.0.1:7717",
    registryUrl: "http://127.0.0.1:7718",
    pid: process.pid,
    process: ownIdentity(),
    version: "0.1.0",
    dataDir: env.MKT_DATA_DIR,
    key: "mkt_live_local",
    startedAt: "2026-01-01T00:00:00.000Z",
    ...members,
  });
  return env;
}

function ownIdentity(): ProcessIdentity {
  return findProcessIdentity(process.pid) ?? { start: "untold", boot: "untold" };
}

function filePath(env: Record<string, string>): string {
  return localDaemonFilePath(env["MKT_CONFIG_DIR"] ?? "", env["MKT_DATA_DIR"] ?? "");
}

function pidOfEndedProcess(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("address, key and workspace", () => {
  test("are the local daemon's where nothing is set", async () => {
    using folder = tempDir();
    const env = await localDaemon(folder.path);

    const { baseUrl, key, workspace } = await readSettings({}, env);

    expect(baseUrl).toEqual({ value: "http://127.0.0.1:7717", from: "the local daemon" });
    expect(key).toEqual({ value: "mkt_live_local", from: "the local daemon" });
    expect(workspace).toBeUndefined();
  });

  test("come from the environment before the local daemon", async () => {
    using folder = tempDir();
    const env = await localDaemon(folder.path);

    const settings = await readSettings(
      {},
      { ...env, MKT_API_URL: "https://a.example", MKT_API_KEY: " k1\n", MKT_WORKSPACE: "w1" },
    );

    expect(settings.baseUrl).toEqual({ value: "https://a.example", from: "MKT_API_URL" });
    expect(settings.key).toEqual({ value: "k1", from: "MKT_API_KEY" });
    expect(settings.workspace).toEqual({ value: "w1", from: "MKT_WORKSPACE" });
  });

  test("come from flags before the environment", async () => {
    using folder = tempDir();
    const keyFile = join(folder.path, "key");
    writeFileSync(keyFile, "k2\n");
    const env = {
      ...(await localDaemon(folder.path)),
      MKT_API_URL: "https://a.example",
      MKT_API_KEY: "k1",
      MKT_WORKSPACE: "w1",
    };

    const settings = await readSettings({ apiUrl: "https://b.example", keyFile, workspace: "w2" }, env);

    expect(settings.baseUrl).toEqual({ value: "https://b.example", from: "--api-url" });
    expect(settings.key).toEqual({ value: "k2", from: "--key-file" });
    expect(settings.workspace).toEqual({ value: "w2", from: "--workspace" });
  });

  test("the data folder of the flag chooses the daemon", async () => {
    using one = tempDir();
    using other = tempDir();
    const env = await localDaemon(one.path);
    await localDaemon(other.path, { url: "http://127.0.0.1:9999" });

    const settings = await readSettings(
      { dataDir: join(other.path, "data") },
      { ...env, MKT_CONFIG_DIR: join(other.path, "config") },
    );

    expect(settings.baseUrl?.value).toBe("http://127.0.0.1:9999");
  });

  test("the local daemon's key goes to its own address, however that was given, and to no other", async () => {
    using folder = tempDir();
    const env = await localDaemon(folder.path);

    const same = await readSettings({ apiUrl: "http://127.0.0.1:7717/" }, env);
    const other = await readSettings({ apiUrl: "http://127.0.0.1:7719" }, env);

    expect(same.key?.value).toBe("mkt_live_local");
    expect(other.key).toBeUndefined();
  });

  test("a daemon that stopped or crashed has no address: its key must not go to whoever listens there now", async () => {
    using stopped = tempDir();
    using crashed = tempDir();

    const afterStop = await readSettings(
      {},
      await localDaemon(stopped.path, { stoppedAt: "2026-01-02T00:00:00.000Z" }),
    );
    const afterCrash = await readSettings({}, await localDaemon(crashed.path, { pid: pidOfEndedProcess() }));

    for (const settings of [afterStop, afterCrash]) {
      expect(settings.baseUrl).toBeUndefined();
      expect(settings.key).toBeUndefined();
    }
  });

  test.each<[string, Partial<LocalDaemonFile>]>([
    ["stopped", { stoppedAt: "2026-01-02T00:00:00.000Z" }],
    ["crashed", { pid: pidOfEndedProcess() }],
    ["crashed, and its pid is another's now", { process: { ...ownIdentity(), start: "1" } }],
    ["crashed before the machine was started again", { process: { ...ownIdentity(), boot: "another" } }],
  ])("the key of a daemon that %s goes to nobody at its old address", async (_what, members) => {
    using folder = tempDir();
    await using stranger = await startStandIn({
      "GET /health": { body: { status: "ok", version: "0.1.0", uptimeMs: 1, storage: "ok" } },
      "GET /v1/auth/whoami": { status: 401, body: { code: 401, message: "Who are you?" } },
    });
    const env = await localDaemon(folder.path, { url: stranger.url, ...members });

    const byDefault = await runMkt(["whoami"], { env });
    const byAddress = await runMkt(["whoami"], { env: { ...env, MKT_API_URL: stranger.url } });

    expect(byDefault.exitCode).toBe(9);
    expect(stranger.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(byAddress.exitCode).toBe(4);
    expect(byAddress.stderr).toContain("its key is not sent to another program that may listen there");
    expect(byAddress.stderr).toMatch(/next: mkt daemon start/);
  });

  test("the key of a file that does not tell its process goes to nobody", async () => {
    using folder = tempDir();
    const env = await localDaemon(folder.path);
    const { process: _process, ...file } = JSON.parse(readFileSync(filePath(env), "utf8")) as LocalDaemonFile;
    await writeLocalDaemonFile(env["MKT_CONFIG_DIR"] ?? "", file);

    const settings = await readSettings({ apiUrl: "http://127.0.0.1:7717" }, env);

    expect(settings.key).toBeUndefined();
    expect(settings.keyWithheld).toBe(true);
  });

  test.each([0o640, 0o604, 0o660])("a file with the key that others may use (%o) is refused", async (mode) => {
    using folder = tempDir();
    const env = await localDaemon(folder.path);
    const path = filePath(env);
    chmodSync(path, mode);

    const { exitCode, stderr } = await runMkt(["whoami"], { env });

    expect(exitCode).toBe(5);
    expect(stderr).toContain(`${path} contains the local daemon's key and is open to other users`);
    expect(stderr).toContain(`next: chmod 600 ${path}`);
  });

  test.each([
    [
      "an address that is none",
      { MKT_API_URL: "localhost:7717" },
      [],
      2,
      "MKT_API_URL must be an http or https address",
    ],
    ["a key with a space in it", { MKT_API_KEY: "a b" }, [], 5, "MKT_API_KEY must contain one API key"],
    ["a key file that is not there", {}, ["--key-file", "/nowhere/key"], 5, "The key file /nowhere/key cannot be read"],
  ])("%s is refused", async (_what, env: Record<string, string>, flags, code, message) => {
    const { exitCode, stderr } = await runMkt(["whoami", ...flags], { env });

    expect(exitCode).toBe(code);
    expect(stderr).toContain(message);
  });

  test("no daemon and no address: says which data folder, and how to start one", async () => {
    const { exitCode, stderr } = await runMkt(["whoami"]);

    expect(exitCode).toBe(9);
    expect(stderr).toMatch(/No daemon is running for the data folder .*data\.\n {2}next: mkt daemon start/);
  });

  test("a file of the local daemon that cannot be understood is named", async () => {
    using folder = tempDir();
    const env = await localDaemon(folder.path);
    const path = filePath(env);
    writeFileSync(path, "{");

    const { exitCode, stderr } = await runMkt(["whoami"], { env });

    expect(exitCode).toBe(1);
    expect(stderr).toContain(path);
  });
});
