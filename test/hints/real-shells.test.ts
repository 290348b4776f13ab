import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processIo } from "../../cli/core/cli-io.ts";
import { Invocation } from "../../cli/invocation.ts";
import { createProgram } from "../../cli/program.ts";
import type { HintTarget } from "../../shared/contract/hints.ts";
import { readHintStep } from "../../shared/hints/hint-step.ts";
import { renderShell } from "../../shared/hints/shell.ts";
import { TextSink } from "../support/run-cli.ts";
import type { Shell } from "../../shared/hints/shell-words.ts";

/**
 * docs/command-line.md, "Next steps": every command that a hint becomes goes through a real shell, and then through our own
 * parser.
 */

const shells: readonly { readonly program: string; readonly words: readonly string[]; readonly grammar: Shell }[] = [
  { program: "sh", words: ["-c"], grammar: "posix" },
  { program: "bash", words: ["--norc", "-c"], grammar: "posix" },
  { program: "dash", words: ["-c"], grammar: "posix" },
  { program: "zsh", words: ["-f", "-c"], grammar: "zsh" },
  { program: "fish", words: ["--no-config", "-c"], grammar: "fish" },
];

const awkward = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
      fc.constantFrom(
        "'",
        '"',
        "\\",
        "$(id)",
        "`id`",
        "!!",
        "# ",
        " && ",
        "*",
        "~",
        "-",
        "--json",
        "=x",
        "%PATH%",
        "\n",
        "😀",
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const optional = fc.option(awkward, { nil: undefined });
const targets: fc.Arbitrary<HintTarget> = fc
  .tuple(fc.constantFrom("discover", "inspect", "run", "getRun", "stop", "releaseResource"), awkward, awkward, optional)
  .map(([kind, one, other, comment]) => ({
    kind: kind as HintTarget["kind"],
    query: one,
    // A provider is a slug: only its endpoints' paths are anybody's.
    provider: "atlas",
    endpoint: `/${other}`,
    runId: one,
    resourceId: one,
    ...(comment !== undefined && { comment }),
  }));

/** What the command of a step must be understood as. */
function expected(target: HintTarget): { command: string; word: string } | undefined {
  const step = readHintStep(target);
  switch (step?.kind) {
    case "discover":
      return { command: "discover", word: step.query };
    case "inspect":
    case "run":
      return { command: step.kind, word: `${step.provider}${step.endpoint}` };
    case "getRun":
      return { command: "get-run", word: step.runId };
    case "stop":
      return { command: "stop", word: step.runId };
    case "releaseResource":
      return { command: "resources release", word: step.resourceId };
    default:
      return undefined;
  }
}

/** The lines as the shell hands them to `mkt`: the words of each call. */
function typeInto({ program, words, grammar }: (typeof shells)[number], lines: readonly string[]): string[][] {
  const define =
    grammar === "fish"
      ? "function mkt; printf '%s\\0' $argv; printf '\\0'; end"
      : `mkt() { printf '%s\\0' "$@"; printf '\\0'; }`;
  const { stdout, stderr, status } = spawnSync(program, [...words, `${define}\n${lines.join("\n")}\n`], {
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout
    .split("\0\0")
    .slice(0, -1)
    .map((call) => call.split("\0"));
}

interface Understood {
  readonly command: string;
  readonly words: readonly string[];
}

/** Our own parser, which says how it understands words in place of doing it. */
async function openParser(): Promise<(words: readonly string[]) => Promise<Understood>> {
  // Every line begins an invocation anew on the same streams.
  const [stdout, stderr] = [new TextSink().setMaxListeners(0), new TextSink().setMaxListeners(0)];
  const program = await createProgram(new Invocation({ ...processIo("0.1.0"), stdout, stderr }, []));
  let understood: Understood | undefined;
  const record = (command: Command, path: readonly string[]) => {
    const names = [...path, command.name()];
    command.action(() => void (understood = { command: names.slice(1).join(" "), words: command.args }));
    for (const child of command.commands) record(child, names);
  };
  record(program, []);
  return async (words) => {
    understood = undefined;
    await program.parseAsync([...words], { from: "user" });
    if (understood === undefined) throw new Error(`no command took ${JSON.stringify(words)}`);
    return understood;
  };
}

const missing = shells
  .filter(({ program }) => spawnSync(program, ["-c", ":"]).status !== 0)
  .map(({ program }) => program);
if (missing.length > 0) process.stderr.write(`hints not typed into ${missing.join(", ")}: not installed\n`);

describe.each(shells)("commands of hints typed into $program", (shell) => {
  test.skipIf(missing.includes(shell.program))(
    "are understood as they were meant, and their comments do nothing",
    async () => {
      const sampled = fc.sample(targets, { numRuns: 300, seed: 7 });
      const meant = sampled.flatMap((target) => {
        const line = renderShell(target, { shell: shell.grammar });
        const step = expected(target);
        return line === undefined || step === undefined ? [] : [{ line, step }];
      });

      const calls = typeInto(
        shell,
        meant.map(({ line }) => line),
      );

      const parse = await openParser();
      expect(meant.length).toBeGreaterThan(250);
      expect(calls).toHaveLength(meant.length);
      for (const [at, { line, step }] of meant.entries()) {
        const understood = await parse(calls[at] ?? []);
        expect(understood, line).toEqual({ command: step.command, words: [step.word] });
      }
    },
  );
});
