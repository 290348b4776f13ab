import { hasOutput, movedWorkspaces } from "../line-index.ts";
import { addGuards, guardRowsOf } from "./last-guards.ts";
import { piecesOf, type PreparedLine, runRowOf, type RunRow, TERM_END } from "./line-rows.ts";
import type { StatementList } from "./statement-list.ts";

/** Until the transaction ends, nobody else writes a line or fences a daemon. */
export const LOCK_HEAD = "select n, month from head for update";

const DAY_MS = 86_400_000;

/** No JSON has it. */
const JSON_END = "\n";

/**
 * Columns are given as lists, one value a row, so that the text of the statement is always the same. Columns of JSON are texts
 * in a row: in a list each quotation mark would be escaped, which takes seconds for a large output, with the head held.
 */
export const APPEND = `
with written as (
  insert into lines (n, month, batch, body)
  select $1::bigint + i, $2::integer, $3::uuid, body from unnest(${jsonList("$4")}) with ordinality as each (body, i)
), ended as (
  insert into runs (month, n, accepted, run_id, workspace_id, created_ms, terms, facts, idempotency_key, kept_key)
  select $2, n, accepted, run_id, workspace_id, created_ms, string_to_array(terms, '${TERM_END}'), facts, idempotency_key, kept_key
  from unnest($5::bigint[], $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[], ${jsonList("$11")}, $12::text[], $13::text[])
    as each (n, accepted, run_id, workspace_id, created_ms, terms, facts, idempotency_key, kept_key)
), moved as (
  insert into movements (month, workspace_id, n)
  select $2, workspace_id, n from unnest($14::text[], $15::bigint[]) as each (workspace_id, n)
), answered as (
  insert into outputs (month, n, piece, ended_at, body)
  select $2, n, piece, ended_at, body
  from unnest($16::bigint[], $17::integer[], $18::text[], ${jsonList("$19")}) as each (n, piece, ended_at, body)
), posted as (
  select account, micro from unnest($20::text[], $21::bigint[]) as each (account, micro)
), known as (
  update accounts set micro = accounts.micro + posted.micro from posted where accounts.account = posted.account
  returning accounts.account
), opened as (
  insert into accounts (account, micro)
  select account, micro from posted where account not in (select account from known)
), begun as (
  insert into run_owners (run_id, owner) select unnest($25::text[]), $26::text
), left_over as (
  delete from run_owners where run_id = any($27::text[])
), spanned as (
  update months set created_from = least(created_from, $22::bigint), created_to = greatest(created_to, $23::bigint)
  where month = $2 and $22::bigint is not null
    and (created_from is null or created_from > $22::bigint or created_to < $23::bigint)
), headed as (
  update head set n = $24::bigint, month = $2
)
select pg_notify($28::text, $24::text) where $28::text is not null`;

function jsonList(text: string): string {
  return `string_to_array(${text}::text, '${JSON_END}')`;
}

export interface Batch {
  readonly id: string;
  /** Number of the line before its first. */
  readonly after: number;
  readonly month: number;
  readonly lines: readonly PreparedLine[];
  /** For each line: number of the line that accepted the run which it ends, or its own. */
  readonly accepted: readonly number[];
  /** The daemon that drives the runs which its lines make known; undefined for tools, which drive none. */
  readonly owner: string | undefined;
  /** The channel on which other daemons are told of it with its commit; undefined: they are not. */
  readonly toldOn: string | undefined;
}

/**
 * Adds what writes lines and all that finds them, as statements of the transaction that holds the head. Tools copy what rules
 * once allowed, so nothing of theirs is guarded.
 */
export function addAppend(statements: StatementList, batch: Batch): void {
  const { id, after, month, lines, owner, toldOn } = batch;
  const guards = owner === undefined ? undefined : guardRowsOf(lines);
  const runs = runsOf(batch);
  const moved = lines.flatMap(({ line }, i) =>
    movedWorkspaces(line).map((workspaceId) => [workspaceId, after + 1 + i] as const),
  );
  const pieces = piecesIn(batch);
  const posted = [...postingsOf(lines)];
  const created = runs.map(({ createdMs }) => createdMs);
  const { begun, ended } = ownedBy(owner, lines);
  const column = <Name extends keyof RunRow>(name: Name) => runs.map((run) => run[name]);
  if (guards !== undefined) addGuards(statements, guards);
  statements.queryNamed("append", APPEND, [
    after,
    month,
    id,
    lines.map(({ body }) => body).join(JSON_END),
    column("n"),
    column("accepted"),
    column("runId"),
    column("workspaceId"),
    column("createdMs"),
    column("terms"),
    column("facts").join(JSON_END),
    column("idempotencyKey"),
    column("keptKey"),
    moved.map(([workspaceId]) => workspaceId),
    moved.map(([, n]) => n),
    pieces.map(({ n }) => n),
    pieces.map(({ piece }) => piece),
    pieces.map(({ endedAt }) => endedAt),
    pieces.map(({ body }) => body).join(JSON_END),
    posted.map(([account]) => account),
    posted.map(([, micro]) => micro),
    // Whole days, so that the row of the month changes once a day.
    created.length === 0 ? null : Math.floor(Math.min(...created) / DAY_MS) * DAY_MS,
    created.length === 0 ? null : Math.ceil((Math.max(...created) + 1) / DAY_MS) * DAY_MS,
    after + lines.length,
    begun,
    owner ?? null,
    ended,
    toldOn ?? null,
  ]);
}

/** Runs that are open now, and those that are not any more: what a batch both begins and ends is neither. */
function ownedBy(
  owner: string | undefined,
  lines: readonly PreparedLine[],
): { readonly begun: readonly string[]; readonly ended: readonly string[] } {
  if (owner === undefined) return { begun: [], ended: [] };
  const begun = new Set<string>();
  const ended: string[] = [];
  for (const { line } of lines) {
    if (line.t === "run.accepted") begun.add(line.run);
    if (line.t === "run.done" && !begun.delete(line.run)) ended.push(line.run);
  }
  return { begun: [...begun], ended };
}

function runsOf({ lines, after, accepted }: Batch): RunRow[] {
  return lines.flatMap(({ line }, i) => {
    const n = after + 1 + i;
    return line.t === "run.done" ? [runRowOf(line, n, accepted[i] ?? n)] : [];
  });
}

function piecesIn({ lines, after }: Batch): { n: number; piece: number; endedAt: string; body: string }[] {
  return lines.flatMap(({ line, output }, i) => {
    if (output === undefined || line.t !== "run.done" || !hasOutput(line)) return [];
    const endedAt = line.rec.completedAt ?? line.at;
    return piecesOf(output).map((body, piece) => ({ n: after + 1 + i, piece, endedAt, body }));
  });
}

/** What all lines together move on each account; micro-dollars. */
function postingsOf(lines: readonly PreparedLine[]): ReadonlyMap<string, number> {
  const moved = new Map<string, number>();
  for (const { line } of lines) {
    if (!("led" in line)) continue;
    for (const [account, amount] of line.led) moved.set(account, (moved.get(account) ?? 0) + amount);
  }
  return moved;
}
