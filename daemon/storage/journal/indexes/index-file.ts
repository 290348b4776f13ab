import type { RunId } from "../../../base/ids.ts";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { MicroDollars } from "../../../../shared/micro-dollars.ts";
import type { EndedFacts } from "../../ended-resource.ts";
import type { LineIndex } from "../../line-index.ts";
import type { RunEntry } from "../../run-entry.ts";
import { termsOf } from "../../run-terms.ts";
import { makeSumTables, type SumTable } from "../../sum-tables.ts";
import { makeBloomFilter } from "./bloom-filter.ts";
import { decodeChecked, encodeChecked } from "../segments/checked-text.ts";
import { type EncodedRows, encodeRows } from "./row-set.ts";
import { JournalEnd, type SegmentSpan } from "../segments/segment.ts";

/*
 * The index of a sealed segment, `<segment>.idx`: a pure function of the segment's lines, and so only a cache. Lines of JSON
 * with checksums, as the journal's own:
 *
 *   header    the summary that a start reads, nothing else: 1 KiB
 *   blocks    sorted rows:
 *               ids    [run id, workspace, offset, length]                    by run id
 *               runs   [workspace, number of acceptance, facts…, offset, length]   by workspace, then number
 *               moves  [workspace, number, offset, length]                    by workspace, then number
 *               keys   [first digits of the key's hash, offset, length]       by those digits; keys of kept answers too
 *               terms  [workspace, term, its rows of "runs"]                  by workspace, then term
 *               sums   [workspace, name of the table, its rows]               by workspace, then name
 *               ended  [workspace, resource id, facts…, offset, length]       by workspace, then id
 *   filters   Bloom filters of the run ids, of the keys together with the ids of ended resources, and of the terms
 *   footer    the workspaces, to which rows refer by position, where in "runs" each of them begins, and for each block its
 *             first key, offset and length
 *
 * Offsets and lengths in rows are those of lines in the segment. Source: docs/storage.md, "Indexes and snapshots".
 */

/** Large blocks suit scans, small ones the look-up of a single run. */
export const ROWS_PER_BLOCK = { ids: 32, runs: 128, moves: 128, keys: 64, terms: 32, sums: 4, ended: 64 } as const;
const BLOCKS_AT_ONCE = 16;
export const INDEX_HEADER_BYTES = 1_024;
/**
 * An index of version 1 is rebuilt at the start. One of version 2 has no terms, one of version 3 no sums, and one of version 4 no
 * ended resources: they serve until they are replaced, after the start.
 */
export const INDEX_VERSION = 5;
const READABLE_VERSIONS = [2, 3, 4, INDEX_VERSION] as const;
const KEY_DIGITS = 16;

/** The position of a line: name of the segment's file, offset and length in bytes, without the newline. */
export interface LinePlace {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

const Place = z.tuple([z.int().nonnegative(), z.int().nonnegative()]);

export const IndexHeader = z.object({
  t: z.literal("index"),
  v: z.literal(READABLE_VERSIONS),
  file: z.string(),
  bytes: z.int().nonnegative(),
  after: JournalEnd,
  end: JournalEnd,
  newestAt: z.string(),
  /** Empty if no run in it has an output. */
  oldestOutputAt: z.string(),
  newestRun: z.int().nonnegative(),
  /** The lowest number of a line that created a run of it; absent in version 2. */
  oldestRun: z.int().nonnegative().exactOptional(),
  /** First and last run id; null without runs, as is `created`: first and last time of creation, milliseconds. */
  ids: z.tuple([z.string(), z.string()]).nullable(),
  created: z.tuple([z.number(), z.number()]).nullable(),
  /** First and last id of a resource that ended in it; null without one, absent before version 5. */
  ended: z.tuple([z.string(), z.string()]).nullable().exactOptional(),
  /** When the last one ended that had paid for more than its first period; empty without one. */
  rentedAt: z.string().exactOptional(),
  /** Offset and length, without the newline. */
  idFilter: Place,
  keyFilter: Place,
  /** Absent in version 2. */
  termFilter: Place.exactOptional(),
  footer: Place,
  pad: z.string(),
});
export type IndexHeader = z.infer<typeof IndexHeader>;

export type SectionName = keyof typeof ROWS_PER_BLOCK;
/** First key of a block (one or two members), then its offset and length. */
export type Fence = readonly [...key: (string | number)[], offset: number, length: number];

export interface IndexFooter {
  /** Sorted. */
  readonly workspaces: readonly string[];
  /** Of each workspace the place of its first row in "runs"; then the number of all rows. Empty in version 2. */
  readonly starts: readonly number[];
  /** No terms in version 2, no sums before version 4, and no ended resources before version 5. */
  readonly fences: Readonly<Partial<Record<SectionName, readonly Fence[]>>>;
}

export type IdRow = readonly [runId: RunId, workspace: number, offset: number, length: number];
export type MoveRow = readonly [workspace: number, seq: number, offset: number, length: number];
export type KeyRow = readonly [digits: string, offset: number, length: number];
/** The rows count from the first one of the workspace. */
export type TermRow = readonly [workspace: number, term: string, rows: EncodedRows];
export type SumTableRow = readonly [workspace: number, ...table: SumTable];
export type EndedRow = readonly [
  workspace: number,
  resourceId: string,
  provider: string,
  resourceType: EndedFacts["resourceType"],
  state: EndedFacts["state"],
  provisionedBy: string,
  cycle: number,
  endedAt: string,
  offset: number,
  length: number,
];
/** `null` where the run has none. */
export type RunRow = readonly [
  workspace: number,
  seq: number,
  runId: RunId,
  status: RunEntry<unknown>["status"],
  provider: string,
  endpoint: string,
  createdAtMs: number,
  charged: MicroDollars,
  cost: MicroDollars,
  overrun: MicroDollars,
  keyId: string | null,
  keyLabel: string | null,
  tags: RunEntry<unknown>["tags"] | null,
  controlIds: readonly string[] | null,
  offset: number,
  length: number,
  /** Only of runs that were answered from an earlier one. */
  saved?: MicroDollars,
];

/** How the filter of terms has a term of a workspace. */
export function termName(workspaceId: string, term: string): string {
  return `${workspaceId} ${term}`;
}

export function keyDigits(key: string): string {
  return key.slice(0, KEY_DIGITS);
}

/** Encodes the whole file; yields to other work between blocks. */
export async function encodeIndex(span: SegmentSpan, index: LineIndex<LinePlace>): Promise<Buffer> {
  const { runsOf, movementsOf, endedOf } = index;
  const workspaces = [...new Set([...runsOf.keys(), ...movementsOf.keys(), ...endedOf.keys()])].sort();
  const placeOf = new Map(workspaces.map((workspaceId, place) => [workspaceId, place]));
  const blocks = new Blocks(INDEX_HEADER_BYTES);
  const terms = termRows(index, workspaces);
  const fences = {
    ids: await blocks.add("ids", idRows(index, placeOf), 1),
    runs: await blocks.add("runs", runRows(index, workspaces), 2),
    moves: await blocks.add("moves", moveRows(index, workspaces), 2),
    keys: await blocks.add("keys", keyRows(index), 1),
    terms: await blocks.add("terms", terms, 2),
    sums: await blocks.add("sums", sumTableRows(index, workspaces), 2),
    ended: await blocks.add("ended", endedRows(index, workspaces), 2),
  };
  const idFilter = blocks.append(filterOf([...index.runs.keys()]));
  const keyFilter = blocks.append(filterOf([...index.byKey.keys(), ...index.ended.keys()]));
  const termNames = terms.map(([workspace, term]) => termName(workspaces[workspace] ?? "", term));
  const termFilter = blocks.append(filterOf(termNames));
  const footer = blocks.append({ t: "footer", workspaces, starts: startsOf(index, workspaces), fences });
  const header: Omit<IndexHeader, "pad"> = {
    t: "index",
    v: INDEX_VERSION,
    file: span.segment.name,
    bytes: span.bytes,
    after: span.after,
    end: span.end,
    newestAt: index.newestAt,
    oldestOutputAt: index.oldestOutputAt,
    newestRun: index.newestRun,
    oldestRun: oldestRunOf(index),
    ids: rangeOf([...index.runs.keys()]),
    created: rangeOf([...index.runs.values()].map(({ createdAtMs }) => createdAtMs)),
    ended: index.endedIds === undefined ? null : [...index.endedIds],
    rentedAt: index.newestRentedAt,
    idFilter,
    keyFilter,
    termFilter,
    footer,
  };
  return Buffer.concat([encodeHeader(header), ...blocks.all]);
}

/** The header; undefined if it is damaged or of another version. */
export function decodeIndexHeader(bytes: Buffer): IndexHeader | undefined {
  const checked = decodeChecked(bytes.subarray(0, INDEX_HEADER_BYTES - 1));
  return typeof checked === "string" ? undefined : IndexHeader.safeParse(checked.value).data;
}

class Blocks {
  readonly all: Buffer[] = [];
  #offset: number;

  constructor(offset: number) {
    this.#offset = offset;
  }

  append(content: object): [offset: number, length: number] {
    const bytes = encodeChecked(content);
    const place: [number, number] = [this.#offset, bytes.length - 1];
    this.all.push(bytes);
    this.#offset += bytes.length;
    return place;
  }

  async add(
    section: SectionName,
    rows: readonly (readonly unknown[])[],
    keyMembers: number,
  ): Promise<(readonly unknown[])[]> {
    const fences: (readonly unknown[])[] = [];
    const size = ROWS_PER_BLOCK[section];
    for (let from = 0; from < rows.length; from += size) {
      if (fences.length % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await setImmediate();
      const block = rows.slice(from, from + size);
      fences.push([...(block[0] ?? []).slice(0, keyMembers), ...this.append({ t: section, rows: block })]);
    }
    return fences;
  }
}

function filterOf(keys: readonly string[]): { t: string; bits: string } {
  return { t: "filter", bits: makeBloomFilter(keys).toString("base64") };
}

function encodeHeader(header: Omit<IndexHeader, "pad">): Buffer {
  const missing = INDEX_HEADER_BYTES - encodeChecked({ ...header, pad: "" }).length;
  if (missing < 0) throw new Error(`the index header of ${header.file} is too long`);
  return encodeChecked({ ...header, pad: " ".repeat(missing) });
}

function idRows(index: LineIndex<LinePlace>, placeOf: ReadonlyMap<string, number>): IdRow[] {
  return [...index.runs.values()]
    .map(({ runId, workspaceId, where }): IdRow => [runId, placeOf.get(workspaceId) ?? 0, where.offset, where.length])
    .sort((one, other) => compare(one[0], other[0]));
}

function runRows(index: LineIndex<LinePlace>, workspaces: readonly string[]): RunRow[] {
  return workspaces.flatMap((workspaceId, place) =>
    (index.runsOf.get(workspaceId) ?? []).map((entry): RunRow => [
      place,
      entry.seq,
      entry.runId,
      entry.status,
      entry.provider,
      entry.endpoint,
      entry.createdAtMs,
      entry.charged,
      entry.cost,
      entry.overrun,
      entry.keyId ?? null,
      entry.keyLabel ?? null,
      entry.tags ?? null,
      entry.controlIds ?? null,
      entry.where.offset,
      entry.where.length,
      ...savedOf(entry),
    ]),
  );
}

function savedOf({ saved }: RunEntry<LinePlace>): [MicroDollars?] {
  return saved === undefined ? [] : [saved];
}

function moveRows(index: LineIndex<LinePlace>, workspaces: readonly string[]): MoveRow[] {
  return workspaces.flatMap((workspaceId, place) =>
    (index.movementsOf.get(workspaceId) ?? []).map(({ seq, where }): MoveRow => [
      place,
      seq,
      where.offset,
      where.length,
    ]),
  );
}

/** Sorted; of the same key the oldest line first. */
function keyRows(index: LineIndex<LinePlace>): KeyRow[] {
  return [...index.byKey]
    .flatMap(([key, places]) => places.map(({ offset, length }): KeyRow => [keyDigits(key), offset, length]))
    .sort((one, other) => compare(one[0], other[0]) || one[1] - other[1]);
}

function termRows(index: LineIndex<LinePlace>, workspaces: readonly string[]): TermRow[] {
  return workspaces.flatMap((workspaceId, place) => {
    const runs = index.runsOf.get(workspaceId) ?? [];
    const rowsOf = new Map<string, number[]>();
    for (const [row, entry] of runs.entries()) {
      for (const term of termsOf(entry)) {
        const rows = rowsOf.get(term);
        if (rows === undefined) rowsOf.set(term, [row]);
        else if (rows.at(-1) !== row) rows.push(row);
      }
    }
    return [...rowsOf]
      .sort(([one], [other]) => compare(one, other))
      .map(([term, rows]): TermRow => [place, term, encodeRows(rows, runs.length)]);
  });
}

function sumTableRows(index: LineIndex<LinePlace>, workspaces: readonly string[]): SumTableRow[] {
  return workspaces.flatMap((workspaceId, place) =>
    makeSumTables(index.runsOf.get(workspaceId) ?? []).map((table): SumTableRow => [place, ...table]),
  );
}

function endedRows(index: LineIndex<LinePlace>, workspaces: readonly string[]): EndedRow[] {
  return workspaces.flatMap((workspaceId, place) =>
    (index.endedOf.get(workspaceId) ?? []).map((entry): EndedRow => [
      place,
      entry.resourceId,
      entry.provider,
      entry.resourceType,
      entry.state,
      entry.provisionedBy,
      entry.cycle,
      entry.endedAt,
      entry.where.offset,
      entry.where.length,
    ]),
  );
}

function startsOf(index: LineIndex<LinePlace>, workspaces: readonly string[]): number[] {
  const starts = [0];
  for (const workspaceId of workspaces)
    starts.push((starts.at(-1) ?? 0) + (index.runsOf.get(workspaceId)?.length ?? 0));
  return starts;
}

/** 0 without runs. */
function oldestRunOf(index: LineIndex<LinePlace>): number {
  const firsts = [...index.runsOf.values()].flatMap(([first]) => first?.seq ?? []);
  return firsts.reduce((low, seq) => Math.min(low, seq), firsts[0] ?? 0);
}

function rangeOf<Value extends string | number>(values: readonly Value[]): [Value, Value] | null {
  const [first] = values;
  if (first === undefined) return null;
  return values.reduce<[Value, Value]>(
    ([low, high], value) => [value < low ? value : low, value > high ? value : high],
    [first, first],
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
