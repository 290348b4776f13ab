import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { ctrlC, lastLine, runMkt, TextSink } from "../support/run-cli.ts";

/** A home in which a daemon that has ended left this log. */
function homeWithLog(text: string): MktHome & { readonly log: string } {
  const home = mktHome();
  const log = join(home.dataDir, "daemon.log");
  mkdirSync(home.dataDir);
  writeFileSync(log, text);
  return Object.assign(home, { log });
}

describe("daemon logs", () => {
  test("prints the last lines, without escape sequences", async () => {
    using home = homeWithLog("one\ntwo\u001b[2J\nthree\n");

    const { stdout } = await runMkt(["daemon", "logs", "-n", "2"], { env: home.environment });

    expect(stdout).toBe("two\nthree\n");
  });

  test("says so where there is none", async () => {
    using home = mktHome();

    const { exitCode, stderr } = await runMkt(["daemon", "logs"], { env: home.environment });

    expect(exitCode).toBe(8);
    expect(lastLine(stderr)).toBe("  next: mkt daemon start");
  });

  test("follows until Ctrl-C", async () => {
    using home = homeWithLog("one\n");
    const keyboard = ctrlC();
    const stdout = new TextSink();

    const outcome = runMkt(["daemon", "logs", "-f"], {
      env: home.environment,
      stdout,
      onInterrupt: keyboard.onInterrupt,
    });
    await expect.poll(() => stdout.text).toBe("one\n");
    appendFileSync(home.log, "two\n");
    await expect.poll(() => stdout.text, { timeout: 10_000 }).toBe("one\ntwo\n");
    keyboard.press();

    expect((await outcome).exitCode).toBe(130);
  });
});
