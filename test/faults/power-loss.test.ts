import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, type TestContext, test } from "vitest";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { tempDir } from "../support/temp-dir.ts";
import { isLong } from "../support/effort.ts";
import { buildProgram, startStore, type StoreMode, type Program } from "./store-program.ts";
import { reportTrial } from "./trial.ts";

/*
 * A file system of its own on a loop device, which is shut down at once by its own command (EXT4_IOC_SHUTDOWN, the number
 * that XFS uses too) without writing anything that was not flushed: what a power loss leaves behind.
 */

const ROUNDS = 100;
const CONTROL_ROUNDS = 10;
const HANG_MS = 1_200_000;
const IMAGE_BYTES = 64 * 1_024 * 1_024;
/** Ready beforehand, so that it comes the moment it is asked for. */
const SHUT_DOWN = `
import fcntl, os, struct, sys
disk = os.open(sys.argv[1], os.O_RDONLY)
print("ready", flush=True)
sys.stdin.readline()
fcntl.ioctl(disk, 0x8004587d, struct.pack("I", 2))
`;

let program: Program;

beforeAll(async () => {
  if (!isLong) return undefined;
  program = await buildProgram("store-process");
  return () => program[Symbol.dispose]();
});

/** A disk that can lose its power, with an empty file system. */
class LoopDisk implements Disposable {
  readonly #folder = tempDir();
  readonly #image = join(this.#folder.path, "disk");
  readonly mountPoint = join(this.#folder.path, "mounted");

  constructor(pristine: string) {
    copyFileSync(pristine, this.#image);
    mkdirSync(this.mountPoint);
  }

  mount(): void {
    execFileSync("mount", ["-o", "loop", this.#image, this.mountPoint]);
  }

  unmount(): void {
    execFileSync("umount", [this.mountPoint]);
  }

  /** Resolves when it can be done; what it gives does it. */
  async prepareLoss(): Promise<() => Promise<void>> {
    const child = spawn("python3", ["-c", SHUT_DOWN, this.mountPoint], { stdio: ["pipe", "pipe", "ignore"] });
    const ended = once(child, "exit");
    await Promise.race([once(child.stdout, "data"), ended]);
    return async () => {
      child.stdin.end("now\n");
      const [code] = await ended;
      if (code !== 0) throw new Error(`the file system could not be shut down: ${code}`);
    };
  }

  [Symbol.dispose](): void {
    spawnSync("umount", [this.mountPoint], { stdio: "ignore" });
    this.#folder[Symbol.dispose]();
  }
}

/** An image with an empty ext4; throws where there is no such thing. */
function makePristine(path: string): void {
  writeFileSync(path, "");
  truncateSync(path, IMAGE_BYTES);
  execFileSync("mkfs.ext4", ["-q", path]);
}

/** Undefined when this machine can do it. */
async function whyNot(pristine: string): Promise<string | undefined> {
  if (!isLong) return "in the long form only";
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "needs root on Linux";
  try {
    makePristine(pristine);
    using disk = new LoopDisk(pristine);
    disk.mount();
    await (
      await disk.prepareLoss()
    )();
    return undefined;
  } catch (error) {
    return `needs mkfs.ext4, loop devices and python3: ${error instanceof Error ? error.message.split("\n")[0] : ""}`;
  }
}

/** One power loss under load: how many acknowledged runs there were, and how many of them are gone. */
async function losePowerUnderLoad(pristine: string, mode: StoreMode): Promise<{ told: number; lost: number }> {
  using disk = new LoopDisk(pristine);
  disk.mount();
  const dataDir = join(disk.mountPoint, "data");
  const writer = startStore(program, dataDir, mode);
  const losePower = await disk.prepareLoss();
  await writer.said(20);
  await pause(Math.random() * 200);
  // What is said afterwards does not count: a file system under shutdown may answer a flush that it gave up with success.
  const done = writer.events.flatMap((event) => event["done"] ?? []);
  await losePower();
  await writer.kill();
  disk.unmount();
  disk.mount();
  try {
    const store = await openJournalStore({ dataDir, onFatal: () => undefined });
    const found = await Promise.all(done.map((runId) => store.findRun("w1", String(runId))));
    await store.close();
    return { told: done.length, lost: found.filter((run) => run?.status !== "COMPLETED").length };
  } catch (error) {
    if (mode === "load-unflushed") return { told: done.length, lost: done.length };
    throw error;
  }
}

async function repeat(context: TestContext, mode: StoreMode, rounds: number) {
  using folder = tempDir();
  const pristine = join(folder.path, "pristine");
  const reason = await whyNot(pristine);
  if (reason !== undefined) context.skip(reason);
  const results: { told: number; lost: number }[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await losePowerUnderLoad(pristine, mode));
  const sum = (name: "told" | "lost") => results.reduce((total, result) => total + result[name], 0);
  return { told: sum("told"), lost: sum("lost"), roundsWithLoss: results.filter(({ lost }) => lost > 0).length };
}

test(
  "a real file system that loses its power keeps every acknowledged run",
  async (context) => {
    const { told, lost } = await repeat(context, "load", ROUNDS);

    expect(lost).toBe(0);
    reportTrial(context, {
      what: "power losses of a real ext4",
      tried: ROUNDS,
      lost,
      note: `${told} acknowledged runs kept`,
    });
  },
  HANG_MS,
);

test(
  "the trial can fail: without fdatasync the same power loss takes acknowledged runs",
  async (context) => {
    const { told, lost, roundsWithLoss } = await repeat(context, "load-unflushed", CONTROL_ROUNDS);

    expect(roundsWithLoss).toBeGreaterThan(0);
    reportTrial(context, {
      what: "negative control: the same without fdatasync",
      tried: CONTROL_ROUNDS,
      lost: 0,
      note: `caught ${roundsWithLoss} times: ${lost} of ${told} acknowledged runs were gone`,
    });
  },
  HANG_MS,
);
