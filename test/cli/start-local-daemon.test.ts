import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { unusableDataFolder } from "../../cli/local-daemon/start-local-daemon.ts";
import { lastLine, runMkt, type CliSurroundings } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const portTaken = "mkt daemon: Port 7717 on 127.0.0.1 is taken. Name another\n";

function surroundings(dataDir: string, configDir: string, lastWords = portTaken, exitCode = 78): CliSurroundings {
  // Stands in for `mkt daemon run` that cannot start.
  const program = `process.stderr.write(${JSON.stringify(lastWords)}); process.exit(${exitCode})`;
  return {
    selfCommand: [process.execPath, "-e", program],
    env: { MKT_DATA_DIR: dataDir, MKT_CONFIG_DIR: configDir, MKT_NO_AUTOSTART: "0" },
  };
}

describe("a daemon that finds its port taken", () => {
  test.each([
    ["alone", [], "mkt daemon start --port 0 --registry-port 0"],
    [
      "with its other flags",
      ["--port", "7717", "--catalog", "my files", "--registry-port=7718", "--allow-remote"],
      "mkt daemon start --catalog 'my files' --allow-remote --port 0 --registry-port 0",
    ],
  ])("is to be started on free ones, %s", async (_what, flags, next) => {
    using folder = tempDir();
    const here = surroundings(join(folder.path, "data"), join(folder.path, "config"));

    const { exitCode, stderr } = await runMkt(["daemon", "start", ...flags], here);

    expect(exitCode).toBe(78);
    expect(stderr).toContain("is taken");
    expect(lastLine(stderr)).toBe(`  next: ${next}`);
  });

  test("is told so by a command that starts it too", async () => {
    using folder = tempDir();
    const here = surroundings(join(folder.path, "data"), join(folder.path, "config"));

    const { exitCode, stderr } = await runMkt(["discover", "anything"], here);

    expect(exitCode).toBe(78);
    expect(lastLine(stderr)).toBe("  next: mkt daemon start --port 0 --registry-port 0");
  });
});

describe("a daemon that refuses to start", () => {
  test.each([
    [
      "a data folder open to others",
      "mkt daemon: The data folder /d is open to other users of this machine. Close it with: chmod 700 '/d'\n",
      78,
      "mkt daemon: The data folder /d is open to other users of this machine. Close it with: chmod 700 '/d'",
      "chmod 700 '/d'",
    ],
    [
      "a flag that it does not know",
      "error: unknown option '--prot'. Did you mean --port?\n  next: mkt daemon run --help\n",
      2,
      "unknown option '--prot'. Did you mean --port?",
      "mkt daemon run --help",
    ],
  ])("for %s names what mends it", async (_what, lastWords, code, told, next) => {
    using folder = tempDir();
    const here = surroundings(join(folder.path, "data"), join(folder.path, "config"), lastWords, code);

    const { exitCode, stderr } = await runMkt(["daemon", "start"], here);

    expect(exitCode).toBe(code);
    expect(stderr).toBe(`error: The daemon did not start.\n${told}\n  next: ${next}\n`);
  });
});

describe("a data folder that cannot be used is refused as the daemon refuses it", () => {
  test.each([
    ["below a file", "file/data", "part of the path is a file, not a folder"],
    ["that is a file", "file", "part of the path is a file, not a folder"],
    ["where none can be made", "/proc/nope/data", "it cannot be created there"],
  ])("%s, also where a command starts the daemon", async (_what, name, why) => {
    using folder = tempDir();
    writeFileSync(join(folder.path, "file"), "");
    const dataDir = resolve(folder.path, name);
    const here = surroundings(dataDir, join(folder.path, "config"));

    const start = await runMkt(["daemon", "start"], here);
    const discover = await runMkt(["discover", "anything"], here);

    for (const { exitCode, stderr } of [start, discover]) {
      expect(exitCode).toBe(78);
      expect(stderr).toBe(
        `error: The data folder ${dataDir} cannot be used: ${why}.\n  next: mkt daemon start --data-dir <folder>\n`,
      );
    }
  });

  test("of another user, with where to look", () => {
    const refused = unusableDataFolder("/srv/mkt", Object.assign(new Error("EACCES"), { code: "EACCES" }));

    expect(refused).toMatchObject({
      exitCode: 78,
      message: "The data folder /srv/mkt cannot be used: you may not read or write it.",
      next: "ls -ld /srv/mkt",
    });
  });
});
