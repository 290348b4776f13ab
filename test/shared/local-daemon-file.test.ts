import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  localDaemonFilePath,
  markLocalDaemonStopped,
  readLocalDaemonFile,
  writeLocalDaemonFile,
  type LocalDaemonFile,
} from "../../shared/local-daemon-file.ts";
import { findPlaces } from "../../shared/places.ts";
import { tempDir } from "../support/temp-dir.ts";

function fileOf(dataDir: string): LocalDaemonFile {
  return {
    url: "http://127.0.0.1:7717",
    registryUrl: "http://127.0.0.1:7718",
    pid: 4711,
    process: { start: "12345", boot: "b1" },
    version: "0.1.0",
    dataDir,
    key: "mkt_live_secret",
    startedAt: "2026-01-01T00:00:00.000Z",
  };
}

describe("the file of a local daemon", () => {
  test("is named by the real path of the data folder", async () => {
    using folder = tempDir();
    const data = join(folder.path, "data");
    mkdirSync(data);
    symlinkSync(data, join(folder.path, "link"));

    const path = localDaemonFilePath("/config", join(folder.path, "link"));

    const hash = createHash("sha256").update(data).digest("hex").slice(0, 16);
    expect(path).toBe(`/config/local/${hash}.json`);
  });

  test("has the same name before and after the data folder is made", async () => {
    using folder = tempDir();
    const data = join(folder.path, "not", "yet");

    const before = localDaemonFilePath("/config", data);
    mkdirSync(data, { recursive: true });

    expect(localDaemonFilePath("/config", data)).toBe(before);
  });

  test("is readable by its owner alone, and so is its folder", async () => {
    using folder = tempDir();

    const path = await writeLocalDaemonFile(folder.path, fileOf("/data"));

    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test("is replaced whole, without leftovers", async () => {
    using folder = tempDir();
    const path = await writeLocalDaemonFile(folder.path, fileOf("/data"));

    await writeLocalDaemonFile(folder.path, { ...fileOf("/data"), pid: 4712 });

    expect(await readLocalDaemonFile(folder.path, "/data")).toMatchObject({ pid: 4712 });
    expect(await readdir(dirname(path))).toHaveLength(1);
  });

  test("keeps the key when the daemon stops", async () => {
    using folder = tempDir();
    await writeLocalDaemonFile(folder.path, fileOf("/data"));

    await markLocalDaemonStopped(folder.path, "/data", { pid: 4711, at: "2026-01-02T00:00:00.000Z" });

    const file = await readLocalDaemonFile(folder.path, "/data");
    expect(file).toEqual({ ...fileOf("/data"), stoppedAt: "2026-01-02T00:00:00.000Z" });
  });

  test("is left alone by a daemon whose successor already runs", async () => {
    using folder = tempDir();
    await writeLocalDaemonFile(folder.path, fileOf("/data"));

    await markLocalDaemonStopped(folder.path, "/data", { pid: 1, at: "2026-01-02T00:00:00.000Z" });

    expect(await readLocalDaemonFile(folder.path, "/data")).toEqual(fileOf("/data"));
  });

  test("may be without a key", async () => {
    using folder = tempDir();
    const { key: _key, ...file } = fileOf("/data");

    await writeLocalDaemonFile(folder.path, file);

    expect(await readLocalDaemonFile(folder.path, "/data")).toEqual(file);
  });

  test.each([
    ["is not JSON", "{"],
    ["lacks a member", '{"url": "http://x"}'],
    ["has a pid that is none", JSON.stringify({ ...fileOf("/data"), pid: -1 })],
    ["has a process that is none", JSON.stringify({ ...fileOf("/data"), process: { start: 5 } })],
    ["has a key that is none", JSON.stringify({ ...fileOf("/data"), key: 5 })],
  ])("that %s is an error that names it", async (_what, text) => {
    using folder = tempDir();
    const path = await writeLocalDaemonFile(folder.path, fileOf("/data"));
    writeFileSync(path, text);

    await expect(readLocalDaemonFile(folder.path, "/data")).rejects.toThrow(path);
  });

  test("may be missing", async () => {
    using folder = tempDir();

    expect(await readLocalDaemonFile(folder.path, "/data")).toBeUndefined();
  });
});

describe("places", () => {
  test("come from the environment when it names them", () => {
    expect(findPlaces({ MKT_DATA_DIR: "/d", MKT_CONFIG_DIR: "/c" })).toEqual({ dataDir: "/d", configDir: "/c" });
  });

  test("are the platform's own when a variable is empty", () => {
    const { dataDir, configDir } = findPlaces({ MKT_DATA_DIR: "" });

    expect(dataDir).toMatch(/mkt/);
    expect(configDir).toMatch(/mkt/);
    expect(dataDir).not.toBe(configDir);
  });
});
