import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { localDaemonFilePath, readLocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { ctrlC, jsonLines, lastLine, runMkt, TextSink, type CliSurroundings } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const selfCommand = [process.execPath, fileURLToPath(new URL("stand-in-daemon.mjs", import.meta.url))];

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself, as it should.
    }
  }
});

async function surroundings(home: string, env: Record<string, string> = {}): Promise<CliSurroundings> {
  const places = { MKT_DATA_DIR: join(home, "data"), MKT_CONFIG_DIR: join(home, "config") };
  const file = await localDaemonFilePath(places.MKT_CONFIG_DIR, places.MKT_DATA_DIR);
  mkdirSync(dirname(file), { recursive: true });
  return { selfCommand, env: { ...places, STAND_IN_FILE: file, MKT_NO_AUTOSTART: "0", ...env } };
}

async function remember(home: string): Promise<void> {
  const file = await readLocalDaemonFile(join(home, "config"), join(home, "data"));
  if (file) started.push(file.pid);
}

describe("a daemon in the background", () => {
  it("starts, is found, and stops", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);

    const start = await runMkt(["daemon", "start", "--port", "0"], here);
    await remember(folder.path);
    const status = await runMkt(["daemon", "status", "--json"], here);
    const stop = await runMkt(["daemon", "stop"], here);
    const after = await runMkt(["daemon", "status", "--json"], here);

    expect(start.exitCode).toBe(0);
    expect(status.exitCode).toBe(0);
    expect(JSON.parse(status.stdout)).toEqual(JSON.parse(start.stdout));
    expect(JSON.parse(status.stdout)).toEqual({
      running: true,
      url: expect.stringMatching(/^http:/),
      registryUrl: expect.stringMatching(/^http:/),
      pid: started[0],
      version: "9.9.9",
      dataDir: join(folder.path, "data"),
      startedAt: expect.any(String),
    });
    expect(stop).toMatchObject({ exitCode: 0, stderr: "The daemon has stopped.\n" });
    expect(after.exitCode).toBe(9);
    expect(JSON.parse(after.stdout)).toMatchObject({ running: false, url: null, pid: null });
  });

  it("gets the flags it was started with, and writes to a log that only its owner reads", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);

    await runMkt(["daemon", "start", "--port", "0", "--catalog", "x"], here);
    await remember(folder.path);
    const logs = await runMkt(["daemon", "logs"], here);

    const flags = ["daemon", "run", "--data-dir", join(folder.path, "data"), "--port", "0", "--catalog", "x"];
    expect(jsonLines(logs.stdout)).toEqual([{ event: "starting", flags }]);
    expect(statSync(join(folder.path, "data", "daemon.log")).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.path, "data")).mode & 0o777).toBe(0o700);
  });

  it("is not started twice", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);

    const first = await runMkt(["daemon", "start"], here);
    await remember(folder.path);
    const second = await runMkt(["daemon", "start"], here);

    expect(second.exitCode).toBe(0);
    expect(second.stderr).toContain("already runs");
    expect(second.stdout).toBe(first.stdout);
  });

  it("that cannot start says why, with its own exit code", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path, { STAND_IN_EXIT: "78" });

    const { exitCode, stderr } = await runMkt(["daemon", "start"], here);

    expect(exitCode).toBe(78);
    expect(stderr).toBe(
      "error: The daemon did not start.\nmkt daemon: The port 7717 is taken.\n  next: mkt daemon logs\n",
    );
  });

  it("stop where none runs says so and is no error", async () => {
    using folder = tempDir();

    const { exitCode, stderr } = await runMkt(["daemon", "stop"], await surroundings(folder.path));

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "No daemon runs.\n" });
  });

  it("stop never ends a process that does not answer as the daemon", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);
    const file = {
      url: "http://127.0.0.1:9",
      registryUrl: "http://127.0.0.1:9",
      pid: process.pid,
      version: "9.9.9",
      dataDir: join(folder.path, "data"),
      startedAt: "2026-01-01T00:00:00.000Z",
    };
    writeFileSync(here.env?.["STAND_IN_FILE"] ?? "", JSON.stringify(file));

    const { exitCode, stderr } = await runMkt(["daemon", "stop"], here);

    expect(exitCode).toBe(9);
    expect(stderr).toContain(`Process ${process.pid} may be it`);
  });
});

describe("daemon logs", () => {
  it("prints the last lines, without escape sequences", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);
    mkdirSync(join(folder.path, "data"));
    writeFileSync(join(folder.path, "data", "daemon.log"), "one\ntwo\u001b[2J\nthree\n");

    const { stdout } = await runMkt(["daemon", "logs", "-n", "2"], here);

    expect(stdout).toBe("two\nthree\n");
  });

  it("says so where there is none", async () => {
    using folder = tempDir();

    const { exitCode, stderr } = await runMkt(["daemon", "logs"], await surroundings(folder.path));

    expect(exitCode).toBe(8);
    expect(lastLine(stderr)).toBe("  next: mkt daemon start");
  });

  it("follows until Ctrl-C", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);
    const log = join(folder.path, "data", "daemon.log");
    mkdirSync(dirname(log));
    writeFileSync(log, "one\n");
    const keyboard = ctrlC();
    const stdout = new TextSink();

    const outcome = runMkt(["daemon", "logs", "-f"], { ...here, stdout, onInterrupt: keyboard.onInterrupt });
    await expect.poll(() => stdout.text).toBe("one\n");
    appendFileSync(log, "two\n");
    await expect.poll(() => stdout.text, { timeout: 10_000 }).toBe("one\ntwo\n");
    keyboard.press();

    expect((await outcome).exitCode).toBe(130);
  });
});

describe("autostart", () => {
  it("starts the daemon that discover needs, and says so on stderr", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);

    const { exitCode, stdout, stderr } = await runMkt(["discover", "anything", "--json"], here);
    await remember(folder.path);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ count: 0 });
    expect(stderr).toMatch(/^Started the local daemon at http:\S+ \(to stop it: mkt daemon stop\)\n$/);
  });

  it("uses the daemon that runs", async () => {
    using folder = tempDir();
    const here = await surroundings(folder.path);
    await runMkt(["daemon", "start"], here);
    await remember(folder.path);

    const { exitCode, stderr } = await runMkt(["discover", "anything"], here);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  it.each([
    ["when it is turned off", ["discover", "x"], { MKT_NO_AUTOSTART: "1" }],
    ["for an address that was given", ["discover", "x"], { MKT_API_URL: "http://127.0.0.1:9" }],
    ["for commands that only look", ["whoami"], {}],
  ])("does not start one %s", async (_what, words, env: Record<string, string>) => {
    using folder = tempDir();
    const here = await surroundings(folder.path, env);

    const { exitCode } = await runMkt(words, here);

    expect(exitCode).toBe(9);
    expect(() => readFileSync(join(folder.path, "data", "daemon.log"))).toThrow("ENOENT");
  });
});
