import { readFileSync } from "node:fs";
import { systemErrorCode } from "./system-error-code.ts";

/** Distinguishes a process of this machine from a later one with the same pid, which the system reuses. */
export interface ProcessIdentity {
  /** Its start time in the system's own format. */
  readonly start: string;
  /** Differs after each boot. */
  readonly boot: string;
}

/** On Linux two small reads, on macOS two short processes; undefined as for `findProcessStart`. */
export function findProcessIdentity(pid: number): ProcessIdentity | undefined {
  const start = findProcessStart(pid);
  return start === undefined ? undefined : { start, boot: readBootId() };
}

/**
 * The start time of the process; undefined when it does not exist or is a zombie, and on systems other than Linux and
 * macOS.
 */
export function findProcessStart(pid: number): string | undefined {
  return process.platform === "darwin" ? findStartByPs(pid) : findStartInProc(pid);
}

/** Identifies the current boot of the machine. Throws on systems other than Linux and macOS. */
export function readBootId(): string {
  if (process.platform === "darwin") return runPlainly("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]).trim();
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

function findStartInProc(pid: number): string | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
  // The name, field 2, may contain spaces and brackets; state is field 3, start field 22.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return isDead(fields[0]) ? undefined : fields[19];
}

function findStartByPs(pid: number): string | undefined {
  try {
    const [state, ...start] = runPlainly("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)])
      .trim()
      .split(/\s+/);
    return isDead(state) ? undefined : start.join(" ");
  } catch (error) {
    // `ps` exits with 1 and prints nothing when there is no such process.
    if (error instanceof Error && "status" in error && error.status === 1) return undefined;
    throw error;
  }
}

/** Fixes the language and time zone of the printed times, since two callers compare them. */
function runPlainly(program: string, words: readonly string[]): string {
  // Loaded here: Linux does not need it, and every call of the CLI would wait for it.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
  return execFileSync(program, words, { encoding: "utf8", env: { LC_ALL: "C", TZ: "UTC" }, stdio });
}

function isDead(state: string | undefined): boolean {
  return state === undefined || state === "" || "ZXx".includes(state.charAt(0));
}
