import { spawn } from "node:child_process";
import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import type { Places } from "../../shared/places.ts";
import { CliError } from "../cli-error.ts";
import type { CliIo } from "../cli-io.ts";
import { daemonExitCodes, exitCodes, type ExitCode } from "../exit-codes.ts";
import { findRunningDaemon } from "./local-daemon.ts";
import { shellLine } from "../words/shell-line.ts";

/** A process on its way; `endedWith` is its exit code once it has ended. */
interface StartedProcess {
  endedWith?: number;
}

const startTimeoutMs = 30_000;
const lookEveryMs = 50;
/** How the daemon begins a line that is for people; the others of its log are JSON. */
const daemonsOwnWords = "mkt daemon: ";
const largestLogBytes = 10 * 1024 * 1024;

/** Where the background daemon of a data folder writes what it has to say. */
export function daemonLogPath(places: Places): string {
  return join(places.dataDir, "daemon.log");
}

/**
 * Puts `mkt daemon run` in the background and waits until it answers. `flags` are handed on to it.
 * Rejects with the end of its log, and its exit code, when it ends instead; after 30 seconds; and when the data folder
 * cannot be used.
 */
export async function startLocalDaemon(
  io: Pick<CliIo, "env" | "selfCommand">,
  places: Places,
  flags: readonly string[] = [],
): Promise<LocalDaemonFile> {
  const log = await openLog(places).catch((cause: unknown) => {
    throw unusableDataFolder(places.dataDir, cause);
  });
  const startOfOwnLog = (await log.stat()).size;
  let started: StartedProcess;
  try {
    started = spawnDaemon(io, places, flags, log.fd);
  } finally {
    await log.close();
  }

  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const running = await findRunningDaemon(places);
    if (running) return running;
    // Somebody else may be starting one for the same folder at this moment: then theirs is ours too.
    if (started.endedWith !== undefined && started.endedWith !== daemonExitCodes.dataFolderInUse) break;
    await delay(lookEveryMs);
  }
  if (started.endedWith !== undefined) throw await startFailure(places, flags, startOfOwnLog, started.endedWith);
  throw new CliError(
    exitCodes.unreachable,
    `The daemon did not answer within ${startTimeoutMs / 1000} seconds of its start; it may still come up.`,
    { next: "mkt daemon logs" },
  );
}

function spawnDaemon(
  io: Pick<CliIo, "env" | "selfCommand">,
  places: Places,
  flags: readonly string[],
  logFd: number,
): StartedProcess {
  const [program = process.execPath, ...words] = io.selfCommand;
  const child = spawn(program, [...words, "daemon", "run", "--data-dir", places.dataDir, ...flags], {
    detached: true,
    stdio: ["ignore", logFd, logFd],
    env: { ...io.env, MKT_CONFIG_DIR: places.configDir },
  });
  const started: StartedProcess = {};
  child.on("error", () => (started.endedWith = exitCodes.failed));
  child.on("exit", (code) => (started.endedWith = code ?? exitCodes.failed));
  child.unref();
  return started;
}

async function openLog(places: Places) {
  await makeFolder(places.dataDir);
  const path = daemonLogPath(places);
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > largestLogBytes) await rename(path, `${path}.1`);
  return open(path, "a", 0o600);
}

// Not `recursive`: below a folder that takes none, such as /proc, Node 20 would try for ever.
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
}

const whyUnusable: Readonly<Record<string, string>> = {
  EACCES: "you may not read or write it",
  EPERM: "you may not read or write it",
  ENOTDIR: "part of the path is a file, not a folder",
  ENOENT: "it cannot be made there",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
};

/** As the daemon says it, which cannot be started where its log cannot be written. */
export function unusableDataFolder(dataDir: string, cause: unknown): CliError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why = whyUnusable[code] ?? (cause instanceof Error ? cause.message : String(cause));
  const isForbidden = code === "EACCES" || code === "EPERM";
  const next = isForbidden ? shellLine("ls", "-ld", dataDir) : "mkt daemon start --data-dir <folder>";
  const message = `The data folder ${dataDir} cannot be used: ${why}.`;
  return new CliError(daemonExitCodes.refusedConfiguration, message, { next, cause });
}

const portTaken = /port \d+ .*\bis taken/i;

/** The same start on ports that are free. */
function startOnFreePorts(flags: readonly string[]): string {
  const others = flags.filter((flag, index) => {
    const isPort = (word: string | undefined) => /^--(?:registry-)?port(?:=|$)/.test(word ?? "");
    return !isPort(flag) && !(isPort(flags[index - 1]) && !flags[index - 1]?.includes("="));
  });
  return shellLine("mkt", "daemon", "start", ...others, "--port", "0", "--registry-port", "0");
}

async function startFailure(
  places: Places,
  flags: readonly string[],
  startOfOwnLog: number,
  exitCode: number,
): Promise<CliError> {
  const path = daemonLogPath(places);
  const log = (await readFile(path).catch(() => Buffer.alloc(0))).subarray(startOfOwnLog).toString("utf8");
  const lines = log.trimEnd().split("\n");
  const own = lines.filter((line) => line.startsWith(daemonsOwnWords));
  const refused = lines.filter((line) => line.startsWith("error: ")).map((line) => line.slice("error: ".length));
  const end = (own.length > 0 ? own : exitCode === exitCodes.usage ? refused : lines.slice(-5)).join("\n");
  return new CliError(
    (exitCode || exitCodes.failed) as ExitCode,
    `The daemon did not start.\n${end || `See ${path}`}`,
    { next: nextAfter(end, exitCode, flags) },
  );
}

/** What the daemon's last words ask for; the log has no more than they. */
function nextAfter(end: string, exitCode: number, flags: readonly string[]): string {
  if (portTaken.test(end)) return startOnFreePorts(flags);
  if (exitCode === exitCodes.usage) return "mkt daemon run --help";
  const [, mend] = /Close it with: (chmod 700 '[^'\n]*')$/.exec(end) ?? [];
  return mend ?? "mkt daemon logs";
}
