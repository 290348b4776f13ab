import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXAMPLE_RUN } from "../../console/words/example-commands.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/* Every command that an empty place of the console proposes is one that works as it stands. */

const sources = new URL("../../console", import.meta.url).pathname;
/** A whole command in quotes, and what comes behind the example run. */
const COMMAND = /(["'])(mkt [a-z](?:(?!\1)[^\n`,])*)\1/g;
const EXTENDED = /\$\{EXAMPLE_RUN\}([^`]*)`/g;

const shown = [...new Set(readdirSync(sources, { recursive: true, encoding: "utf8" }).flatMap(commandsIn))].toSorted();

function commandsIn(name: string): string[] {
  if (!/\.tsx?$/.test(name)) return [];
  const text = readFileSync(join(sources, name), "utf8");
  return [
    ...Array.from(text.matchAll(COMMAND), ([, , command = ""]) => command),
    ...Array.from(text.matchAll(EXTENDED), ([, more = ""]) => `${EXAMPLE_RUN}${more}`),
  ];
}

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
});
afterAll(async () => await daemon[Symbol.asyncDispose]());

test("the sources are read: the example run is among the commands", () => {
  expect(shown).toContain(EXAMPLE_RUN);
  expect(shown.length).toBeGreaterThan(8);
});

test.each(shown)("%s", async (line) => {
  const words = execFileSync("sh", ["-c", `mkt() { printf '%s\\0' "$@"; }\n${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

  const { exitCode, stderr } = await runMkt(words, { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

  expect(exitCode, stderr).toBe(0);
});
