import { Command } from "commander";
import type { Client } from "../../shared/client/client.ts";
import type { Money } from "../../shared/contract/common.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { awaitRun } from "../await-run.ts";
import { usageError, withNextStep } from "../cli-error.ts";
import { coerceInput, hasInputWords } from "../coerce-input.ts";
import type { CliContext } from "../context.ts";
import { parseIdempotencyKey } from "../idempotency-key.ts";
import { interruptible } from "../interrupt.ts";
import { collect, collectPairs, parseAmount, parseSeconds } from "../option-values.ts";
import { readInput } from "../read-input.ts";
import { reportQuote } from "../report-quote.ts";
import { reportRun } from "../report-run.ts";
import { isTerminal } from "../run-outcome.ts";
import { shellLine } from "../shell-line.ts";
import { startRun } from "../start-run.ts";
import { parseTarget, targetWords, type Target } from "../target.ts";

/** How long `run` and `get-run --wait` wait where no flag says it. */
export const defaultWaitSeconds = 300;

interface RunFlags {
  input?: string;
  path?: string[];
  query?: string[];
  body?: string[];
  maxCost?: Money;
  tag?: Record<string, string>;
  idempotencyKey?: string;
  waitSeconds: number;
  wait: boolean;
  dryRun?: true;
}

const examples = `
Examples:
  mkt run atlas/countries search=Portugal locale=fr
  mkt run atlas/distance points:='[{"latitude":38.7,"longitude":-9.1},{"latitude":41.2,"longitude":-8.6}]'
  echo '{"latitude": 38.7, "longitude": -9.1}' | mkt run atlas/sun -i - --json`;

export function runCommand(context: CliContext): Command {
  return new Command("run")
    .description("Run an endpoint and wait for its data")
    .argument("<endpoint>", "<provider>/<endpoint>")
    .argument("[input...]", "key=value, read by the endpoint's input schema, or key:=json")
    .option("-i, --input <json>", "the whole input: JSON, @file, or - for standard input")
    .option("--query <key=value>", "input for the query, where the place matters (repeatable)", collect)
    .option("--path <key=value>", "input for the path (repeatable)", collect)
    .option("--body <key=value>", "input for the body (repeatable)", collect)
    .option("--max-cost <dollars>", "refuse the run if it may cost more", parseAmount)
    .option("--tag <name=value>", "a label of your own, kept with the run (repeatable)", collectPairs)
    .option("--idempotency-key <key>", "make the run once, however often it is sent with this key", parseIdempotencyKey)
    .option("--wait-seconds <n>", "wait at most so long", parseSeconds, defaultWaitSeconds)
    .option("--no-wait", "do not wait for a run that goes on in the background")
    .option("--dry-run", "check the input and say what the run would cost and what would refuse it; run nothing")
    .addHelpText("after", examples)
    .action(async (endpoint: string, words: string[], flags: RunFlags) => {
      const { target, rest } = parseTarget([endpoint, ...words]);
      const inspect = shellLine("mkt", "inspect", targetWords(target));
      context.suggest(400, inspect);
      context.suggest(404, "mkt endpoints");
      const literal = await withNextStep(inspect, () => readLiteralInput(context, rest, flags));
      const client = await context.client({ autostart: true });
      const input = literal ?? (await withNextStep(inspect, () => readInputWords(client, target, rest, flags)));

      if (flags.dryRun) {
        const quote = await client.quoteRun({ body: { ...target, input, ...requestLimits(flags) } });
        await reportQuote(context, quote);
        return;
      }
      const started = await sendRun(context, client, { ...target, input }, flags);
      const waits = flags.wait && !isTerminal(started);
      const run = waits ? await awaitRun(context, client, started.runId, flags.waitSeconds) : started;
      await reportRun(context, run, flags.wait);
    });
}

function requestLimits({ maxCost, tag }: RunFlags): Pick<RunRequest, "maxCost" | "tags"> {
  return { ...(maxCost && { maxCost }), ...(tag && { tags: tag }) };
}

async function sendRun(
  context: CliContext,
  client: Client,
  request: Target & { input: Record<string, unknown> },
  flags: RunFlags,
) {
  const progress = context.output.progress(`Running ${targetWords(request)}`);
  const body = { ...request, ...requestLimits(flags) };
  const { idempotencyKey } = flags;
  let isReplayed = false;
  const onReplayed = () => void (isReplayed = true);
  try {
    // Given up sooner, even a run that goes on in the background would be lost before its id is known.
    const waitSeconds = Math.max(flags.waitSeconds, 10);
    return await interruptible(context.io, (signal) =>
      startRun(client, body, { waitSeconds, signal, idempotencyKey, onReplayed }),
    );
  } finally {
    progress.stop();
    if (isReplayed) await context.output.note("This run was made before with the same key: nothing was run again.");
  }
}

async function readLiteralInput(
  context: CliContext,
  words: readonly string[],
  flags: RunFlags,
): Promise<Record<string, unknown> | undefined> {
  if (flags.input === undefined) return undefined;
  if (hasInputWords({ words, ...flags })) throw usageError("Give the input as -i or as key=value, not as both.");
  return readInput(flags.input, context.io.stdin);
}

async function readInputWords(
  client: Client,
  target: Target,
  words: readonly string[],
  { path, query, body }: RunFlags,
): Promise<Record<string, unknown>> {
  const given = { words, ...(path && { path }), ...(query && { query }), ...(body && { body }) };
  if (!hasInputWords(given)) return {};
  return coerceInput(await client.inspectEndpoint({ body: target }), given);
}
