import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system in memory, where Linux has one. */
const MEMORY = "/dev/shm";
/** Behind it the number of the process that made the folder. */
const PREFIX = "mkt-tests-";
/** Many times what the tests need; a container gives 64 MB unless asked for more. */
const LEAST_FREE_BYTES = 4e9;

/**
 * Before all tests: makes one folder for the temporary files of this run, and returns what removes it. It is in memory
 * where there is room, because a disk makes each of thousands of folders and files wait. The long form stays on the disk,
 * and so does whoever names a folder by TMPDIR.
 */
export default function setup(): () => void {
  const { TMPDIR: named, MKT_TEST_EFFORT: effort } = process.env;
  const inMemory = named === undefined && effort !== "long" ? folderInMemory() : undefined;
  const folder = inMemory ?? mkdtempSync(join(tmpdir(), PREFIX));
  process.env["TMPDIR"] = folder;
  return () => {
    if (named === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = named;
    rmSync(folder, { recursive: true, force: true });
  };
}

function folderInMemory(): string | undefined {
  try {
    removeLeftovers();
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < LEAST_FREE_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
    if (programsRunIn(folder)) return folder;
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // There is none, or it is not for us.
  }
  return undefined;
}

/** A run that was killed leaves its folder, and memory is dearer than a disk. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(/^mkt-tests-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Some tests install programs; a container may forbid to run them there. */
function programsRunIn(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  return spawnSync(program).status === 0;
}
