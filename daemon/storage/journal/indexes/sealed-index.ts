import type { RunId, WorkspaceId } from "../../../base/ids.ts";
import type { EndedResource } from "../../ended-resource.ts";
import type { HistoryPart, IdRange, PlacedLine } from "../../history-part.ts";
import type { CreatedRange, RunEntry } from "../../run-entry.ts";
import { addRun, noRunSums } from "../../../ledger/stores/run-sums.ts";
import type { WantedTerms } from "../../run-terms.ts";
import { dayOf, findSums, partOfDay, type SummedRuns, type SumQuestion } from "../../sum-tables.ts";
import type { BoundedCache } from "./bounded-cache.ts";
import { mayContain } from "./bloom-filter.ts";
import { decodeChecked } from "../segments/checked-text.ts";
import type { FilePool } from "../disk/file-pool.ts";
import {
  type EndedRow,
  type Fence,
  type IdRow,
  type IndexFooter,
  type IndexHeader,
  keyDigits,
  type KeyRow,
  type LinePlace,
  type MoveRow,
  ROWS_PER_BLOCK,
  type RunRow,
  type SectionName,
  type SumTableRow,
  termName,
  type TermRow,
} from "./index-file.ts";
import { type EncodedRows, hasRow, intersectRows, lastRowBelow, unionOfRows } from "./row-set.ts";
import { indexName } from "../segments/segment.ts";

/** Footers and filters of many indexes: what is kept of them between two questions has a fixed size. */
export type IndexCache = BoundedCache<IndexFooter | Buffer>;

export interface SealedIndexOptions {
  readonly pool: FilePool;
  readonly cache: IndexCache;
  /** Makes the file anew from its segment: it is missing or damaged. Resolves to its header. */
  readonly rebuild: (index: SealedIndex) => Promise<IndexHeader>;
}

/** Some runs of a workspace in an index. */
interface WorkspaceRows {
  readonly bits: Uint8Array;
  readonly workspace: number;
  /** The first row of the workspace. */
  readonly start: number;
  /** How many rows the workspace has. */
  readonly size: number;
}

/** The index of a sealed segment on the disk. Only its header is in memory; a question reads the blocks that it needs. */
export class SealedIndex implements HistoryPart<LinePlace> {
  readonly #options: SealedIndexOptions;
  #header: IndexHeader;

  constructor(options: SealedIndexOptions, header: IndexHeader) {
    this.#options = options;
    this.#header = header;
  }

  get header(): IndexHeader {
    return this.#header;
  }

  /** The segment was rewritten: rows are the same in the same blocks, their places are others. */
  replace(header: IndexHeader): void {
    this.#header = header;
  }

  /** Makes the file anew from its segment. */
  async renew(): Promise<void> {
    await this.#renew();
  }

  get newestRun(): number {
    return this.#header.newestRun;
  }

  get newestLine(): number {
    return this.#header.end.seq;
  }

  get newestAt(): string {
    return this.#header.newestAt;
  }

  hasRunsOf({ from, to }: CreatedRange, before: number): boolean {
    const { created, oldestRun = 0 } = this.#header;
    return created !== null && created[1] >= from && created[0] < to && oldestRun < before;
  }

  mayHaveRun(runId: RunId): boolean {
    const { ids } = this.#header;
    return ids !== null && ids[0] <= runId && runId <= ids[1];
  }

  async probablyHasRun(runId: RunId): Promise<boolean> {
    return mayContain(await this.#filter("idFilter"), runId);
  }

  async findRun(runId: RunId): Promise<{ workspaceId: WorkspaceId; where: LinePlace } | undefined> {
    const { fences, workspaces } = await this.#footer();
    const at = lastNotAbove(fences.ids, [runId]);
    if (at === -1) return undefined;
    const { file, rows } = await this.#block<IdRow>("ids", at);
    const row = rows.find(([id]) => id === runId);
    if (row === undefined) return undefined;
    const [, workspace, offset, length] = row;
    return { workspaceId: workspaces[workspace] ?? "", where: { file, offset, length } };
  }

  async *runBlocks(
    workspaceId: WorkspaceId,
    before: number,
    wanted: WantedTerms,
  ): AsyncGenerator<readonly RunEntry<LinePlace>[]> {
    if (wanted.length > 0 && this.#header.termFilter !== undefined) {
      yield* this.#wantedRuns(workspaceId, before, wanted);
      return;
    }
    for await (const { file, rows } of this.#rowsOf<RunRow>("runs", workspaceId, before)) {
      yield rows.map((row) => entryOfRow(workspaceId, file, row));
    }
  }

  async sumRuns(workspaceId: WorkspaceId, question: SumQuestion): Promise<readonly SummedRuns[] | undefined> {
    const { created } = this.#header;
    const { fences, workspaces } = await this.#footer();
    const workspace = placeOf(workspaces, workspaceId);
    if (workspace === -1 || created === null) return [];
    if (fences.sums === undefined) return undefined;
    const summed = await findSums(question, async (name) => {
      const found = await this.#find<SumTableRow>("sums", workspace, name);
      return found && [found.row[1], found.row[2]];
    });
    if (summed === undefined) return undefined;
    const partOf = ({ shared }: SummedRuns) => partOfDay(dayOf(shared), created, question.created);
    const whole = summed.filter((runs) => partOf(runs) === "all");
    const cut = new Set(summed.filter((runs) => partOf(runs) === "some").map(({ shared }) => dayOf(shared)));
    return cut.size === 0 ? whole : [...whole, ...(await this.#runsOfDays(workspaceId, question, cut))];
  }

  /** Each run that fits and was created on one of these days. */
  async #runsOfDays(
    workspaceId: WorkspaceId,
    { wanted, matches }: SumQuestion,
    days: ReadonlySet<number>,
  ): Promise<SummedRuns[]> {
    const found: SummedRuns[] = [];
    for await (const block of this.runBlocks(workspaceId, Infinity, wanted)) {
      for (const run of block) {
        if (!days.has(dayOf(run)) || !matches(run)) continue;
        const sums = noRunSums();
        addRun(sums, run);
        found.push({ shared: run, sums });
      }
    }
    return found;
  }

  /** Reads only the blocks that have a run with the wanted terms. */
  async *#wantedRuns(
    workspaceId: WorkspaceId,
    before: number,
    wanted: WantedTerms,
  ): AsyncGenerator<readonly RunEntry<LinePlace>[]> {
    const rows = await this.#rowsWith(workspaceId, wanted);
    if (rows === undefined) return;
    // All later blocks have higher numbers only.
    const { fences } = await this.#footer();
    const last = lastNotAbove(fences.runs, [rows.workspace, before - 1]);
    const end = Math.min(rows.size, (last + 1) * ROWS_PER_BLOCK.runs - rows.start);
    for (let row = lastRowBelow(rows.bits, end); row >= 0;) {
      const at = Math.floor((rows.start + row) / ROWS_PER_BLOCK.runs);
      const { file, rows: block } = await this.#block<RunRow>("runs", at);
      // Where the block begins, among the rows of the workspace; it may begin with those of another one.
      const first = at * ROWS_PER_BLOCK.runs - rows.start;
      const own = block.filter(
        ([, seq], place) => seq < before && first + place >= 0 && hasRow(rows.bits, first + place),
      );
      if (own.length > 0) yield own.reverse().map((one) => entryOfRow(workspaceId, file, one));
      row = lastRowBelow(rows.bits, first);
    }
  }

  /** The rows of the workspace that have a term of each group, as bits; undefined when there are none. */
  async #rowsWith(workspaceId: WorkspaceId, wanted: WantedTerms): Promise<WorkspaceRows | undefined> {
    const filter = await this.#filter("termFilter");
    const likely = wanted.map((group) => group.filter((term) => mayContain(filter, termName(workspaceId, term))));
    if (likely.some((group) => group.length === 0)) return undefined;
    const { workspaces, starts } = await this.#footer();
    const workspace = placeOf(workspaces, workspaceId);
    if (workspace === -1) return undefined;
    const start = starts[workspace] ?? 0;
    const size = (starts[workspace + 1] ?? 0) - start;
    let bits: Uint8Array | undefined;
    for (const group of likely) {
      const sets: EncodedRows[] = [];
      for (const term of group) sets.push(...(await this.#rowsOfTerm(workspace, term)));
      const ofGroup = unionOfRows(sets, size);
      if (!intersectRows(ofGroup, bits ?? ofGroup)) return undefined;
      bits = ofGroup;
    }
    return bits === undefined ? undefined : { bits, workspace, start, size };
  }

  /** At most one set. */
  async #rowsOfTerm(workspace: number, term: string): Promise<EncodedRows[]> {
    const found = await this.#find<TermRow>("terms", workspace, term);
    return found === undefined ? [] : [found.row[2]];
  }

  /** The one row with this name, of the workspace. */
  async #find<Row extends TermRow | SumTableRow | EndedRow>(
    section: "terms" | "sums" | "ended",
    workspace: number,
    name: string,
  ): Promise<{ readonly file: string; readonly row: Row } | undefined> {
    const { fences } = await this.#footer();
    const at = lastNotAbove(fences[section], [workspace, name]);
    if (at === -1) return undefined;
    const { file, rows } = await this.#block<Row>(section, at);
    const row = rows.find(([place, own]) => place === workspace && own === name);
    return row && { file, row };
  }

  async *movementBlocks(workspaceId: WorkspaceId, before: number): AsyncGenerator<readonly PlacedLine<LinePlace>[]> {
    for await (const { file, rows } of this.#rowsOf<MoveRow>("moves", workspaceId, before)) {
      yield rows.map(([, seq, offset, length]) => ({ seq, where: { file, offset, length } }));
    }
  }

  async findByKey(key: string): Promise<readonly LinePlace[]> {
    if (!mayContain(await this.#filter("keyFilter"), key)) return [];
    const digits = keyDigits(key);
    const { fences } = await this.#footer();
    const found: LinePlace[] = [];
    // Keys with the same digits may begin in the block before the first fence that has them.
    for (let at = lastNotAbove(fences.keys, [digits]); at >= 0; at -= 1) {
      const { file, rows } = await this.#block<KeyRow>("keys", at);
      const same = rows.filter(([own]) => own === digits);
      found.push(...same.map(([, offset, length]) => ({ file, offset, length })).reverse());
      if (rows[0]?.[0] !== digits) break;
    }
    return found;
  }

  get endedIds(): IdRange | undefined {
    return this.#header.ended ?? undefined;
  }

  get newestRentedAt(): string {
    return this.#header.rentedAt ?? "";
  }

  async findEndedResource(workspaceId: WorkspaceId, resourceId: string): Promise<EndedResource<LinePlace> | undefined> {
    if (!mayContain(await this.#filter("keyFilter"), resourceId)) return undefined;
    const workspace = placeOf((await this.#footer()).workspaces, workspaceId);
    if (workspace === -1) return undefined;
    const found = await this.#find<EndedRow>("ended", workspace, resourceId);
    return found && endedOfRow(workspaceId, found.file, found.row);
  }

  async *endedBlocks(
    workspaceId: WorkspaceId,
    before: string | undefined,
  ): AsyncGenerator<readonly EndedResource<LinePlace>[]> {
    for await (const { file, rows } of this.#rowsOf<EndedRow>("ended", workspaceId, before)) {
      yield rows.map((row) => endedOfRow(workspaceId, file, row));
    }
  }

  /** Rows of the workspace with numbers or ids below `before`, the highest first, block by block. */
  async *#rowsOf<Row extends RunRow | MoveRow | EndedRow>(
    section: "runs" | "moves" | "ended",
    workspaceId: WorkspaceId,
    before: Row[1] | undefined,
  ): AsyncGenerator<{ file: string; rows: readonly Row[] }> {
    const { fences, workspaces } = await this.#footer();
    const workspace = placeOf(workspaces, workspaceId);
    if (workspace === -1) return;
    const last = before === undefined ? [workspace] : [workspace, before];
    for (let at = lastNotAbove(fences[section], last); at >= 0; at -= 1) {
      const { file, rows } = await this.#block<Row>(section, at);
      const isWanted = (seq: Row[1]) => before === undefined || seq < before;
      const own = rows.filter(([place, seq]) => place === workspace && isWanted(seq)).reverse();
      if (own.length > 0) yield { file, rows: own };
      if ((rows[0]?.[0] ?? -1) < workspace) return;
    }
  }

  async #footer(): Promise<IndexFooter> {
    return this.#cached("footer", ({ footer }) => footer, asFooter);
  }

  async #filter(name: "idFilter" | "keyFilter" | "termFilter"): Promise<Buffer> {
    return this.#cached(name, (header) => header[name] ?? [0, 0], asFilter);
  }

  async #cached<Value extends IndexFooter | Buffer>(
    kind: string,
    placeIn: (header: IndexHeader) => readonly [number, number],
    decode: (value: Readonly<Record<string, unknown>>) => Value,
  ): Promise<Value> {
    const { cache } = this.#options;
    const name = cacheName(kind, this.#header);
    const known = cache.get(name);
    if (known !== undefined) return known as Value;
    const { value, length } = await this.#read(async (header) => placeIn(header));
    const decoded = decode(value);
    cache.set(name, decoded, length);
    return decoded;
  }

  /** The file that its rows' places are in is named with it: the segment may be replaced at any time. */
  async #block<Row>(section: SectionName, at: number): Promise<{ file: string; rows: readonly Row[] }> {
    const { value, file } = await this.#read(async () => {
      const fence = (await this.#footer()).fences[section]?.[at] ?? [0, 0];
      return [Number(fence.at(-2)), Number(fence.at(-1))];
    });
    // The checksum fits: it is what `encodeIndex` wrote.
    return { file, rows: value["rows"] as readonly Row[] };
  }

  /** One piece of the file. A file that is not there or is damaged is made anew, once. */
  async #read(
    placeIn: (header: IndexHeader) => Promise<readonly [offset: number, length: number]>,
  ): Promise<{ value: Readonly<Record<string, unknown>>; file: string; length: number }> {
    for (let tries = 1; ; tries += 1) {
      const header = this.#header;
      const [offset, length] = await placeIn(header);
      const name = indexName(header.file);
      const bytes = await this.#options.pool.read(name, offset, length);
      const checked = bytes === undefined ? "it is missing" : decodeChecked(bytes);
      if (typeof checked !== "string") return { value: checked.value, file: header.file, length };
      if (tries === 3) throw new Error(`the index ${this.#options.pool.pathOf(name)} cannot be read: ${checked}`);
      // Replaced meanwhile: the other file is asked. Else the file is at fault.
      if (this.#header === header) await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    const header = this.#header;
    const name = indexName(header.file);
    await this.#options.pool.forget(name);
    for (const kind of ["footer", "idFilter", "keyFilter", "termFilter"]) {
      this.#options.cache.delete(cacheName(kind, header));
    }
    try {
      const renewed = await this.#options.rebuild(this);
      if (this.#header === header) this.#header = renewed;
    } catch (error) {
      // Replaced meanwhile, and its segment removed.
      if (this.#header === header) throw error;
    }
    // Somebody may have opened the old one meanwhile.
    await this.#options.pool.forget(name);
  }
}

/** What was read of a version may be kept after the file was replaced by one of a newer version. */
function cacheName(kind: string, { file, v }: IndexHeader): string {
  return `${kind} of ${file}, version ${v}`;
}

function asFooter(value: Readonly<Record<string, unknown>>): IndexFooter {
  return { workspaces: value["workspaces"], starts: value["starts"] ?? [], fences: value["fences"] } as IndexFooter;
}

function asFilter(value: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(String(value["bits"]), "base64");
}

function entryOfRow(workspaceId: WorkspaceId, file: string, row: RunRow): RunEntry<LinePlace> {
  const [, seq, runId, status, provider, endpoint, createdAtMs, charged, cost, overrun] = row;
  const [keyId, keyLabel, tags, controlIds] = [row[10], row[11], row[12], row[13]];
  const [offset, length, saved] = [row[14], row[15], row[16]];
  return {
    seq,
    runId,
    workspaceId,
    status,
    provider,
    endpoint,
    createdAtMs,
    ...(keyId !== null && { keyId }),
    ...(keyLabel !== null && { keyLabel }),
    ...(tags !== null && tags !== undefined && { tags }),
    ...(controlIds !== null && { controlIds }),
    charged,
    cost,
    overrun,
    ...(saved !== undefined && { saved }),
    where: { file, offset, length },
  };
}

function endedOfRow(workspaceId: WorkspaceId, file: string, row: EndedRow): EndedResource<LinePlace> {
  const [, resourceId, provider, resourceType, state, provisionedBy, cycle, endedAt, offset, length] = row;
  const facts = { resourceId, workspaceId, provider, resourceType, state, provisionedBy, cycle, endedAt };
  return { ...facts, where: { file, offset, length } };
}

/** Place of the last block that begins at or before the key; -1 when all begin after it. */
function lastNotAbove(fences: readonly Fence[] = [], key: readonly (string | number)[]): number {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAbove(fences[middle] ?? [0, 0], key)) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

function isAbove(fence: Fence, key: readonly (string | number)[]): boolean {
  for (const [index, member] of key.entries()) {
    const own = fence[index];
    if (own === undefined || own === member) continue;
    return own > member;
  }
  return false;
}

function placeOf(sorted: readonly string[], workspaceId: WorkspaceId): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const own = sorted[middle] ?? "";
    if (own === workspaceId) return middle;
    if (own < workspaceId) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
