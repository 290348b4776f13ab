import { readdirSync, readFileSync } from "node:fs";

/** Whether this system shows its processes as files. */
export const tellsOfProcesses = process.platform === "linux";

/** The processes that one has started and that have not ended. Linux. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid);
}

/** Whether it is there and has not ended. Linux. */
export function isAlive(pid: number): boolean {
  return parentOf(pid) !== undefined;
}

/** Resident memory in bytes. Linux. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;
}

/** Undefined for one that has ended, also where nobody has taken notice of it yet. */
function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
