import type { WorkspaceId } from "../base/ids.ts";
import type { ExportFormat } from "../../shared/contract/usage.ts";
import { formatDollars, type MicroDollars } from "../../shared/micro-dollars.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { DamagedRun, RunFilter, RunStore, RunSummary } from "../ledger/stores/run-store.ts";
import { toRunListItem } from "../runs/answers/run-wire.ts";
import { csvLine, type CsvValue } from "../../shared/csv-line.ts";

/** Number of runs that are in memory at a time. */
const PAGE = 100;

/**
 * All runs of the filter, newest first, one page per piece; the next page is read when the one before was consumed.
 * Runs that begin meanwhile are not included. A run whose record is damaged is listed with what is still known of it:
 * as JSON it begins with `"damaged":true`, and in a table that is in the last column.
 */
export async function* exportRuns(
  { store, ids }: { readonly store: RunStore; readonly ids?: Pick<WireIds, "ofRun"> | undefined },
  workspaceId: WorkspaceId,
  filter: RunFilter,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine([...columns.map(([name]) => name), "damaged"]);
  const toLine = format === "csv" ? toCsvLine : toJsonLine;
  let before: number | undefined;
  do {
    const page = await store.listWhatIsLeft(workspaceId, filter, {
      limit: PAGE,
      ...(before !== undefined && { before }),
    });
    const runs =
      ids === undefined
        ? page.items
        : await Promise.all(page.items.map((run) => ("damaged" in run ? run : ids.ofRun(run))));
    if (runs.length > 0) yield runs.map(toLine).join("");
    before = page.next;
  } while (before !== undefined);
}

function toJsonLine(run: RunSummary | DamagedRun): string {
  return `${JSON.stringify("damaged" in run ? toDamagedItem(run) : toRunListItem(run))}\n`;
}

function toCsvLine(run: RunSummary | DamagedRun): string {
  if (!("damaged" in run)) return csvLine([...columns.map(([, cell]) => cell(run)), undefined]);
  const { error, cost, currency, tags, ...facts } = toDamagedItem(run);
  const cells: Readonly<Record<string, CsvValue>> = {
    ...facts,
    damaged: undefined,
    currency,
    charged: dollars(run.damaged.charged),
    cost,
    tags: tags === undefined ? undefined : JSON.stringify(tags),
    error: error.message,
  };
  return csvLine([...columns.map(([name]) => cells[name]), "true"]);
}

/** Its position on the disk is only in the log, for the operator. */
function toDamagedItem({
  damaged: { runId, status, provider, endpoint, keyLabel, createdAtMs, ...facts },
}: DamagedRun) {
  return {
    damaged: true,
    runId,
    status,
    provider,
    endpoint,
    ...(keyLabel !== undefined && { keyLabel }),
    createdAt: new Date(createdAtMs).toISOString(),
    currency: "USD",
    charged: dollars(facts.charged),
    cost: dollars(facts.cost),
    ...(facts.tags !== undefined && { tags: facts.tags }),
    error: {
      message: "The record of this run is damaged on the disk of the service; its operator's log names the place",
    },
  };
}

/**
 * The columns of the table, in order. New ones go to the end, because users rely on the positions of these; `damaged` comes
 * after all of them.
 */
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
  ["answeredFrom", (run) => run.answeredFrom?.runId],
  ["saved", (run) => dollars(run.answeredFrom?.savedMicroDollars)],
];

/** Exact, and never in a form with an exponent: `0.000001`. */
function dollars(value: MicroDollars | undefined): string | undefined {
  return value === undefined ? undefined : formatDollars(value).replace("$", "");
}
