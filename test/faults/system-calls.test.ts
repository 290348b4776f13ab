import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, expect, type TestContext, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { isLong } from "../support/effort.ts";
import { buildProgram, type Program } from "./store-program.ts";
import { reportTrial } from "./trial.ts";

/*
 * The proof that the door to the disk lies in the right place: the system calls that strace sees are those that went
 * through the door, and an error that strace injects at the n-th of them does what the same error at the door does.
 */

const HANG_MS = 1_200_000;
/** Calls of the door by the system call that each becomes. Opening and reading a file is what any program does. */
const DOORS: ReadonlyMap<string, readonly string[]> = new Map([
  ["pwrite64", ["write"]],
  ["fdatasync", ["datasync"]],
  ["fsync", ["sync", "syncDirectory"]],
  ["ftruncate", ["truncate"]],
  ["link", ["link"]],
  ["rename", ["rename"]],
  ["unlink", ["unlink"]],
  ["mkdir", ["makeDirectory"]],
]);

interface Outcome {
  /** Through the door, in their order. */
  readonly calls: readonly string[];
  readonly acknowledged: number;
  readonly failure: string | null;
}

let program: Program;

beforeAll(async () => {
  if (!isLong) return undefined;
  program = await buildProgram("door-process");
  return () => program[Symbol.dispose]();
});

function skipWhereImpossible(context: TestContext): void {
  if (!isLong) context.skip("in the long form only");
  const { status } = spawnSync("strace", ["-f", "-o", "/dev/null", process.execPath, "--version"], { stdio: "ignore" });
  if (status !== 0) context.skip("strace is not installed, or may not trace");
}

/** Runs the program in a new folder, with an error at the `at`-th call to the door, or with strace. */
function play(at: number, straceArgs?: readonly string[]): Outcome {
  using folder = tempDir();
  const words = [process.execPath, program.path, join(folder.path, "data"), String(at)];
  const [command = "", ...args] = straceArgs === undefined ? words : ["strace", "-f", ...straceArgs, ...words];
  const { stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  try {
    return JSON.parse(stdout) as Outcome;
  } catch {
    throw new Error(`the program said ${stdout}, ${stderr}`);
  }
}

/** The threads that made each system call, in the order of the calls. */
function trace(): Map<string, string[]> {
  using folder = tempDir();
  const file = join(folder.path, "trace");
  play(0, ["-o", file, "-e", `trace=${[...DOORS.keys()].join(",")}`]);
  const threads = new Map<string, string[]>();
  for (const [, thread = "", name = ""] of readFileSync(file, "utf8").matchAll(/^(\d+) +(\w+)\(/gm)) {
    threads.set(name, [...(threads.get(name) ?? []), thread]);
  }
  return threads;
}

/** strace counts in each thread by itself: the calls that are the n-th of theirs, each with its place among all, from 0. */
function nthOfThreads(threads: readonly string[], n: number): number[] {
  const isNth = (thread: string, index: number) =>
    threads.slice(0, index + 1).filter((other) => other === thread).length === n;
  return threads.flatMap((thread, index) => (isNth(thread, index) ? [index] : []));
}

test(
  "what goes through the door is what the system is asked to do, call by call",
  (context) => {
    skipWhereImpossible(context);

    const { calls } = play(0);
    const seen = trace();

    const throughDoor = [...DOORS].map(([name, doors]) => [name, calls.filter((call) => doors.includes(call)).length]);
    expect([...DOORS.keys()].map((name) => [name, seen.get(name)?.length ?? 0])).toEqual(throughDoor);
    reportTrial(context, {
      what: "system calls seen by strace, and calls through the door",
      tried: throughDoor.reduce((sum, [, count]) => sum + Number(count), 0),
      lost: 0,
      note: `equal: ${throughDoor.map(([name, count]) => `${count} ${name}`).join(", ")}`,
    });
  },
  HANG_MS,
);

test(
  "an error that the system gives at the n-th call does what the same error at the door does, for every n",
  (context) => {
    skipWhereImpossible(context);
    const { calls } = play(0);
    const seen = trace();
    const different: unknown[] = [];
    let tried = 0;

    for (const [name, doors] of DOORS) {
      const places = calls.flatMap((call, index) => (doors.includes(call) ? [index + 1] : []));
      const threads = seen.get(name) ?? [];
      for (let n = 1; n <= threads.length; n += 1) {
        const [hit, ...more] = nthOfThreads(threads, n);
        // Two threads with an n-th call would fail twice.
        if (hit === undefined || more.length > 0) continue;
        const inject = `inject=${name}:error=EIO:when=${n}`;
        const system = play(0, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
        const door = play(places[hit] ?? 0);
        tried += 1;
        const [asked, got] = [door, system].map(({ acknowledged, failure }) => ({ acknowledged, failure }));
        if (!isDeepStrictEqual(asked, got)) different.push({ name, n, door: asked, system: got });
      }
    }

    expect(tried).toBeGreaterThan(calls.length / 4);
    expect(different).toEqual([]);
    reportTrial(context, {
      what: "errors injected by strace, each beside one at the door",
      tried,
      lost: 0,
      note: "same outcomes",
    });
  },
  HANG_MS,
);
