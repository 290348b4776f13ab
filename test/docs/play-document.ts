import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";
import { mktProgram } from "../support/spawn-mkt.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { Block } from "./blocks.ts";

const root = new URL("../..", import.meta.url).pathname;
/** What typing a block came to; `code` is undefined when the shell had ended before it. */
export interface Typed {
  readonly block: Block;
  readonly code: number | undefined;
  /** stdout and stderr as a terminal has them. */
  readonly said: string;
}

export interface Reader extends AsyncDisposable {
  /** Types the blocks in one shell that ends at the first failure, and follows the others as their task says. */
  follow(blocks: readonly Block[]): Promise<Typed[]>;
}

/**
 * Somebody who reads a document on a new machine: an empty home, `mkt` on the path, ports of its own in the places of those
 * that the documents name, the files of the project in the folder.
 */
export async function newReader(mkt?: string): Promise<Reader> {
  const folder = tempDir("mkt-docs-");
  const [home, bin] = [join(folder.path, "home"), join(folder.path, "path")];
  for (const path of [home, bin]) mkdirSync(path);
  // Who has the program installed has no checkout.
  const shared = mkt === undefined ? ["bin", "dist", "catalog", "docs"] : [];
  for (const name of shared) symlinkSync(join(root, name), join(home, name));
  mkdirSync(join(home, "node_modules"));
  symlinkSync(root, join(home, "node_modules", "mkt"));
  const program = mkt === undefined ? `"${process.execPath}" "${mktProgram}"` : `"${mkt}"`;
  writeFileSync(join(bin, "mkt"), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  const [port, registryPort, apiPort] = [await freePort(), await freePort(), await freePort()];
  const environment = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    MKT_PORT: String(port),
    MKT_REGISTRY_PORT: String(registryPort),
    MKT_BALLAST_BYTES: "0",
    TIDES_PORT: String(apiPort),
    HOOK_PORT: String(apiPort),
  };
  const here = (text: string) =>
    text
      .replaceAll(":7717", `:${port}`)
      .replaceAll(":7718", `:${registryPort}`)
      .replaceAll(/(:|--port )8090\b/g, `$1${apiPort}`);
  const inBackground: ChildProcess[] = [];

  async function startInBackground(text: string): Promise<void> {
    inBackground.push(spawn("bash", ["-c", `exec ${here(text)}`], { cwd: home, env: environment, stdio: "ignore" }));
    await answers(apiPort);
  }

  async function follow(blocks: readonly Block[]): Promise<Typed[]> {
    const typed: Block[] = [];
    let script = "";
    for (const block of blocks) {
      const { task } = block;
      if (task.kind === "background") await startInBackground(block.text);
      if (task.kind === "save") script += saving(task.path, here(block.text));
      if (task.kind !== "type") continue;
      script += `${mark(typed.length)}\n${here(block.text)}\n`;
      script += untilTakenUp(block.text);
      typed.push(block);
    }
    return readTyped(typed, await type(`${script}${mark(typed.length)}\n`));
  }

  async function type(script: string): Promise<{ code: number | null; said: string }> {
    const child = spawn("bash", ["-euo", "pipefail", "-c", `exec 2>&1\n${script}`], {
      cwd: home,
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    return { code, said };
  }

  return {
    follow,
    async [Symbol.asyncDispose]() {
      await type("mkt daemon stop");
      for (const child of inBackground) child.kill("SIGKILL");
      folder[Symbol.dispose]();
    },
  };
}

const markWord = "::block";

function mark(index: number): string {
  return `echo; echo "${markWord} ${index}"`;
}

function saving(path: string, text: string): string {
  return `mkdir -p "$(dirname ${path})"\ncat > ${path} <<'END-OF-BLOCK'\n${text}\nEND-OF-BLOCK\n`;
}

/** A running daemon takes up an imported file by itself, which a person who reads on does not notice. */
function untilTakenUp(text: string): string {
  const [, slug] = /mkt catalog (?:import .*--slug |check \S+\/catalog\/)([\w-]+)/.exec(text) ?? [];
  if (slug === undefined) return "";
  return `for attempt in $(seq 100); do mkt catalog list --json | grep -q '"${slug}"' && break; sleep 0.2; done\n`;
}

function readTyped(blocks: readonly Block[], { code, said }: { code: number | null; said: string }): Typed[] {
  const parts = said.split(new RegExp(`\\n${markWord} \\d+\\n`)).slice(1);
  return blocks.map((block, index) => {
    const [text, isLast] = [parts[index], parts[index + 1] === undefined];
    if (text === undefined) return { block, code: undefined, said: "" };
    return { block, code: isLast ? (code ?? 1) : 0, said: text };
  });
}

/** What bash says of a script that it only reads; nothing when all is well. */
export function syntaxErrors(script: string): string {
  return spawnSync("bash", ["-n"], { input: script, encoding: "utf8" }).stderr;
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await delay(50);
  }
  throw new Error("what the document starts in another terminal did not answer");
}
