import { microDollars } from "../../shared/micro-dollars.ts";
import type { RunFacts } from "../ledger/records/run-facts.ts";
import type { RunFilter } from "../ledger/stores/run-store.ts";
import type { GroupedRun, RunGrouping, RunSums } from "../ledger/stores/run-sums.ts";
import type { CreatedRange, RunEntry } from "./run-entry.ts";
import type { WantedTerms } from "./run-terms.ts";

/*
 * Sums of the runs of one workspace in one index, by the day (UTC) of their creation and by what is asked for most:
 *
 *   e        provider, endpoint          k        id of the key, its label at the time
 *   ek       all four of them            t:NAME   value of the tag; null for runs without it
 *   t        only there if some names of tags have no table of their own
 *
 * A table with more rows than are worth while is not kept (null): then the runs are looked at. So what is kept is never more
 * than a fixed part of what the runs themselves take. Source: docs/storage.md, "Indexes and snapshots".
 */

const DAY_MS = 86_400_000;
/** Rows of all tables together: a row takes about half of what the row of a run takes. */
const MAX_ROWS = 4_096;
const RUNS_PER_ROW = 2;
/** More names than this are not even named. */
const MAX_TAG_NAMES = 64;
const OTHER_TAGS = "t";

export type SumRow = readonly [
  day: number,
  facts: readonly (string | null)[],
  runs: number,
  failed: number,
  reused: number,
  saved: number,
  charged: number,
  cost: number,
  overruns: number,
  overrun: number,
];
/** Null: not kept. */
export type SumTable = readonly [name: string, rows: readonly SumRow[] | null];

export interface SumQuestion {
  readonly filter: RunFilter;
  readonly by: RunGrouping;
  readonly created: CreatedRange;
  /** What the filter asks for, for an index. */
  readonly wanted: WantedTerms;
  readonly matches: (entry: RunEntry<unknown>) => boolean;
  /** As `matches`, whatever the status, the tags, the controls and the time. */
  readonly matchesShared: (shared: SharedFacts) => boolean;
}

/** `createdAtMs`: some time on the day. */
type SharedFacts = GroupedRun & Pick<RunFacts, "keyId">;

/** Runs that share what the question asks for; what it does not ask for is empty. */
export interface SummedRuns {
  readonly shared: SharedFacts;
  readonly sums: RunSums;
}

/** All tables of some runs of one workspace, in the order of their names; none if there is nothing that is worth while. */
export function makeSumTables(entries: readonly RunEntry<unknown>[]): readonly SumTable[] {
  const mostRows = Math.min(MAX_ROWS, Math.floor(entries.length / RUNS_PER_ROW));
  const all = new Collected(Infinity);
  const byTag = new Map<string, Collected>();
  let hasOtherTags = false;
  for (const entry of entries) {
    const { provider, endpoint, keyId = null, keyLabel = null, tags } = entry;
    const day = dayOf(entry);
    // A time that is none belongs to no day.
    if (!Number.isFinite(day)) return [];
    all.add(day, [provider, endpoint, keyId, keyLabel], entry);
    for (const name in tags) {
      let ofTag = byTag.get(name);
      if (ofTag === undefined && byTag.size === MAX_TAG_NAMES) hasOtherTags = true;
      else {
        if (ofTag === undefined) byTag.set(name, (ofTag = new Collected(mostRows)));
        ofTag.add(day, [tags[name] ?? null], entry);
      }
    }
  }
  const days = all.grouped([]);
  let left = mostRows;
  const fitting = (name: string, rows: readonly SumRow[] | null): SumTable => {
    if (rows === null || rows.length > left || !rows.every(isExact)) return [name, null];
    left -= rows.length;
    return [name, rows];
  };
  const tables = [
    fitting("e", all.grouped([0, 1]).rows),
    fitting("k", all.grouped([2, 3]).rows),
    fitting("ek", all.rows),
  ];
  if (tables.every(([, rows]) => rows === null)) return [];
  for (const [name, ofTag] of [...byTag].sort(([one], [other]) => compare(one, other))) {
    tables.push(fitting(`t:${name}`, ofTag.withRest(days)));
  }
  if (hasOtherTags) tables.push([OTHER_TAGS, null]);
  return tables.sort(([one], [other]) => compare(one, other));
}

/**
 * What fits, of all days, from the tables that `find` finds; undefined if they cannot tell. A filter by status, tag or control is
 * not answered by sums: few ask for these, and each would multiply the rows.
 */
export async function findSums(
  { filter, by, matchesShared }: SumQuestion,
  find: (name: string) => Promise<SumTable | undefined>,
): Promise<readonly SummedRuns[] | undefined> {
  if (filter.statuses !== undefined || filter.tag !== undefined || filter.controlId !== undefined) return undefined;
  const needsEndpoint =
    by === "provider" || by === "endpoint" || filter.provider !== undefined || filter.endpoint !== undefined;
  const needsKey = by === "key" || filter.keyId !== undefined || filter.keyLabel !== undefined;
  if (typeof by === "object") {
    const tagged = await find(`t:${by.tag}`);
    if (tagged !== undefined) {
      const [, rows] = tagged;
      return rows === null || needsEndpoint || needsKey ? undefined : rows.map((row) => taggedRuns(by.tag, row));
    }
    if ((await find(OTHER_TAGS)) !== undefined) return undefined;
    // No run has it.
  }
  for (const name of [
    ...(needsKey ? [] : (["e"] as const)),
    ...(needsEndpoint ? [] : (["k"] as const)),
    "ek" as const,
  ]) {
    const rows = (await find(name))?.[1] ?? null;
    if (rows === null) continue;
    return rows.map((row) => summedRuns(name, row)).filter(({ shared }) => matchesShared(shared));
  }
  return undefined;
}

function taggedRuns(tag: string, row: SumRow): SummedRuns {
  const [value = null] = row[1];
  const shared = { ...untold(row), ...(value !== null && { tags: { [tag]: value } }) };
  return { shared, sums: sumsIn(row) };
}

function summedRuns(name: "e" | "k" | "ek", row: SumRow): SummedRuns {
  const [one = null, two = null, three = null, four = null] = row[1];
  const endpoint = name === "k" ? {} : { provider: one ?? "", endpoint: two ?? "" };
  const [keyId, keyLabel] = name === "k" ? [one, two] : [three, four];
  const key = { ...(keyId !== null && { keyId }), ...(keyLabel !== null && { keyLabel }) };
  return { shared: { ...untold(row), ...endpoint, ...key }, sums: sumsIn(row) };
}

function untold([day]: SumRow): SharedFacts {
  return { provider: "", endpoint: "", createdAtMs: day * DAY_MS };
}

function sumsIn([, , runs, failed, reused, saved, charged, cost, overruns, overrun]: SumRow): RunSums {
  return {
    runs,
    failed,
    reused,
    saved: microDollars(saved),
    charged: microDollars(charged),
    cost: microDollars(cost),
    overruns,
    overrun: microDollars(overrun),
  };
}

/** How many of the runs of a day were created in the range, if those of the whole index were created between these times. */
export function partOfDay(
  day: number,
  created: readonly [first: number, last: number],
  { from, to }: CreatedRange,
): "all" | "some" | "none" {
  const first = Math.max(day * DAY_MS, created[0]);
  const last = Math.min((day + 1) * DAY_MS - 1, created[1]);
  if (last < from || first >= to) return "none";
  return first >= from && last < to ? "all" : "some";
}

export function dayOf({ createdAtMs }: Pick<RunFacts, "createdAtMs">): number {
  return Math.floor(createdAtMs / DAY_MS);
}

/** Rows by day and facts. Of more than `most` rows none is kept. */
class Collected {
  readonly #most: number;
  #rows: Map<string, WritableRow> | undefined = new Map();

  constructor(most: number) {
    this.#most = most;
  }

  get rows(): readonly SumRow[] | null {
    return this.#rows === undefined ? null : [...this.#rows.values()].sort(byDayAndFacts);
  }

  add(day: number, facts: readonly (string | null)[], entry: RunEntry<unknown>): void {
    const row = this.#rowOf(day, facts);
    if (row === undefined) return;
    row[2] += 1;
    if (entry.status === "FAILED" || entry.status === "TIMED_OUT") row[3] += 1;
    if (entry.saved !== undefined) {
      row[4] += 1;
      row[5] += entry.saved;
    }
    row[6] += entry.charged;
    row[7] += entry.cost;
    if (entry.overrun > 0) row[8] += 1;
    row[9] += entry.overrun;
  }

  /** The same runs by fewer facts. */
  grouped(facts: readonly number[]): Collected {
    const fewer = new Collected(Infinity);
    for (const row of this.#rows?.values() ?? []) {
      const same = facts.map((at) => row[1][at] ?? null);
      addRow(fewer.#rowOf(row[0], same), row, 1);
    }
    return fewer;
  }

  /** With the runs of the same days that are not in it. */
  withRest(days: Collected): readonly SumRow[] | null {
    if (this.#rows === undefined) return null;
    const rest = days.grouped([]);
    for (const row of this.#rows.values()) addRow(rest.#rowOf(row[0], []), row, -1);
    for (const row of rest.rows ?? []) if (row[2] > 0) addRow(this.#rowOf(row[0], [null]), row, 1);
    return this.rows;
  }

  #rowOf(day: number, facts: readonly (string | null)[]): WritableRow | undefined {
    const key = keyOf(day, facts);
    const known = this.#rows?.get(key);
    if (known !== undefined || this.#rows === undefined) return known;
    if (this.#rows.size >= this.#most) {
      this.#rows = undefined;
      return undefined;
    }
    const row: WritableRow = [day, facts, 0, 0, 0, 0, 0, 0, 0, 0];
    this.#rows.set(key, row);
    return row;
  }
}

type Writable<Tuple> = { -readonly [Member in keyof Tuple]: Tuple[Member] };
type WritableRow = Writable<SumRow>;

function addRow(into: WritableRow | undefined, row: SumRow, sign: 1 | -1): void {
  if (into === undefined) return;
  into[2] += sign * row[2];
  into[3] += sign * row[3];
  into[4] += sign * row[4];
  into[5] += sign * row[5];
  into[6] += sign * row[6];
  into[7] += sign * row[7];
  into[8] += sign * row[8];
  into[9] += sign * row[9];
}

/** Two lists of facts have the same only if they are the same: the lengths say where each ends. */
function keyOf(day: number, facts: readonly (string | null)[]): string {
  let key = String(day);
  for (const fact of facts) key += fact === null ? " -" : ` ${fact.length}:${fact}`;
  return key;
}

function isExact([, , ...numbers]: SumRow): boolean {
  return numbers.every(Number.isSafeInteger);
}

function byDayAndFacts([oneDay, one]: SumRow, [otherDay, other]: SumRow): number {
  if (oneDay !== otherDay) return oneDay - otherDay;
  for (const [at, fact] of one.entries()) {
    const difference = compareFacts(fact, other[at] ?? null);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Null is last. */
function compareFacts(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return compare(one, other);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
