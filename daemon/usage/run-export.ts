import type { ExportFormat } from "../../shared/contract/usage.ts";
import { formatDollars, microDollars } from "../../shared/micro-dollars.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { RunFilter, RunStore, RunSummary } from "../runs/run-store.ts";
import { toRunListItem } from "../runs/run-wire.ts";
import { csvLine, type CsvValue } from "./csv.ts";

/** Runs that are in memory together. */
const PAGE = 100;

/**
 * All runs of the filter, newest first, a page a piece: the next is read when the one before was taken. A run that begins
 * meanwhile is not among them.
 */
export async function* exportRuns(
  { store, ids }: { readonly store: RunStore; readonly ids?: Pick<WireIds, "ofRun"> | undefined },
  workspaceId: string,
  filter: RunFilter,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine(columns.map(([name]) => name));
  const toLine = format === "csv" ? toCsvLine : toJsonLine;
  let before: number | undefined;
  do {
    const page = await store.listRuns(workspaceId, filter, { limit: PAGE, ...(before !== undefined && { before }) });
    const runs = ids === undefined ? page.items : await Promise.all(page.items.map((run) => ids.ofRun(run)));
    if (runs.length > 0) yield runs.map(toLine).join("");
    before = page.next;
  } while (before !== undefined);
}

function toJsonLine(run: RunSummary): string {
  return `${JSON.stringify(toRunListItem(run))}\n`;
}

function toCsvLine(run: RunSummary): string {
  return csvLine(columns.map(([, cell]) => cell(run)));
}

/** The columns of the table, in their order. New ones go to the end: others count on the places of these. */
const columns: readonly (readonly [name: string, cell: (run: RunSummary) => CsvValue])[] = [
  ["runId", (run) => run.runId],
  ["status", (run) => run.status],
  ["provider", (run) => run.provider],
  ["endpoint", (run) => run.endpoint],
  ["keyLabel", (run) => run.keyLabel],
  ["caller", (run) => run.caller],
  ["createdAt", (run) => run.createdAt],
  ["startedAt", (run) => run.startedAt],
  ["completedAt", (run) => run.completedAt],
  ["httpStatus", (run) => run.providerResponse?.httpStatus],
  ["resultCount", (run) => run.resultCount ?? undefined],
  ["billedUnits", (run) => run.billedUnits],
  ["currency", () => "USD"],
  ["charged", (run) => dollars(run.billing?.reported)],
  ["cost", (run) => dollars(run.billing?.actual)],
  ["overrun", (run) => dollars(run.overrunMicroDollars)],
  ["tags", (run) => (run.tags === undefined ? undefined : JSON.stringify(run.tags))],
  ["error", (run) => run.error?.message],
];

/** Exact, and never in a form with an exponent: `0.000001`. */
function dollars(value: number | undefined): string | undefined {
  return value === undefined ? undefined : formatDollars(microDollars(value)).replace("$", "");
}
