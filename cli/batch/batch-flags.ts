import type { Money } from "../../shared/contract/common.ts";
import type { CliContext } from "../command/context.ts";
import { usageError } from "../core/cli-error.ts";
import { formatOfName, type RowFormat } from "./read-rows.ts";
import { checkTable } from "./results/results-format.ts";

/** Tags of a run have a limit, and one of them is the batch. */
const MOST_TAGS = 9;

/** The flags of `mkt batch`, as commander reads them. */
export interface BatchFlags {
  map?: string[];
  concurrency: number;
  maxTotal?: Money;
  maxCost?: Money;
  maxPages?: number;
  tag?: Record<string, string>;
  deadlineSeconds?: number;
  maxAge?: number;
  allowUncertainRepeats?: true;
  waitSeconds: number;
  format?: RowFormat;
  table?: string;
  resume?: true;
  dryRun?: true;
}

export function parseFormat(value: string): RowFormat {
  if (value === "csv" || value === "jsonl") return value;
  throw usageError(`--format must be csv or jsonl, not "${value}".`);
}

/** Throws usage errors for flags that do not fit each other, before anything is asked for. */
export function checkFlags({ flags }: CliContext, { tag, dryRun, table }: BatchFlags): void {
  if (table !== undefined) checkTable(flags.output, table);
  if (!dryRun && (flags.fields !== undefined || flags.jq !== undefined)) {
    throw usageError("--fields and --jq are not for a batch: apply them to its results.");
  }
  if (Object.keys(tag ?? {}).length > MOST_TAGS) {
    throw usageError(`A batch takes at most ${MOST_TAGS} tags: one more is the batch itself.`);
  }
  if (tag?.["batch"] !== undefined) throw usageError("The tag batch is the batch's own id: choose another name.");
}

/** By the flag, else by the end of the file's name. */
export function formatOf(rows: string, { format }: BatchFlags): RowFormat {
  const byName = format ?? formatOfName(rows);
  if (byName !== undefined) return byName;
  if (rows === "-") throw usageError("Say how standard input is written: --format csv or --format jsonl.");
  throw usageError(`${rows} is neither .csv nor .jsonl: say how it is written with --format.`);
}
