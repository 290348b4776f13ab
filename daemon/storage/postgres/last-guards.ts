import type { RunId } from "../../base/ids.ts";
import { isLive, type ResourceRecord } from "../../ledger/records/resource-record.ts";
import { endedAtOnce } from "../../ledger/records/run-record.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import type { Book } from "../book/book.ts";
import { holderOf } from "../book/resources-book.ts";
import { KEY_HOLDS_MS } from "../taken-keys.ts";
import { resourcesOf } from "../ended-resource.ts";
import type { Queries } from "./connection.ts";
import type { Database } from "./database.ts";
import { constraintOf } from "./database-errors.ts";
import { digestOf, type PreparedLine } from "./line-rows.ts";
import type { StatementList } from "./statement-list.ts";

/*
 * The last guard behind the rules that a daemon decides by: unique keys of the database, in the transaction of the lines. It
 * refuses nothing that the rules allow: a key may be used again by a run that repeats an earlier one, and after its time; an id
 * at a provider is free when its resource has ended.
 */

/** Rows older than this say nothing any more: a key holds for less than a day. */
const KEPT = "2 days";
const SWEPT_AT_ONCE = 10_000;
const SWEEP_EVERY_MS = 60_000;

/** Removes what makes room for what `HOLD` adds. */
export const MAKE_ROOM = `
with reused as (
  delete from used_keys using unnest($1::text[], $2::bigint[], $3::text[]) as use (key, used_ms, retry_of)
  where used_keys.key = use.key and (used_keys.run_id = use.retry_of or abs(use.used_ms - used_keys.used_ms) > ${KEY_HOLDS_MS})
)
delete from held_ids where resource_id = any($4::text[])`;

export const HOLD = `
with used as (
  insert into used_keys (key, used_ms, run_id) select unnest($1::text[]), unnest($2::bigint[]), unnest($3::text[])
)
insert into held_ids (name, resource_id) select unnest($4::text[]), unnest($5::text[])`;

/** Daemons may sweep at the same time: each takes rows that no other is taking. */
export const SWEEP = `
with swept as (
  delete from used_keys where key in (
    select key from used_keys where at < clock_timestamp() - interval '${KEPT}' order by at limit $1 for update skip locked
  ) returning key
)
select count(*) as keys from swept`;

/** Of a run that was repeated before the one that is repeated now: a daemon of the version before repeated it. */
export const FREE_REPEATED = `
delete from used_keys where key = $1 and run_id in (
  select older.run_id from runs as newer join runs as older on older.idempotency_key = newer.idempotency_key
  where newer.run_id = $2 and older.accepted < newer.accepted
) returning key`;

/** Of a resource that has ended: a daemon of the version before ended it. One that is not known may be another daemon's, and lives. */
export const FREE_ENDED = `
delete from held_ids using ended_resources
where held_ids.name = any($1::text[]) and ended_resources.resource_id = held_ids.resource_id returning name`;

interface KeyUse {
  readonly key: string;
  readonly usedMs: number;
  /** Absent when it was used for another request than one for a run. */
  readonly runId?: RunId;
  /** The earlier run with the key that this one says it repeats. */
  readonly retryOf?: RunId;
}

/** What the lines of a batch use, hold and give back. */
export interface GuardRows {
  readonly uses: readonly KeyUse[];
  readonly held: readonly { readonly name: string; readonly resourceId: string }[];
  /** Resources that ended. */
  readonly ended: readonly string[];
}

/** Undefined when it is nothing. */
export function guardRowsOf(lines: readonly PreparedLine[]): GuardRows | undefined {
  const uses: KeyUse[] = [];
  const held: { name: string; resourceId: string }[] = [];
  const ended: string[] = [];
  for (const { line } of lines) {
    const use = useOf(line);
    if (use !== undefined) uses.push(use);
    for (const resource of resourcesOf(line)) {
      if (!isLive(resource)) ended.push(resource.resourceId);
      else if (resource.revision === 1) held.push({ name: nameOf(resource), resourceId: resource.resourceId });
    }
  }
  return uses.length + held.length + ended.length === 0 ? undefined : { uses, held, ended };
}

/** They are part of the transaction of the lines. */
export function addGuards(statements: StatementList, { uses, held, ended }: GuardRows): void {
  const keys = uses.map(({ key }) => key);
  const times = uses.map(({ usedMs }) => usedMs);
  const over = new Set(ended);
  // What was made and ended in one batch holds nothing after it.
  const left = held.filter(({ resourceId }) => !over.has(resourceId));
  statements.queryNamed("make-room", MAKE_ROOM, [keys, times, uses.map(({ retryOf }) => retryOf ?? null), ended]);
  statements.queryNamed("hold", HOLD, [
    keys,
    times,
    uses.map(({ runId }) => runId ?? null),
    left.map(({ name }) => name),
    left.map(({ resourceId }) => resourceId),
  ]);
}

/** True when the error says that an Idempotency-Key is used. */
export function isKeyUsed(error: unknown): boolean {
  return constraintOf(error) === "used_keys_pkey";
}

/** True when the error says that a resource has the id at the provider. */
function isIdHeld(error: unknown): boolean {
  return constraintOf(error) === "held_ids_pkey";
}

/**
 * After a line was refused, in a transaction that holds the head: true when the rows that were in its way are only left over, as
 * a daemon of the version before leaves them. They are gone then, and the line may be written.
 */
export async function freeLeftOver(queries: Queries, error: unknown, line: Line): Promise<boolean> {
  if (isIdHeld(error)) return await freeEnded(queries, line);
  return isKeyUsed(error) && (await freeRepeated(queries, line));
}

async function freeRepeated(queries: Queries, line: Line): Promise<boolean> {
  const use = useOf(line);
  if (use?.retryOf === undefined) return false;
  return (await queries.query(FREE_REPEATED, [use.key, use.retryOf])).length > 0;
}

async function freeEnded(queries: Queries, line: Line): Promise<boolean> {
  return (await queries.query(FREE_ENDED, [resourcesOf(line).map(nameOf)])).length > 0;
}

/** Resources from before there was a guard, or of a daemon of the version before, have their ids held from now on. */
export async function holdEarlier(database: Database, book: Book): Promise<void> {
  const first = (resource: ResourceRecord) => holderOf(book.resources, resource) === resource;
  const live = [...book.resources.resources.values()].filter(first);
  if (live.length === 0) return;
  await database.query(
    "insert into held_ids (name, resource_id) select unnest($1::text[]), unnest($2::text[]) on conflict do nothing",
    [live.map(nameOf), live.map(({ resourceId }) => resourceId)],
  );
}

/** Forgets keys that are too old to be held, so many in one statement, until there is none or `signal` says so. */
export async function sweepKeys(
  database: Database,
  { atOnce = SWEPT_AT_ONCE, signal }: { readonly atOnce?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  for (let swept = atOnce; swept >= atOnce;) {
    const [row] = await database.query<{ keys: number }>(SWEEP, [atOnce]);
    swept = signal?.aborted === true ? 0 : (row?.keys ?? 0);
  }
}

/** Sweeps once a minute: keys come as fast as runs do. */
export function keepKeysSwept(database: Database, onProblem: (error: unknown) => void): AsyncDisposable {
  const closing = new AbortController();
  const { signal } = closing;
  let sweeping: Promise<void> | undefined;
  const sweep = async () => {
    await sweepKeys(database, { signal }).catch(onProblem);
    sweeping = undefined;
  };
  const timer = setInterval(() => (sweeping ??= sweep()), SWEEP_EVERY_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      closing.abort();
      await sweeping;
    },
  };
}

/** A run uses its key in its first line. */
function useOf(line: Line): KeyUse | undefined {
  if ("idem" in line && line.idem !== undefined)
    return { key: `made:${line.idem.key}`, usedMs: millisecondsOf(line.at) };
  if (line.t !== "run.accepted" && !(line.t === "run.done" && endedAtOnce(line.rec))) return undefined;
  const { idempotency, createdAt, runId } = line.rec;
  if (idempotency === undefined) return undefined;
  const { key, retryOf } = idempotency;
  return { key: `run:${key}`, usedMs: millisecondsOf(createdAt), runId, ...(retryOf !== undefined && { retryOf }) };
}

function nameOf({ provider, resource, externalId }: ResourceRecord): string {
  return digestOf(JSON.stringify([provider, resource, externalId]));
}

function millisecondsOf(instant: string): number {
  const ms = Date.parse(instant);
  return Number.isFinite(ms) ? ms : 0;
}
