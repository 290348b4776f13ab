import { isDeepStrictEqual } from "node:util";
import { countWords } from "../../../shared/count-words.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { type EndedFacts, endedFactsOf, endedResources } from "../../storage/ended-resource.ts";
import { movedWorkspaces } from "../../storage/line-index.ts";
import type { Queries } from "../../storage/postgres/connection.ts";
import { runRowOf } from "../../storage/postgres/line-rows.ts";
import { readSnapshotAt, snapshotsOf } from "../../storage/postgres/snapshots.ts";
import { LedgerCheck } from "../check-ledger.ts";
import type { Findings } from "../finding.ts";
import { OutputRowsCheck } from "./check-output-rows.ts";
import { differences, type FoundRunRow, RUN_ROWS } from "./run-rows.ts";

/** Lines that are read at once, with what belongs to them. */
const PAGE = 1_000;

/** What the lines say of the other tables. */
export interface ReadLines {
  readonly ledger: LedgerCheck;
  /** The number of the newest line, and its month; 0 and 0 without one. */
  readonly last: { readonly n: number; readonly month: number };
  /** Month → times of creation of the runs that ended in it; infinities where none did. */
  readonly months: ReadonlyMap<number, CreatedSpan>;
  /** Workspace → lines that moved its money. */
  readonly movements: ReadonlyMap<string, NumberSum>;
  /** Id of a resource that ended → what its row says. */
  readonly ended: ReadonlyMap<string, EndedAt>;
}

export interface EndedAt extends EndedFacts {
  readonly month: number;
  readonly n: number;
}

export interface CreatedSpan {
  from: number;
  to: number;
}

/** How many numbers there are, and their sum: two lists with the same are taken for equal. */
export interface NumberSum {
  count: number;
  sum: number;
}

interface LineRow extends Record<string, unknown> {
  readonly n: number;
  readonly month: number;
  readonly batch: string;
  readonly body: string;
}

/** Reads every line and every finished run in their order, and compares the outputs and the snapshots with them. */
export async function checkLineRows(queries: Queries, findings: Findings): Promise<ReadLines> {
  const ledger = new LedgerCheck(findings, ({ seq }) => ({ row: lineName(seq) }));
  const outputs = await OutputRowsCheck.begin(queries, findings);
  const snapshots = new Set(await snapshotsOf(queries));
  const months = new Map<number, CreatedSpan>();
  const movements = new Map<string, NumberSum>();
  const ended = new Map<string, EndedAt>();
  findings.looked.set("snapshots", countWords(snapshots.size, "snapshot"));
  let last = { n: 0, month: 0 };
  let isWhole = true;

  const take = async (row: LineRow, runs: Map<number, FoundRunRow>): Promise<void> => {
    const { n, month, batch, body } = row;
    if (n !== last.n + 1) findings.damage("journal", missingWords(last.n + 1, n - 1), { row: lineName(n) });
    if (month < last.month)
      findings.damage("journal", `it is of ${month}, after one of ${last.month}`, { row: lineName(n) });
    last = { n, month };
    const span = months.get(month) ?? { from: Infinity, to: -Infinity };
    months.set(month, span);
    const content = parsed(body);
    const found = runs.get(n);
    const isKnown =
      content !== undefined &&
      ledger.take({ content, seq: n, accepted: found?.accepted ?? n, segment: 0, file: "", offset: n, length: 0 });
    if (!isKnown) {
      isWhole = false;
      runs.delete(n);
      if (content === undefined) findings.damage("journal", "it is no JSON", { row: lineName(n) });
      return;
    }
    const line = content as unknown as Line;
    for (const workspaceId of movedWorkspaces(line)) addTo(movements, workspaceId, n);
    for (const resource of endedResources(line)) {
      ended.set(resource.resourceId, { ...endedFactsOf(resource), month, n });
    }
    if (line.t === "run.done") {
      runs.delete(n);
      compareRun(findings, line, row, found);
      const { createdMs } = runRowOf(line, n, n);
      span.from = Math.min(span.from, createdMs);
      span.to = Math.max(span.to, createdMs);
      outputs.take(line, n);
    }
    if (snapshots.delete(n)) await compareSnapshot({ queries, findings, ledger }, { n, month, batch });
  };

  for (;;) {
    const rows = await queries.query<LineRow>(
      "select n, month, batch, body from lines where n > $1 order by n limit $2",
      [last.n, PAGE],
    );
    const [from, to] = [last.n, rows.length < PAGE ? Number.MAX_SAFE_INTEGER : (rows.at(-1)?.n ?? 0)];
    const found = await queries.query<FoundRunRow & Record<string, unknown>>(RUN_ROWS, [from, to]);
    const runs = new Map(found.map((row) => [row.n, row]));
    for (const row of rows) await take(row, runs);
    for (const n of runs.keys()) findings.damage("indexes", "no line ended this run", { row: `the run of line ${n}` });
    await outputs.compare(from, to);
    if (rows.length < PAGE) break;
  }
  for (const n of snapshots)
    findings.damage("snapshots", `it stands for line ${n}, which is not there`, { row: snapshotName(n) });
  findings.looked.set("journal", countWords(ledger.lines, "line"));
  if (isWhole) ledger.end();
  ledger.recordCounts();
  outputs.end();
  return { ledger, last, months, movements, ended };
}

function compareRun(
  findings: Findings,
  line: Extract<Line, { t: "run.done" }>,
  { n, month }: LineRow,
  found: FoundRunRow | undefined,
): void {
  const place = { row: lineName(n) };
  if (found === undefined) {
    findings.damage("indexes", `run ${line.run} is in no list: its row in runs is missing`, place);
    return;
  }
  const wrong = differences({ ...runRowOf(line, n, found.accepted), month }, found);
  if (wrong.length === 0) return;
  findings.damage("indexes", `the row in runs of run ${line.run} has another ${wrong.join(", ")}`, place);
}

async function compareSnapshot(
  { queries, findings, ledger: { state } }: { queries: Queries; findings: Findings; ledger: LedgerCheck },
  end: { readonly n: number; readonly month: number; readonly batch: string },
): Promise<void> {
  const found = await readSnapshotAt(queries, end.n);
  const isSame =
    found !== undefined &&
    isDeepStrictEqual(found.seen, end) &&
    isDeepStrictEqual(found.before.durable, state.book) &&
    isDeepStrictEqual([...found.before.openRuns], state.runs.list());
  if (!isSame) {
    findings.damage("snapshots", `it is not what the lines up to ${end.n} give`, { row: snapshotName(end.n) });
  }
}

function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(body);
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export function addTo(sums: Map<string, NumberSum>, name: string, n: number): void {
  const known = sums.get(name);
  if (known === undefined) sums.set(name, { count: 1, sum: n });
  else {
    known.count += 1;
    known.sum = (known.sum + n) % Number.MAX_SAFE_INTEGER;
  }
}

function missingWords(first: number, last: number): string {
  return last > first
    ? `lines ${first} to ${last}, before it, are missing`
    : last === first
      ? `line ${first}, before it, is missing`
      : "its number is not the next one";
}

function lineName(n: number): string {
  return `line ${n}`;
}

function snapshotName(n: number): string {
  return `snapshot ${n}`;
}
