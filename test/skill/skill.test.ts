import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { processIo } from "../../cli/core/cli-io.ts";
import type { CliContext } from "../../cli/command/context.ts";
import { Invocation } from "../../cli/invocation.ts";
import { exitCodeMeanings } from "../../cli/core/exit-codes.ts";
import { createProgram } from "../../cli/program.ts";
import { tasks } from "../../cli/skill/tasks.ts";
import { runMkt } from "../support/run-cli.ts";
import { mktProgram, spawnDaemon, type SpawnedDaemon } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import { writeFileSync } from "node:fs";

const mount = (program: Parameters<typeof mountDaemonCommands>[0], context: CliContext) =>
  mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 });

async function printedSkill(): Promise<string> {
  const { exitCode, stdout } = await runMkt(["skill"], { mount });
  expect(exitCode).toBe(0);
  return stdout;
}

/** The commands that a text names in code: `mkt`, then words. */
function namedCommands(text: string): string[] {
  return [...text.matchAll(/\bmkt ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/g)].map(([, words]) => String(words));
}

describe("mkt skill", () => {
  test("has the front matter that hosts of skills read", async () => {
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(await printedSkill()) ?? [];

    expect(head).toMatch(/^name: mkt$/m);
    const description = /^description: (.*)$/m.exec(head)?.[1] ?? "";
    expect(description.length).toBeGreaterThan(100);
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(description).not.toMatch(/: |<|>/);
  });

  test("is short enough to be read whole", async () => {
    const text = await printedSkill();

    expect(text.split("\n").length).toBeLessThan(300);
    expect(text.length).toBeLessThan(20_000);
  });

  test("names every command that there is, and no other", async () => {
    const program = await createProgram(new Invocation(processIo("0.1.0"), []), mount);
    const text = await printedSkill();

    for (const words of namedCommands(text.replace(/^---[\s\S]*?---/, ""))) {
      const first = program.commands.find((command) =>
        [command.name(), ...command.aliases()].includes(words.split(" ")[0] ?? ""),
      );
      expect(first, `mkt ${words}`).toBeDefined();
    }
    for (const command of program.commands.filter((one) => one.name() !== "help")) {
      expect(text, command.name()).toMatch(new RegExp(`^- \`mkt ${command.name()}[ \`]`, "m"));
    }
  });

  test("says what every exit code means", async () => {
    const text = await printedSkill();

    for (const { code, meaning } of exitCodeMeanings) expect(text).toContain(`- ${code}: ${meaning}`);
  });

  test("is written where skills are kept, if asked", async () => {
    using folder = tempDir();

    const dry = await runMkt(["skill", "--install", folder.path, "--dry-run"], { mount });
    const { exitCode, stdout, stderr } = await runMkt(["skill", "--install", folder.path], { mount });

    const path = join(folder.path, "mkt", "SKILL.md");
    expect(dry.stderr).toMatch(/^Would write \d+ bytes to /);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(stderr).toContain(path);
    expect(readFileSync(path, "utf8")).toBe(await printedSkill());
  });
});

describe("the lines of the skill, typed one after the other into a shell", () => {
  let daemon: SpawnedDaemon;
  let bin: string;

  beforeAll(async () => {
    daemon = await spawnDaemon({ bundled: true });
    bin = join(daemon.home.path, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "mkt"), `#!/bin/sh\nexec "${process.execPath}" "${mktProgram}" "$@"\n`, { mode: 0o755 });
  });
  afterAll(async () => {
    await daemon.kill();
    await daemon[Symbol.asyncDispose]();
  });

  async function type(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const env = { ...daemon.home.environment, PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"]}` };
    const child = spawn("sh", ["-euc", script], { env, cwd: daemon.home.path, stdio: ["ignore", "pipe", "pipe"] });
    const read = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (read.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (read.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...read };
  }

  test.each(tasks)("$title", async ({ lines }) => {
    const { code, stdout, stderr } = await type(lines.join("\n"));

    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout.trim()).not.toBe("");
    expect(stdout).not.toMatch(/^(?:null|\[\]|\{\})$/m);
  });
});
