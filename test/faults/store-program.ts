import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { build } from "tsup";
import { tempDir } from "../support/temp-dir.ts";

/** A file of this folder as a program of its own. */
export interface Program extends Disposable {
  readonly path: string;
}

/** `hold` keeps the folder, `load` fills it with runs; `load-unflushed` does so on a disk that is never flushed. */
export type StoreMode = "hold" | "load" | "load-unflushed";

export interface StoreProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** All that it said so far. */
  readonly events: Record<string, unknown>[];
  /** Resolves when it has said so much; rejects when it ends before. */
  said(count: number): Promise<void>;
  kill(): Promise<void>;
}

export async function buildProgram(name: "store-process" | "door-process"): Promise<Program> {
  const folder = tempDir();
  await build({
    entry: [`test/faults/${name}.ts`],
    outDir: folder.path,
    format: "esm",
    target: "node20",
    noExternal: [/.*/],
    outExtension: () => ({ js: ".mjs" }),
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire("/");` },
    silent: true,
    config: false,
  });
  return { path: join(folder.path, `${name}.mjs`), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

export function startStore(program: Program, dataDir: string, mode: StoreMode): StoreProcess {
  const child = spawn(process.execPath, [program.path, dataDir, mode], {
    stdio: ["pipe", "pipe", mode === "hold" ? "inherit" : "ignore"],
  });
  const ended = once(child, "exit");
  const events: Record<string, unknown>[] = [];
  const lines = createInterface(child.stdout).on("line", (line) => events.push(JSON.parse(line)));
  const silence = once(lines, "close");
  return {
    child,
    events,
    async said(count) {
      while (events.length < count) {
        const hasMore = await Promise.race([once(lines, "line").then(() => true), silence.then(() => false)]);
        if (!hasMore && events.length < count) throw new Error(`it ended after ${events.length} of ${count} events`);
      }
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
