import { readlink } from "node:fs/promises";
import { hostname } from "node:os";
import {
  findProcessIdentity,
  findProcessStart,
  type ProcessIdentity as LocalIdentity,
} from "../../../shared/process-identity.ts";

/** Names a process beyond its pid, also among machines that share a disk. */
export interface ProcessIdentity extends LocalIdentity {
  readonly pid: number;
  readonly host: string;
  /** Pids mean something only within it. */
  readonly pidNamespace: string;
}

/** The door to the system's processes; tests pass their own. */
export interface ProcessTable {
  self(): Promise<ProcessIdentity>;
  /** When the process began; undefined when there is none, or only what a dead one leaves until its parent asks. */
  findStart(pid: number): Promise<string | undefined>;
}

/** Linux and macOS; elsewhere there is no way to tell whether the holder of a lock lives. */
export function systemProcesses(): ProcessTable {
  return {
    async self() {
      const identity = findProcessIdentity(process.pid);
      if (identity === undefined) throw new Error(`the system does not tell when process ${process.pid} began`);
      const pidNamespace = process.platform === "darwin" ? "none" : await readlink("/proc/self/ns/pid");
      return { pid: process.pid, ...identity, host: hostname(), pidNamespace };
    },
    findStart: async (pid) => findProcessStart(pid),
  };
}
