import { setImmediate } from "node:timers/promises";
import type { RunId, WorkspaceId } from "../base/ids.ts";
import { type FoundIdempotency, KEY_KEPT_MS } from "../ledger/stores/idempotency-store.ts";
import { keptUnder } from "../ledger/records/reuse-record.ts";
import type { KeptRunQuery } from "../ledger/stores/reuse-store.ts";
import { neverReachedProvider } from "../runs/lifecycle/never-reached.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { RunFacts } from "../ledger/records/run-facts.ts";
import type { DamagedRun, RunFilter, RunSlice, RunSummary, WholeRunSlice } from "../ledger/stores/run-store.ts";
import {
  addRun,
  addSums,
  type Group,
  groupOf,
  noRunSums,
  type RunGrouping,
  type RunSums,
} from "../ledger/stores/run-sums.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import type { AccountStore, DamagedMovement, Movement } from "../ledger/stores/account-store.ts";
import type { HistoryLines } from "./history-lines.ts";
import type { HistoryPart, PlacedLine } from "./history-part.ts";
import { mergeNewestFirst } from "./merge-newest-first.ts";
import type { OpenRuns } from "./open-runs.ts";
import {
  createdRangeOf,
  type LabelOf,
  matcherOf,
  relabelled,
  relabelledRun,
  type RunEntry,
  sharedMatcherOf,
} from "./run-entry.ts";
import { type KeysOfLabel, wantedTerms } from "./run-terms.ts";
import { ResourceHistory } from "./resource-history.ts";
import { newestFirst, takeFirst, untilStill } from "./reading.ts";
import { JournalCorrupt } from "./storage-errors.ts";
import type { SummedRuns, SumQuestion } from "./sum-tables.ts";

/**
 * Maximum number of damaged records of one page; with more of them in a row, a page may have fewer runs than requested.
 */
const MAX_DAMAGED = 100;

/** With more runs of the same input within the time, only these are looked at, to limit what one request reads. */
const MAX_KEPT_LOOKED_AT = 50;

/** Of a page, where they can be read at once: each may have a large input. */
const LINES_AT_ONCE = 16;

/** This many runs are summed before yielding to other work. */
const RUNS_AT_A_STRETCH = 5_000;

type RunDone = Extract<Line, { t: "run.done" }>;

interface RunPagePlace {
  readonly limit: number;
  readonly before?: number;
}

/** Outputs that lines only refer to. */
export interface HistoryOutputs {
  read(reference: NonNullable<RunDone["out"]>): Promise<unknown>;
}

/** Which runs are looked at. */
interface Looked<Where> extends Pick<SumQuestion, "created" | "wanted" | "matches"> {
  readonly before: number;
  readonly open: readonly RunEntry<never>[];
  readonly parts: readonly HistoryPart<Where>[];
}

/** The names of keys, which may be renamed. */
export interface KeyLabels {
  readonly labelOf: LabelOf;
  readonly keysOfLabel: KeysOfLabel;
}

/**
 * The history of all parts of the journal and of the open runs. What a reader sees of a run or a workspace does not
 * depend on which part is in memory and which on the disk.
 */
export class History<Where> {
  readonly resources: ResourceHistory<Where>;
  readonly #open: OpenRuns;
  readonly #lines: HistoryLines<Where>;
  readonly #outputs: HistoryOutputs;
  readonly #labelOf: LabelOf;
  readonly #keysOfLabel: KeysOfLabel;

  constructor(open: OpenRuns, lines: HistoryLines<Where>, outputs: HistoryOutputs, labels: KeyLabels) {
    this.resources = new ResourceHistory(lines);
    this.#open = open;
    this.#lines = lines;
    this.#outputs = outputs;
    this.#labelOf = labels.labelOf;
    this.#keysOfLabel = labels.keysOfLabel;
  }

  findRun(workspaceId: WorkspaceId, runId: RunId): Promise<RunRecord | undefined> {
    return untilStill(async () => {
      const open = this.#open.find(runId);
      // A copy, as for a record read from the disk: the caller may change it.
      if (open !== undefined) {
        return open.workspaceId === workspaceId ? relabelledRun(structuredClone(open), this.#labelOf) : undefined;
      }
      const line = await this.#findDone(workspaceId, runId);
      return line === undefined ? undefined : relabelledRun(await this.#withOutput(line), this.#labelOf);
    });
  }

  async listRuns(workspaceId: WorkspaceId, filter: RunFilter, page: RunPagePlace): Promise<RunSlice> {
    const items: RunSummary[] = [];
    const damaged: RunFacts[] = [];
    let next = page.before;
    let isShort: boolean;
    do {
      const slice = await this.listWhatIsLeft(workspaceId, filter, {
        limit: page.limit - items.length,
        ...(next !== undefined && { before: next }),
      });
      const before = damaged.length;
      for (const item of slice.items) {
        if ("damaged" in item) damaged.push(item.damaged);
        else items.push(item);
      }
      next = slice.next;
      isShort = damaged.length > before && damaged.length < MAX_DAMAGED;
    } while (isShort && next !== undefined && items.length < page.limit);
    return { items, ...(damaged.length > 0 && { damaged }), ...(next !== undefined && { next }) };
  }

  async listWhatIsLeft(workspaceId: WorkspaceId, filter: RunFilter, page: RunPagePlace): Promise<WholeRunSlice> {
    const { limit, before } = page;
    return await untilStill(async () => {
      const { found, hasMore } = await takeFirst(this.#entries(workspaceId, filter, before), limit);
      const items: (RunSummary | DamagedRun)[] = [];
      for (let from = 0; from < found.length; from += LINES_AT_ONCE) {
        const block = found.slice(from, from + LINES_AT_ONCE);
        const known = await this.#readBlock(block);
        // Read one at a time, each released at once: the large outputs of a page must not be in memory together.
        for (const entry of block) {
          const item = await this.#readWhatIsLeft(entry, known.get(entry.seq));
          if (item !== undefined) items.push(item);
        }
      }
      const next = found.at(-1)?.seq;
      return hasMore && next !== undefined ? { items, next } : { items };
    });
  }

  /** The last lines of runs, by the numbers of the runs, where many are read at once. */
  async #readBlock(block: readonly RunEntry<Where>[]): Promise<ReadonlyMap<number, Line>> {
    const seqs = new Map<Where, number>();
    for (const { seq, where } of block) if (where !== undefined) seqs.set(where, seq);
    const read = seqs.size > 1 ? ((await this.#lines.readLines?.([...seqs.keys()])) ?? []) : [];
    return new Map(read.map(({ where, line }) => [seqs.get(where) ?? 0, line]));
  }

  async #readWhatIsLeft(entry: RunEntry<Where>, line?: Line): Promise<RunSummary | DamagedRun | undefined> {
    try {
      return await this.#readSummary(entry, line);
    } catch (error) {
      if (!(error instanceof JournalCorrupt)) throw error;
      return { damaged: relabelled(entry, this.#labelOf) };
    }
  }

  async #readSummary(entry: RunEntry<Where>, line?: Line): Promise<RunSummary | undefined> {
    const run = line === undefined ? await this.#readEntry(entry) : doneLine(line).rec;
    return run === undefined ? undefined : relabelledRun(summaryOf(run), this.#labelOf);
  }

  async *scanRuns(workspaceId: WorkspaceId, filter: RunFilter): AsyncGenerator<RunFacts> {
    for await (const entries of this.#entries(workspaceId, filter)) {
      for (const entry of entries) yield relabelled(entry, this.#labelOf);
    }
  }

  /** Each part is asked for sums of its own; the runs of those that have none, and the open ones, are looked at. */
  async sumRuns(workspaceId: WorkspaceId, filter: RunFilter, by: RunGrouping): Promise<ReadonlyMap<Group, RunSums>> {
    const question: SumQuestion = {
      filter,
      by,
      created: createdRangeOf(filter),
      wanted: wantedTerms(workspaceId, filter, this.#keysOfLabel),
      matches: matcherOf(filter, this.#labelOf),
      matchesShared: sharedMatcherOf(filter, this.#labelOf),
    };
    const sumsByGroup = new Map<Group, RunSums>();
    const sumsOf = (facts: RunEntry<unknown> | SummedRuns["shared"]) => {
      const group = groupOf(by, relabelled(facts, this.#labelOf));
      const known = sumsByGroup.get(group) ?? noRunSums();
      sumsByGroup.set(group, known);
      return known;
    };
    // Taken at one moment: a run is open or in a part, and may be in both only if the part is looked at.
    const open = this.#open.entries(workspaceId);
    const parts = this.#lines.parts().filter((part) => part.hasRunsOf(question.created, Infinity));
    const unsummed: HistoryPart<Where>[] = [];
    for (const part of parts) {
      const summed = await part.sumRuns?.(workspaceId, question);
      if (summed === undefined) unsummed.push(part);
      else for (const { shared, sums } of summed) addSums(sumsOf(shared), sums);
    }
    let added = 0;
    for await (const block of this.#entriesOf(workspaceId, { ...question, before: Infinity, open, parts: unsummed })) {
      for (const entry of block) addRun(sumsOf(entry), entry);
      added += block.length;
      if (added < RUNS_AT_A_STRETCH) continue;
      added = 0;
      await setImmediate();
    }
    return sumsByGroup;
  }

  listMovements: AccountStore["listMovements"] = (workspaceId, { limit, before = Infinity }) =>
    untilStill(async () => {
      const { found, hasMore } = await takeFirst(this.#movements(workspaceId, before), limit);
      const items: (Movement | DamagedMovement)[] = [];
      for (const { seq, where } of found) {
        try {
          items.push({ seq, line: await this.#readMovement(workspaceId, seq, where) });
        } catch (error) {
          if (!(error instanceof JournalCorrupt)) throw error;
          items.push({ seq, damaged: error });
        }
      }
      const next = found.at(-1)?.seq;
      return hasMore && next !== undefined ? { items, next } : { items };
    });

  /** The newest run that was requested with this key. */
  findRunByKey(key: string): Promise<FoundIdempotency | undefined> {
    return untilStill(async () => {
      const parts = newestFirst(this.#lines.parts());
      const open = this.#open.findByKey(key);
      if (open !== undefined) return foundRun(open, key);
      const used = parts.filter(({ newestAt }) => newestAt !== "");
      const oldestMs = Date.parse(used[0]?.newestAt ?? "") - KEY_KEPT_MS;
      for (const [age, part] of used.entries()) {
        // The newest two are always searched: a clock that runs ahead makes all others look old.
        if (age > 1 && Date.parse(part.newestAt) < oldestMs) continue;
        for (const where of await part.findByKey(key)) {
          const line = await this.#lines.readLine(where);
          const found = line.t === "run.done" ? foundRun(line.rec, key) : undefined;
          if (found !== undefined) return found;
        }
      }
      return undefined;
    });
  }

  /** docs/storage.md, "Answers that are kept". */
  findKeptRun({ workspaceId, key, keyId, from, until }: KeptRunQuery): Promise<RunRecord | undefined> {
    return untilStill(async () => {
      let looked = 0;
      for (const part of newestFirst(this.#lines.parts())) {
        // Every line in it is older.
        if (part.newestAt < from) continue;
        for (const where of await part.findByKey(key)) {
          if (looked === MAX_KEPT_LOOKED_AT) return undefined;
          looked += 1;
          const line = doneLine(await this.#lines.readLine(where));
          const { rec } = line;
          const { completedAt = "" } = rec;
          const isOf = keptUnder(rec) === key && rec.workspaceId === workspaceId && completedAt >= from;
          if (!isOf || completedAt > until || rec.outputRemovedAt !== undefined) continue;
          if (keyId !== undefined && rec.keyId !== keyId) continue;
          const run = await this.#withOutput(line);
          // It may have been removed after the line was read.
          if (run.outputRemovedAt === undefined) return run;
        }
      }
      return undefined;
    });
  }

  async #findDone(workspaceId: WorkspaceId, runId: RunId): Promise<RunDone | undefined> {
    const parts = newestFirst(this.#lines.parts().filter((part) => part.mayHaveRun(runId)));
    for (const part of parts) {
      if (parts.length > 1 && !(await part.probablyHasRun(runId))) continue;
      const found = await part.findRun(runId);
      if (found === undefined) continue;
      if (found.workspaceId !== workspaceId) return undefined;
      return doneLine(await this.#lines.readWhole(found.where));
    }
    return undefined;
  }

  /** The record of a run, with its output even if the line only refers to it. */
  async #withOutput({ rec, out }: RunDone): Promise<RunRecord> {
    if (out === undefined) return rec;
    try {
      return { ...rec, output: await this.#outputs.read(out) };
    } catch (error) {
      // The output was removed after the line was read; the present line says so.
      const now = await this.#findDone(rec.workspaceId, rec.runId);
      if (now !== undefined && now.out === undefined) return now.rec;
      throw error;
    }
  }

  /** In blocks, newest first. */
  #movements(workspaceId: WorkspaceId, before: number): AsyncGenerator<readonly PlacedLine<Where>[]> {
    const sources = this.#lines.parts().map((part) => ({
      newest: part.newestLine,
      open: () => part.movementBlocks(workspaceId, before),
    }));
    return mergeNewestFirst(sources);
  }

  /**
   * Reads the line where it was found, or, if it has moved, where it is now; otherwise a long page might restart
   * forever.
   */
  async #readMovement(workspaceId: WorkspaceId, seq: number, where: Where): Promise<Line> {
    let place: Where | undefined = where;
    return await untilStill(async () => {
      const known = place;
      place = undefined;
      if (known !== undefined) return await this.#lines.readLine(known);
      const [found] = (await takeFirst(this.#movements(workspaceId, seq + 1), 1)).found;
      if (found?.seq !== seq) throw new Error(`line ${seq} of the journal is in no index`);
      return await this.#lines.readLine(found.where);
    });
  }

  /** In blocks, newest first. */
  #entries(workspaceId: WorkspaceId, filter: RunFilter, before = Infinity): AsyncGenerator<RunEntry<Where>[]> {
    const created = createdRangeOf(filter);
    return this.#entriesOf(workspaceId, {
      before,
      created,
      matches: matcherOf(filter, this.#labelOf),
      wanted: wantedTerms(workspaceId, filter, this.#keysOfLabel),
      open: this.#open.entries(workspaceId).filter((entry) => entry.seq < before),
      parts: this.#lines.parts().filter((part) => part.hasRunsOf(created, before)),
    });
  }

  async *#entriesOf(
    workspaceId: WorkspaceId,
    { before, created, matches, wanted, open, parts }: Looked<Where>,
  ): AsyncGenerator<RunEntry<Where>[]> {
    const sources = parts.map((part) => ({
      newest: part.newestRun,
      open: () => part.runBlocks(workspaceId, before, wanted, created),
    }));
    const underWay = { newest: open[0]?.seq ?? 0, open: () => blocksOf<RunEntry<Where>>(open) };
    for await (const block of mergeNewestFirst<RunEntry<Where>>([underWay, ...sources])) yield block.filter(matches);
  }

  /** Without input and output, if its line only refers to them. */
  async #readEntry({ workspaceId, runId, where }: RunEntry<Where>): Promise<RunRecord | undefined> {
    let place = where;
    return await untilStill(async () => {
      const known = place;
      place = undefined;
      if (known !== undefined) return doneLine(await this.#lines.readLine(known)).rec;
      // It may have ended since it was found open, or its line may have moved.
      return this.#open.find(runId) ?? (await this.#findDone(workspaceId, runId))?.rec;
    });
  }
}

function doneLine(line: Line): RunDone {
  if (line.t !== "run.done") throw new Error(`an index names a line of type ${line.t} as the end of a run`);
  return line;
}

async function* blocksOf<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  if (items.length > 0) yield items;
}

function foundRun(run: RunRecord, key: string): FoundIdempotency | undefined {
  const { runId, workspaceId, idempotency } = run;
  if (idempotency?.key !== key) return undefined;
  return { kind: "run", request: idempotency.request, workspaceId, runId, neverReached: neverReachedProvider(run) };
}

function summaryOf({ input: _input, output: _output, ...summary }: RunRecord): RunSummary {
  return structuredClone(summary);
}
