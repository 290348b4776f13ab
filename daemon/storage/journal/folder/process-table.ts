import { readlink } from "node:fs/promises";
import { hostname } from "node:os";
import {
  findProcessIdentity,
  findProcessStart,
  type ProcessIdentity as LocalIdentity,
} from "../../../../shared/process-identity.ts";

/** Identifies a process uniquely, even among machines that share a disk. */
export interface ProcessIdentity extends LocalIdentity {
  readonly pid: number;
  readonly host: string;
  /** Pids mean something only within it. */
  readonly pidNamespace: string;
}

/** Access to the system's processes; tests pass their own. */
export interface ProcessTable {
  self(): Promise<ProcessIdentity>;
  /** When the process began; undefined when there is none, or only what a dead one leaves until its parent asks. */
  findStart(pid: number): Promise<string | undefined>;
}

/** For Linux and macOS; elsewhere it cannot be checked whether the holder of a lock is alive. */
export function systemProcesses(): ProcessTable {
  return {
    async self() {
      const identity = findProcessIdentity(process.pid);
      if (identity === undefined) throw new Error(`the system does not report when process ${process.pid} began`);
      const pidNamespace = process.platform === "darwin" ? "none" : await readlink("/proc/self/ns/pid");
      return { pid: process.pid, ...identity, host: hostname(), pidNamespace };
    },
    findStart: async (pid) => findProcessStart(pid),
  };
}
