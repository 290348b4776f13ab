import type { Client } from "../../shared/client/client.ts";
import type { Money } from "../../shared/contract/common.ts";
import type { RunRequest } from "../../shared/contract/runs.ts";
import { usageError, withNextStep } from "../core/cli-error.ts";
import { coerceInputWithFiles, hasInputWords } from "../input/coerce-input.ts";
import type { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { collect, collectPairs, parseAmount, parseCount, parseDeadline, parseMaxAge } from "../flags/option-values.ts";
import { readInput } from "../input/read-input.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { parseTarget, targetWords, type Target } from "../words/target.ts";
import type { CliIo } from "../core/cli-io.ts";

/** What is run, and what it may cost and take, as commander reads it. */
export interface RunRequestFlags {
  input?: string;
  path?: string[];
  query?: string[];
  body?: string[];
  maxCost?: Money;
  maxPages?: number;
  tag?: Record<string, string>;
  deadlineSeconds?: number;
  maxAge?: number;
  allowUncertainRepeats?: true;
}

/** The words and flags that say what is run; the same for a run, its quote and a schedule. */
export function withRunRequest<Running extends Command>(command: Running): Running {
  return command
    .argument("<endpoint>")
    .argument("[input...]", "key=value, key:=json, or file=@path")
    .option("-i, --input <json>", "the whole input: JSON, @file, or - for standard input")
    .option("--query <key=value>", "input for the query (repeatable)", collect)
    .option("--path <key=value>", "input for the path (repeatable)", collect)
    .option("--body <key=value>", "input for the body (repeatable)", collect)
    .option("--max-cost <dollars>", "refuse the run if it could cost more", parseAmount)
    .option("--max-pages <n>", "read at most this many pages of a list", parseCount)
    .option("--tag <name=value>", "a label of your own, kept with the run (repeatable)", collectPairs)
    .option("--deadline-seconds <n>", "time limit of the run, at least 1", parseDeadline)
    .option(
      "--max-age <age>",
      "take the answer of an earlier run for nothing, if it is at most this old: 1h",
      parseMaxAge,
    )
    .option("--allow-uncertain-repeats", "of a route: go on also where a member may have been executed");
}

/** A request, and a client for the service that it is for. */
interface ReadRequest {
  readonly client: Client;
  readonly request: RunRequest & Target & { input: Record<string, unknown> };
}

/** Reads the request, with the endpoint's schema where values must be coerced; a local daemon is started if need be. */
export async function readRunRequest(
  context: CliContext,
  endpoint: string,
  words: readonly string[],
  flags: RunRequestFlags,
): Promise<ReadRequest> {
  const { target, rest } = parseTarget([endpoint, ...words]);
  const inspect = shellLine("mkt", "inspect", targetWords(target));
  context.suggest(400, inspect);
  // The service names what a wallet needs; for what is dearer than --max-cost, see the price.
  context.suggest(402, inspect);
  context.suggest(404, shellLine("mkt", "endpoints", "--provider", target.provider));
  const literal = await withNextStep(inspect, () => readLiteralInput(context, rest, flags));
  const client = await context.client({ autostart: true });
  const input = literal ?? (await withNextStep(inspect, () => readInputWords(client, target, rest, flags, context.io)));
  return { client, request: { ...target, input, ...requestLimits(flags) } };
}

/** The input that the words and flags give for a known endpoint; undefined when they give none. */
export async function readGivenInput(
  context: CliContext,
  target: Target,
  words: readonly string[],
  flags: RunRequestFlags,
): Promise<Record<string, unknown> | undefined> {
  if (flags.input === undefined && !hasInputWords({ words, ...flags })) return undefined;
  const inspect = shellLine("mkt", "inspect", targetWords(target));
  const literal = await withNextStep(inspect, () => readLiteralInput(context, words, flags));
  const client = await context.client();
  return literal ?? (await withNextStep(inspect, () => readInputWords(client, target, words, flags, context.io)));
}

function requestLimits(flags: RunRequestFlags) {
  const { maxCost, maxPages, tag, deadlineSeconds, maxAge, allowUncertainRepeats } = flags;
  return {
    ...(maxCost && { maxCost }),
    ...(maxPages !== undefined && { maxPages }),
    ...(tag && { tags: tag }),
    ...(deadlineSeconds !== undefined && { deadlineMs: deadlineSeconds * 1000 }),
    ...(maxAge !== undefined && { maxAge }),
    ...(allowUncertainRepeats && { allowUncertainRepeats }),
  };
}

async function readLiteralInput(
  context: CliContext,
  words: readonly string[],
  flags: RunRequestFlags,
): Promise<Record<string, unknown> | undefined> {
  if (flags.input === undefined) return undefined;
  if (hasInputWords({ words, ...flags })) throw usageError("Give the input as -i or as key=value, not as both.");
  return readInput(flags.input, context.io);
}

async function readInputWords(
  client: Client,
  target: Target,
  words: readonly string[],
  { path, query, body }: RunRequestFlags,
  io: Pick<CliIo, "stdin">,
): Promise<Record<string, unknown>> {
  const given = { words, ...(path && { path }), ...(query && { query }), ...(body && { body }) };
  if (!hasInputWords(given)) return {};
  return await coerceInputWithFiles(await client.inspectEndpoint({ body: target }), given, io);
}
