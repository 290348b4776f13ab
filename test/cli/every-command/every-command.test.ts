import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processIo } from "../../../cli/core/cli-io.ts";
import { Invocation } from "../../../cli/invocation.ts";
import { createProgram } from "../../../cli/program.ts";
import { mountDaemonCommands } from "../../../bin/daemon-commands.ts";
import type { MktHome } from "../../support/mkt-home.ts";
import { type CliOutcome, jsonLines, lastLine, runMkt } from "../../support/run-cli.ts";
import { openScene, type Scene } from "./scene.ts";
import { elsewhere, type Row, type Situation, situations, table } from "./table.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("the table of every command", () => {
  test("names each command that there is, and no other", async () => {
    const named = [...table.map((row) => row.command), ...Object.keys(elsewhere)];

    expect(named.toSorted()).toEqual(leafCommands(await wholeProgram()).toSorted());
  });
});

describe.each(table)("mkt $command", (row) => {
  const cells = situations.flatMap((situation) => {
    const cell = cellOf(row, situation);
    return cell === undefined ? [] : [{ situation, words: cell[0], exitCode: cell[1] }];
  });

  test.each(cells)("$situation: $words ends with $exitCode, in a pipe", async ({ situation, words, exitCode }) => {
    const outcome = await run(situation, words);

    expect(outcome.exitCode, said(outcome)).toBe(exitCode);
    expect(outcome.stdout + outcome.stderr).not.toMatch(control);
    if (isError(situation, exitCode)) expectError(outcome);
    else expectData(row, outcome);
  });

  test.each(cells)("$situation: with --json one value or one error", async ({ situation, words, exitCode }) => {
    const outcome = await run(situation, `${words} --json`);

    expect(outcome.exitCode, said(outcome)).toBe(exitCode);
    if (isError(situation, exitCode))
      expect(JSON.parse(lastLine(outcome.stderr))).toMatchObject({ message: expect.any(String) });
    else if (row.prints === "json" || row.prints === "jsonl") JSON.parse(outcome.stdout);
  });

  test.each(cells)("$situation: on a terminal", async ({ situation, words, exitCode }) => {
    const outcome = await run(situation, words, { tty: true });

    expect(outcome.exitCode, said(outcome)).toBe(exitCode);
    if (isError(situation, exitCode)) expectError(outcome);
    // The line that tells how a run ended is no data; one that gave none has it alone.
    else if (exitCode !== 0) expect(outcome.stderr).toMatch(/(?:^|\n)\S+.* \u00b7 run \S+\n$|\n {2}next: \S/);
    else if (row.prints !== "nothing") expect(outcome.stdout.trim()).not.toBe("");
  });
});

function cellOf(row: Row, situation: Situation): readonly [string, number] | undefined {
  const own = row.cells[situation];
  const ok = row.cells.ok;
  if (own !== undefined || ok === undefined || row.local === true) return own;
  if (situation === "no daemon") return [ok[0], 9];
  if (situation === "wrong key") return [ok[0], 4];
  return undefined;
}

async function run(situation: Situation, line: string, { tty = false } = {}): Promise<CliOutcome> {
  const words = await scene.wordsOf(line);
  const wrongKey: Record<string, string> = situation === "wrong key" ? { MKT_API_KEY: "mkt_live_nobody" } : {};
  return await runMkt(words, {
    env: { ...placesOf(situation === "no daemon" ? scene.emptyHome : scene.home), ...wrongKey },
    stdin: "s3cret\n",
    tty,
    mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
  });
}

function placesOf({ dataDir, configDir }: MktHome): Record<string, string> {
  return { MKT_DATA_DIR: dataDir, MKT_CONFIG_DIR: configDir };
}

/** Whether there is nothing but an error to tell: a run that was answered is data, whatever came of it. */
function isError(situation: Situation, exitCode: number): boolean {
  return exitCode !== 0 && !["provider error", "BLOCKED", "timeout"].includes(situation);
}

/** What happened, why, and the next command to type; docs/command-line.md, "Errors". */
function expectError({ stdout, stderr }: CliOutcome): void {
  expect(stdout).toBe("");
  expect(stderr).toMatch(/error.*: \S/);
  expect(lastLine(stderr)).toMatch(/^ {2}next: \S/);
}

function expectData({ prints }: Row, { stdout }: CliOutcome): void {
  if (prints === "nothing") expect(stdout).toBe("");
  else if (prints === "json") expect(jsonLines(stdout)).toHaveLength(1);
  else if (prints === "jsonl") jsonLines(stdout);
  else expect(stdout).not.toBe("");
}

/** What a terminal would take for a command. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

function said({ stdout, stderr }: CliOutcome): string {
  return `stdout: ${stdout.slice(0, 500)}\nstderr: ${stderr.slice(0, 500)}`;
}

async function wholeProgram(): Promise<Command> {
  return createProgram(new Invocation(processIo("0.1.0"), []), (program, context) =>
    mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
  );
}

/** Commands that do something themselves: those without others below, and those that take words beside them. */
function leafCommands(command: Command, path: readonly string[] = []): string[] {
  const below = command.commands.filter((one) => one.name() !== "help");
  const own = below.length === 0 || (path.length > 0 && command.registeredArguments.length > 0) ? [path.join(" ")] : [];
  return [...own, ...below.flatMap((one) => leafCommands(one, [...path, one.name()]))];
}
