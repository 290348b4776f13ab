import { setTimeout as delay } from "node:timers/promises";
import type { LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { CliError } from "../core/cli-error.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { followLog } from "./follow-log.ts";
import { daemonStatus, findRunningDaemon, type DaemonStatus } from "./local-daemon.ts";
import { parseCount } from "../flags/option-values.ts";
import { daemonLogPath, startLocalDaemon } from "./start-local-daemon.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/**
 * A daemon in the background. The daemon itself (`mkt daemon`, `daemon run`) and what works on a stopped one's files
 * are mounted beside these commands.
 */
export function daemonCommand(context: CliContext): Command {
  return new Command("daemon")
    .description("The service on this machine: run it in the foreground, or start and stop it in the background")
    .examples("mkt daemon start", "mkt daemon status")
    .addHelpText(
      "after",
      "\nFlags of `mkt daemon` and of start: mkt daemon run --help\n" +
        "What else can be set: mkt help environment. What it ends with: mkt help exit-codes",
    )
    .addCommand(startCommand(context))
    .addCommand(stopDaemonCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(logsCommand(context));
}

function startCommand(context: CliContext): Command {
  return new Command("start")
    .summary("Start a daemon in the background")
    .description("Start a daemon in the background and wait until it answers")
    .argument("[flags...]", "flags of `mkt daemon run`, such as --port 0")
    .allowUnknownOption()
    .examples("mkt daemon start", "mkt daemon start --port 0 --registry-port 0")
    .action(async (flags: string[]) => {
      const { places } = await context.settings();
      const running = await findRunningDaemon(places);
      if (running) {
        await context.output.note("The daemon is already running.");
        return showStatus(context, daemonStatus(places, running));
      }
      const progress = context.output.progress("Starting the daemon");
      const started = await startLocalDaemon(context.io, places, flags).finally(() => progress.stop());
      await showStatus(context, daemonStatus(places, started));
    });
}

function stopDaemonCommand(context: CliContext): Command {
  return new Command("stop")
    .summary("Stop the background daemon")
    .description("Stop the background daemon; runs in progress end or are recorded first")
    .examples("mkt daemon stop")
    .action(async () => {
      const { places, localDaemon } = await context.settings();
      const running = await findRunningDaemon(places);
      if (running) await stopProcess(context, running);
      else refuseSilentProcess(localDaemon);
      await context.output.note(running ? "The daemon has stopped." : "No daemon is running.");
      await showStatus(context, daemonStatus(places, undefined));
    });
}

// A daemon that is told to stop drains for up to 10 seconds.
const stopTimeoutMs = 30_000;
const lookEveryMs = 50;

async function stopProcess(context: CliContext, { pid }: LocalDaemonFile): Promise<void> {
  const progress = context.output.progress("Stopping the daemon");
  try {
    process.kill(pid, "SIGTERM");
    const deadline = performance.now() + stopTimeoutMs;
    while (isProcessAlive(pid)) {
      if (performance.now() > deadline) {
        throw new CliError(exitCodes.failed, `The daemon (process ${pid}) was asked to stop but is still running.`, {
          next: "mkt daemon logs",
        });
      }
      await delay(lookEveryMs);
    }
  } finally {
    progress.stop();
  }
}

// A process with the pid on file that does not answer may be a daemon that hangs, or a stranger with a reused pid.
function refuseSilentProcess(file: LocalDaemonFile | undefined): void {
  if (file === undefined || file.stoppedAt !== undefined || !isProcessAlive(file.pid)) return;
  throw new CliError(
    exitCodes.unreachable,
    `The daemon does not answer at ${file.url}. Process ${file.pid} may be the daemon, or another program by now: ` +
      `check it, then stop it yourself.`,
    { next: `ps -p ${file.pid}` },
  );
}

function statusCommand(context: CliContext): Command {
  return new Command("status")
    .summary("Show whether the daemon is running, and where")
    .description("Show whether the daemon is running, and where; exit code 0 if it is, 9 if not")
    .examples("mkt daemon status --json")
    .action(async () => {
      const { places } = await context.settings();
      const running = await findRunningDaemon(places);
      if (!running) context.exitCode = exitCodes.unreachable;
      await showStatus(context, daemonStatus(places, running));
    });
}

function logsCommand(context: CliContext): Command {
  return new Command("logs")
    .description("Print the log of the background daemon")
    .examples("mkt daemon logs --lines 20")
    .option("-f, --follow", "keep printing until Ctrl-C")
    .option("-n, --lines <n>", "only the last lines", parseCount)
    .action(async (flags: { follow?: true; lines?: number }) => {
      const { places } = await context.settings();
      await followLog(context, daemonLogPath(places), flags);
    });
}

function showStatus(context: CliContext, status: DaemonStatus): Promise<void> {
  return context.output.show(status, async () => (await import("./DaemonStatusScreen.tsx")).DaemonStatusScreen);
}

/** Whether a process with this id exists, whoever owns it. */
function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}
