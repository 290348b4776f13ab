import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { type FileHandle, open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { whyNotOwn, whyNotOwnBelow } from "../../shared/own-folder.ts";
import type { Places } from "../../shared/places.ts";
import { makePrivateFolder } from "../../shared/replace-file.ts";
import { errorText } from "../../shared/error-text.ts";
import { CliError } from "../core/cli-error.ts";
import type { CliIo } from "../core/cli-io.ts";
import { daemonExitCodes, exitCodes, type ExitCode } from "../core/exit-codes.ts";
import { findRunningDaemon } from "./local-daemon.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** A process that is starting; `endedWith` is its exit code once it has ended. */
interface StartedProcess {
  endedWith?: number;
}

const startTimeoutMs = 30_000;
const lookEveryMs = 50;
/** How the daemon begins a log line that is for people; the other lines are JSON. */
const daemonsOwnWords = "mkt daemon: ";
const largestLogBytes = 10 * 1024 * 1024;

/** Where the background daemon of a data folder writes what it has to say. */
export function daemonLogPath({ dataDir }: Pick<Places, "dataDir">): string {
  return join(dataDir, "daemon.log");
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
    // Another process may be starting one for the same folder at this moment: then we use that one.
    if (started.endedWith !== undefined && started.endedWith !== daemonExitCodes.dataFolderInUse) break;
    await delay(lookEveryMs);
  }
  if (started.endedWith !== undefined) throw await startFailure(places, flags, startOfOwnLog, started.endedWith);
  throw new CliError(
    exitCodes.unreachable,
    `The daemon did not answer within ${startTimeoutMs / 1000} seconds; it may still be starting.`,
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

/**
 * Readable only by its owner, and not through somebody else's link: the daemon may refuse this folder later.
 * docs/security.md, T18.
 */
async function openLog({ dataDir }: Places): Promise<FileHandle> {
  const foreign = await whyNotOwn(dataDir);
  if (foreign !== undefined) throw new Error(foreign);
  await makePrivateFolder(dataDir);
  const path = daemonLogPath({ dataDir });
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > largestLogBytes) await rename(path, `${path}.1`);
  const log = await open(path, LOG_FLAGS, 0o600);
  try {
    const facts = await log.stat();
    const owned = { owner: facts.uid, mode: facts.mode & 0o7777, isLink: false, isDirectory: false };
    const why = facts.isFile() ? whyNotOwnBelow(path, owned) : `${path} is not a file`;
    if (why !== undefined) throw new Error(why);
    await log.chmod(0o600);
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Follows no link, and does not wait for the reader of a pipe. */
const LOG_FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

const whyUnusable: Readonly<Record<string, string>> = {
  EACCES: "you may not read or write it",
  EPERM: "you may not read or write it",
  ENOTDIR: "part of the path is a file, not a folder",
  ELOOP: "daemon.log in it is a link, and the log is never written through a link",
  ENXIO: "daemon.log in it is not a file",
  ENOENT: "it cannot be created there",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
};

/** In the daemon's own words: it cannot be started if its log cannot be written. */
export function unusableDataFolder(dataDir: string, cause: unknown): CliError {
  const code = systemErrorCode(cause) ?? "";
  const why = whyUnusable[code] ?? errorText(cause);
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

/** The next command according to the daemon's last log lines, which are all there is. */
function nextAfter(end: string, exitCode: number, flags: readonly string[]): string {
  if (portTaken.test(end)) return startOnFreePorts(flags);
  if (exitCode === exitCodes.usage) return "mkt daemon run --help";
  const [, mend] = /Close it with: (chmod \S+ '[^'\n]*')$/.exec(end) ?? [];
  return mend ?? "mkt daemon logs";
}
