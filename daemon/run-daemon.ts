import { type Logger, pino } from "pino";
import { escapeControls, toPrintable } from "../shared/hints/printable.ts";
import { quoteWord } from "../shared/hints/shell-words.ts";
import { findPlaces } from "../shared/places.ts";
import type { DaemonConfig } from "./config/daemon-config.ts";
import { type Daemon, type DaemonReady, RUN_GRACE_MS, startDaemon } from "./daemon.ts";
import { type DaemonExit, toDaemonExit } from "./start/daemon-exit.ts";
import type { WordSink } from "./start/output-stream.ts";

/** How long a shutdown may take before the process is ended anyway. */
const SHUTDOWN_LIMIT_MS = 9_500;
/** After this time, a person at a terminal is told what the shutdown waits for. */
const QUIET_SHUTDOWN_MS = 500;

export interface DaemonSurroundings {
  readonly stdout: WordSink;
  readonly stderr: WordSink;
  readonly startedAtMs: number;
  /** Ends the process at once, whatever is in progress, because it would not end by itself. */
  readonly endProcess: (code: number) => never;
  /** Called once, after it has said that it listens. */
  readonly onReady?: () => void;
}

/**
 * Runs the daemon in this process: logs on stderr, one line on stdout when it listens, SIGTERM and SIGINT drain it.
 * Resolves with the exit code; a second signal ends it at once.
 */
export async function runDaemon(config: DaemonConfig, surroundings: DaemonSurroundings): Promise<number> {
  let logger: Logger = pino({ level: "silent" });
  const createLogger = (redact: (line: string) => string) => {
    const write = (line: string) => void surroundings.stderr.write(escapeControls(redact(line)));
    logger = pino({ level: config.logLevel, base: { pid: process.pid } }, { write });
    return logger;
  };
  const fail = ({ code, message }: DaemonExit): number => {
    surroundings.stderr.write(`mkt daemon: ${message}\n`);
    return code;
  };
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  /** All failures, in order. The first one decides the exit code, even if it happens while draining. */
  const failures: DaemonExit[] = [];
  let daemon: Daemon;
  try {
    daemon = await startDaemon(config, {
      createLogger,
      onFatal(error) {
        failures.push(toDaemonExit(error));
        end();
      },
    });
  } catch (error) {
    return fail(toDaemonExit(error));
  }
  const onSignal = (signal: NodeJS.Signals) => {
    logger.info({ signal }, "draining");
    process.once(signal, () => surroundings.endProcess(130));
    end();
  };
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
  announce(daemon.ready, surroundings);
  surroundings.onReady?.();

  await ended;
  const [fatal] = failures;
  if (fatal !== undefined) {
    fail(fatal);
    await daemon.abandon();
    surroundings.endProcess(fatal.code);
  }
  await drain(daemon, surroundings, logger).catch((error: unknown) => failures.push(toDaemonExit(error)));
  // After a failure while draining something is not recorded, and 0 would say that it is.
  const [failure] = failures;
  if (failure !== undefined) return fail(failure);
  logger.info({}, "stopped");
  return 0;
}

/** Closes the daemon within its time; after that the process ends, whatever is still in progress. */
async function drain(daemon: Daemon, surroundings: DaemonSurroundings, logger: Logger): Promise<void> {
  const limit = setTimeout(() => {
    logger.error({}, "shutting down took too long");
    surroundings.endProcess(1);
  }, SHUTDOWN_LIMIT_MS);
  limit.unref();
  const notice = setTimeout(() => tellOfWaiting(surroundings), QUIET_SHUTDOWN_MS);
  try {
    await daemon.close();
  } finally {
    clearTimeout(notice);
    clearTimeout(limit);
  }
}

function tellOfWaiting({ stderr }: DaemonSurroundings): void {
  if (stderr.isTTY !== true) return;
  stderr.write(`mkt daemon: waiting up to ${RUN_GRACE_MS / 1_000} s for runs in flight; Ctrl-C again ends it\n`);
}

function announce(ready: DaemonReady, { stdout, startedAtMs }: DaemonSurroundings): void {
  const startupMs = Date.now() - startedAtMs;
  if (stdout.isTTY === true) {
    stdout.write(banner(ready, startupMs));
    return;
  }
  const { url, registryUrl, metricsUrl, pid, endpoints } = ready;
  stdout.write(`${JSON.stringify({ event: "ready", url, registryUrl, metricsUrl, pid, endpoints, startupMs })}\n`);
}

function banner(ready: DaemonReady, startupMs: number): string {
  const usual = ready.dataDir === findPlaces({}).dataDir;
  const mkt = usual ? "mkt" : `mkt --data-dir ${quoteWord(ready.dataDir)}`;
  return [
    `mkt ${ready.version} is open at ${ready.url} (${ready.endpoints} endpoints, ${startupMs} ms)`,
    `  registry  ${ready.registryUrl}`,
    ...(ready.metricsUrl === undefined ? [] : [`  metrics   ${ready.metricsUrl}`]),
    `  data      ${ready.dataDir}`,
    ...ready.problems.map((problem) => `  problem   ${toPrintable(problem)}`),
    "",
    "In another terminal:",
    `  ${mkt} discover when does the sun rise`,
    `  ${mkt} whoami`,
    "Ctrl-C stops it.",
    "",
  ].join("\n");
}
