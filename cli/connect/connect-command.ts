import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../shared/client/client.ts";
import type { ConnectionAttempt } from "../../shared/contract/connections.ts";
import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { CliError } from "../core/cli-error.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { interruptible } from "../core/interrupt.ts";
import { askLine } from "../input/ask.ts";
import { openBrowser } from "../terminal/open-browser.ts";
import { errorText } from "../../shared/error-text.ts";

interface ConnectFlags {
  readonly browser: boolean;
  readonly wait: boolean;
  readonly attempt?: string;
  readonly code?: string;
  readonly redirectedTo?: string;
}

const ASK_EVERY_MS = 500;

export function connectCommand(context: CliContext): Command {
  return new Command("connect")
    .description("Connect an account at a provider that needs a login; the workspace's runs then use it")
    .argument("<provider>")
    .option("--no-browser", "print the address, and open no browser")
    .option("--no-wait", "print the login and end; --attempt finishes it")
    .option("--attempt <attemptId>", "finish a login that was begun before, with --code or --redirected-to")
    .option("--code <code>", "the code that the browser showed")
    .option("--redirected-to <address>", "the address at which the browser ended, where it could not be reached")
    .examples(
      "mkt connect acme",
      "mkt connect acme --no-browser",
      "mkt connect acme --attempt 01JV8Z… --code 7KQF-2M9D",
    )
    .action(async (provider: string, flags: ConnectFlags) => {
      context.suggest(404, "mkt providers");
      const client = await context.client();
      const attempt =
        flags.attempt === undefined
          ? await begin(context, client, provider, flags)
          : await finish(client, flags, provider);
      await report(context, attempt, flags);
    });
}

async function begin(
  context: CliContext,
  client: Client,
  provider: string,
  { browser, wait }: ConnectFlags,
): Promise<ConnectionAttempt> {
  const attempt = await client.beginConnection({ body: { provider } });
  if (!wait) return attempt;
  const isOpened = browser && openBrowser(context.io, attempt.address);
  const verb = isOpened ? "Log in in the browser. If it did not open" : "Log in with a browser";
  await context.output.note(`${verb}: ${attempt.address}`);
  await context.output.note(
    `This connects an account to the workspace ${attempt.workspaceId}. The provider sends the browser to ${attempt.redirectUri}`,
  );
  return await interruptible(context.io, async (signal) => await awaitLogin(context, client, attempt, signal));
}

/** Waits for the browser, and at a terminal for what a person copies from it. */
async function awaitLogin(
  context: CliContext,
  client: Client,
  begun: ConnectionAttempt,
  signal: AbortSignal,
): Promise<ConnectionAttempt> {
  const { io, flags } = context;
  const canAsk = flags.input && io.isTty.stdin && io.isTty.stderr;
  const over = new AbortController();
  const typed = canAsk ? askForAnswer(context, client, begun, over.signal) : undefined;
  let latest = begun;
  try {
    while (latest.state !== "connected" && latest.state !== "failed") {
      signal.throwIfAborted();
      if (latest.state === "confirming" && !canAsk) return latest;
      await sleep(ASK_EVERY_MS, undefined, { signal });
      latest = await client.getConnectionAttempt({ params: { attemptId: begun.attemptId } }, { signal });
    }
    return latest;
  } finally {
    over.abort();
    await typed?.catch(() => {});
  }
}

/** A code, or the whole address at which the browser ended; wrong ones are told, and asked again. */
async function askForAnswer(
  context: CliContext,
  client: Client,
  { attemptId, needsCode }: ConnectionAttempt,
  over: AbortSignal,
): Promise<void> {
  const question = needsCode
    ? "Code that the browser shows: "
    : "If the browser cannot reach the last address, paste that address here: ";
  while (!over.aborted) {
    const answer = (await askLine(context.io, question, over)).trim();
    if (answer === "") return;
    const body = /^https?:/i.test(answer) ? { redirectedTo: answer } : { code: answer };
    try {
      await client.completeConnection({ params: { attemptId }, body });
      return;
    } catch (error) {
      await context.output.note(errorText(error));
    }
  }
}

async function finish(client: Client, flags: ConnectFlags, provider: string): Promise<ConnectionAttempt> {
  const { attempt: attemptId = "", code, redirectedTo } = flags;
  if (code === undefined && redirectedTo === undefined) {
    throw new CliError(exitCodes.usage, "--attempt needs --code, or --redirected-to", {
      next: `mkt connect ${provider}`,
    });
  }
  const body = redirectedTo === undefined ? { ...(code !== undefined && { code }) } : { redirectedTo };
  return await client.completeConnection({ params: { attemptId }, body });
}

async function report(context: CliContext, attempt: ConnectionAttempt, { wait }: ConnectFlags): Promise<void> {
  const { provider, state, message, connection, attemptId } = attempt;
  if (state === "connected" && connection !== undefined) {
    await context.output.show(connection, async () => (await import("./ConnectionScreens.tsx")).ConnectionMade);
    return;
  }
  if (state === "failed") {
    throw new CliError(exitCodes.failed, `${provider} was not connected: ${message ?? "the login failed"}`, {
      next: `mkt connect ${provider}`,
    });
  }
  if (wait && state === "confirming") {
    await context.output.note(
      `The browser shows a code: ${context.output.command("connect", provider, "--attempt", attemptId, "--code", "<code>")}`,
    );
  }
  await context.output.show(attempt, async () => (await import("./ConnectionScreens.tsx")).AttemptBegun);
}
