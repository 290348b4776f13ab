import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { errorCode } from "../files.ts";

/** Names a process beyond its pid, which the system gives out again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in the system's own words. */
  readonly start: string;
  /** Differs after each boot. */
  readonly boot: string;
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
  const findStart = process.platform === "darwin" ? findStartByPs : findStartInProc;
  return {
    async self() {
      const start = await findStart(process.pid);
      if (start === undefined) throw new Error(`the system does not tell when process ${process.pid} began`);
      const [boot, pidNamespace] = process.platform === "darwin" ? await macSession() : await linuxSession();
      return { pid: process.pid, start, boot, host: hostname(), pidNamespace };
    },
    findStart,
  };
}

async function linuxSession(): Promise<[boot: string, pidNamespace: string]> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
  return [boot.trim(), await readlink("/proc/self/ns/pid")];
}

async function macSession(): Promise<[boot: string, pidNamespace: string]> {
  const { stdout } = await promisify(execFile)("sysctl", ["-n", "kern.bootsessionuuid"]);
  return [stdout.trim(), "none"];
}

async function findStartInProc(pid: number): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
  // The name, field 2, may hold blanks and brackets of its own; state is field 3, start field 22.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return isDead(fields[0]) ? undefined : fields[19];
}

async function findStartByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
    const [state, ...start] = stdout.trim().split(/\s+/);
    return isDead(state) ? undefined : start.join(" ");
  } catch (error) {
    // `ps` ends with 1 and says nothing when there is no such process.
    if (error instanceof Error && "code" in error && error.code === 1) return undefined;
    throw error;
  }
}

function isDead(state: string | undefined): boolean {
  return state === undefined || state === "" || "ZXx".includes(state.charAt(0));
}
