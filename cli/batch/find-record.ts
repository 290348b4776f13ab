import { resolve } from "node:path";
import type { Client } from "../../shared/client/client.ts";
import type { CliContext } from "../command/context.ts";
import { isSameAddress } from "../connection/api-url.ts";
import { countWords } from "../../shared/count-words.ts";
import { type MicroDollars, plainDollars } from "../../shared/micro-dollars.ts";
import { refusedInput } from "../core/cli-error.ts";
import { confirm } from "../input/confirm.ts";
import { againLine } from "../output/again-line.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords } from "../words/target.ts";
import type { BatchFlags } from "./batch-flags.ts";
import { type BatchIdentity, BatchRecord } from "./batch-record.ts";
import type { BatchPlan, BatchSource } from "./plan-batch.ts";

/** A service remembers keys of rows at least this long. docs/contract.md, "Idempotency". */
const KEYS_ARE_KEPT_MS = 24 * 3_600_000;

/** Of rows that were read from standard input or a pipe. */
export const GIVE_THEM_AGAIN = "It needs the same rows again, on standard input.";

/** What is run, as it was read from the command line. */
export interface Batch {
  readonly client: Client;
  readonly source: BatchSource;
  readonly plan: BatchPlan;
  readonly flags: BatchFlags;
}

/**
 * The record of the batch that is continued, or that of a new one. Rejects with refused input where the flags ask for the
 * other one, and while another process works on it.
 */
export async function findRecord(context: CliContext, batch: Batch): Promise<BatchRecord> {
  const { places } = await context.settings();
  const { flags, plan, source } = batch;
  const identity = await identityOf(context, batch);
  const kept = await BatchRecord.find(places.configDir, identity);
  if (kept === undefined) {
    if (!flags.resume) return BatchRecord.create(places.configDir, identity, plan);
    throw refusedInput(
      "There is no interrupted batch of these rows with these inputs, limits and tags in this workspace.",
      shellLine("mkt", ...context.argv.filter((word) => word !== "--resume")),
    );
  }
  if (flags.dryRun) return kept;
  if (kept.runningIn !== undefined) {
    throw refusedInput(`This batch is running in another process (${kept.runningIn}).`);
  }
  if (!flags.resume) {
    const again = source.isPiped ? ` ${GIVE_THEM_AGAIN}` : "";
    throw refusedInput(
      `A batch of these rows was begun on ${kept.startedAt} and has not ended. Continue it with --resume: no row is charged twice. ` +
        `To begin a new one, which charges every row again, give it another tag, such as --tag again=1.${again}`,
      resumeLine(context),
    );
  }
  if (kept.rows !== plan.rows) {
    throw refusedInput(
      `This batch began with ${countWords(kept.rows, "row")}, and ${plan.rows} are read now by another version of mkt: to continue it could charge rows again. Continue it with the version that began it.`,
    );
  }
  if (isElsewhere(kept.service, identity.service)) {
    await context.output.note(`The batch was begun at ${kept.service}, in the same workspace.`);
  }
  await checkContinuation(context, kept, flags);
  return kept;
}

async function identityOf(context: CliContext, { client, source, plan, flags }: Batch): Promise<BatchIdentity> {
  const { baseUrl, localDaemon } = await context.settings();
  const { columns, endpoint } = source;
  return {
    // The port of a local daemon may change between two starts; its data folder does not.
    service: localDaemon?.url === baseUrl?.value ? (localDaemon?.dataDir ?? "") : (baseUrl?.value ?? ""),
    // Keys of rows belong to a workspace: in another one each row would be charged again.
    workspaceId: (await client.whoami()).workspace?.workspaceId,
    endpoint: targetWords(endpoint),
    digest: plan.digest,
    request: {
      map: columns.names === undefined ? null : [...columns.names],
      constants: columns.constants,
      maxCost: flags.maxCost ?? null,
      // Absent where it is not given: batches of earlier versions are still found.
      ...(flags.maxPages !== undefined && { maxPages: flags.maxPages }),
      tag: flags.tag ?? null,
      deadlineSeconds: flags.deadlineSeconds ?? null,
      // Left out where it is not given, so that batches of former versions are found.
      ...(flags.maxAge !== undefined && { maxAge: flags.maxAge }),
      ...(flags.allowUncertainRepeats && { allowUncertainRepeats: true }),
    },
  };
}

/** The folder of a local daemon is no address. */
function isElsewhere(begun: string | undefined, now: string): boolean {
  return URL.canParse(begun ?? "") && URL.canParse(now) && !isSameAddress(begun ?? "", now);
}

/** Says what continuing it means where it may charge again, or writes elsewhere. */
async function checkContinuation(context: CliContext, kept: BatchRecord, flags: BatchFlags): Promise<void> {
  const output = outputPath(context, flags);
  if (Date.now() - (await kept.unrecordedSince(output)) > KEYS_ARE_KEPT_MS) {
    const question =
      "Rows without a result may have been sent more than 24 hours ago, and the service may have forgotten them: they may be charged again. Continue this batch?";
    await confirm(context, question, { needsYes: true });
  }
  if (!kept.hasWrittenTo(output)) {
    const before = kept.output === undefined ? "to stdout" : `to ${kept.output}`;
    await context.output.note(`The interrupted batch wrote ${before}: every row is written again, at no cost.`);
  }
}

/** The whole path of the results, wherever the command is typed; undefined for stdout. */
export function outputPath({ flags: { output } }: CliContext, { table }: BatchFlags): string | undefined {
  if (output === undefined || output === "-") return undefined;
  return table === undefined ? resolve(output) : `${resolve(output)}#${table}`;
}

/** The command that continues the batch; where its limit stopped it, with one that is enough: the same would stop it at once. */
export function resumeLine({ argv }: CliContext, enough?: MicroDollars): string {
  const limit = enough === undefined ? [] : [["--max-total", plainDollars(enough)] as const];
  return againLine(argv, ...limit, ["--resume"]);
}
