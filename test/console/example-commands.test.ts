import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EXAMPLE_RUN } from "../../console/words/example-commands.ts";
import { documentFolder, openApi } from "../import/descriptions.ts";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
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

/** What is on the daemon's own machine is done by the whole program, with a document in place of the example's. */
const LOCAL = /^mkt catalog (?:check|import)\b/;
const EXAMPLE_ADDRESS = "https://api.example.com/openapi.json";

test.each(shown.filter((line) => !LOCAL.test(line)))("%s", async (line) => {
  const { exitCode, stderr } = await runMkt(wordsOf(line), {
    env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key },
    stdin: "what a command reads from its input\n",
  });

  expect(exitCode, stderr).toBe(0);
});

test.each(shown.filter((line) => LOCAL.test(line)))("%s", async (line) => {
  using home = mktHome();
  using folder = documentFolder();
  const document = folder.write("openapi.json", openApi());
  mkdirSync(join(home.configDir, "catalog"), { recursive: true });

  const { code, stdout, stderr } = await spawnMkt(wordsOf(line.replace(EXAMPLE_ADDRESS, document)), { home });

  expect(code, stdout + stderr).toBe(0);
});

/** As a shell reads them, without the program's name. */
function wordsOf(line: string): string[] {
  const printed = execFileSync("sh", ["-c", `mkt() { printf '%s\\0' "$@"; }\n${line}`], { encoding: "utf8" });
  return printed.split("\0").slice(0, -1);
}
