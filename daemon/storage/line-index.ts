import type { RunId, WorkspaceId } from "../base/ids.ts";
import { keptUnder } from "../ledger/records/reuse-record.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import { endedFactsOf, type EndedResource, endedResources } from "./ended-resource.ts";
import type { HistoryPart, IdRange, PlacedLine } from "./history-part.ts";
import { type CreatedRange, entryOf, type RunEntry } from "./run-entry.ts";
import { countBelow } from "./sorted.ts";

export interface LineNumbers {
  readonly seq: number;
  /** Number of the line that accepted the run which this line ends; its own when there is none. */
  readonly accepted: number;
}

/** The index of a stretch of lines, in memory: a pure function of the lines, their numbers and places. */
export class LineIndex<Where> implements HistoryPart<Where> {
  readonly runs = new Map<string, RunEntry<Where> & { readonly where: Where }>();
  /** By workspace, in the order of their numbers. */
  readonly runsOf = new Map<string, (RunEntry<Where> & { readonly where: Where })[]>();
  readonly movementsOf = new Map<string, PlacedLine<Where>[]>();
  /** By hash of the Idempotency-Key, and by the key under which the answer was kept, newest last. */
  readonly byKey = new Map<string, Where[]>();
  readonly ended = new Map<string, EndedResource<Where>>();
  /** By workspace, in the order of their ids. */
  readonly endedOf = new Map<string, EndedResource<Where>[]>();
  endedIds: IdRange | undefined;
  newestRentedAt = "";
  newestRun = 0;
  newestLine = 0;
  newestAt = "";
  /** When the run ended that has had its output longest; empty when none has one. ISO 8601. */
  oldestOutputAt = "";

  add(line: Line, { seq, accepted }: LineNumbers, where: Where): void {
    this.newestLine = seq;
    if (line.at > this.newestAt) this.newestAt = line.at;
    if (line.t === "run.done") {
      this.#addRun(line.rec, accepted, where);
      if (hasOutput(line)) this.#addOutputAt(line.rec.completedAt ?? line.at);
    }
    for (const resource of endedResources(line)) this.#addEnded({ ...endedFactsOf(resource), where });
    for (const workspaceId of movedWorkspaces(line)) pushTo(this.movementsOf, workspaceId, { seq, where });
  }

  hasRunsOf(_created: CreatedRange, _before: number): boolean {
    return this.runs.size > 0;
  }

  mayHaveRun(runId: RunId): boolean {
    return this.runs.has(runId);
  }

  async probablyHasRun(runId: RunId): Promise<boolean> {
    return this.runs.has(runId);
  }

  async findRun(runId: RunId): Promise<{ readonly workspaceId: WorkspaceId; readonly where: Where } | undefined> {
    return this.runs.get(runId);
  }

  async *runBlocks(workspaceId: WorkspaceId, before: number): AsyncGenerator<readonly RunEntry<Where>[]> {
    yield* newestFirst(this.runsOf.get(workspaceId), before);
  }

  async *movementBlocks(workspaceId: WorkspaceId, before: number): AsyncGenerator<readonly PlacedLine<Where>[]> {
    yield* newestFirst(this.movementsOf.get(workspaceId), before);
  }

  async findByKey(key: string): Promise<readonly Where[]> {
    return this.byKey.get(key)?.toReversed() ?? [];
  }

  async findEndedResource(workspaceId: WorkspaceId, resourceId: string): Promise<EndedResource<Where> | undefined> {
    const found = this.ended.get(resourceId);
    return found?.workspaceId === workspaceId ? found : undefined;
  }

  async *endedBlocks(
    workspaceId: WorkspaceId,
    before: string | undefined,
  ): AsyncGenerator<readonly EndedResource<Where>[]> {
    const all = this.endedOf.get(workspaceId) ?? [];
    // A copy: the list may grow while somebody reads.
    const lower = all.slice(0, before === undefined ? all.length : firstNotBelow(all, before)).reverse();
    if (lower.length > 0) yield lower;
  }

  #addEnded(entry: EndedResource<Where>): void {
    const { resourceId, workspaceId, cycle, endedAt } = entry;
    if (cycle > 1 && endedAt > this.newestRentedAt) this.newestRentedAt = endedAt;
    this.ended.set(resourceId, entry);
    const [low, high] = this.endedIds ?? [resourceId, resourceId];
    this.endedIds = [resourceId < low ? resourceId : low, resourceId > high ? resourceId : high];
    const siblings = this.endedOf.get(workspaceId);
    if (siblings === undefined) {
      this.endedOf.set(workspaceId, [entry]);
      return;
    }
    const at = firstNotBelow(siblings, resourceId);
    siblings.splice(at, siblings[at]?.resourceId === resourceId ? 1 : 0, entry);
  }

  #addOutputAt(at: string): void {
    if (this.oldestOutputAt === "" || at < this.oldestOutputAt) this.oldestOutputAt = at;
  }

  #addRun(rec: RunRecord, accepted: number, where: Where): void {
    const entry = { ...entryOf<Where>(rec, accepted), where };
    if (accepted > this.newestRun) this.newestRun = accepted;
    this.runs.set(rec.runId, entry);
    const siblings = this.runsOf.get(rec.workspaceId);
    if (siblings === undefined) this.runsOf.set(rec.workspaceId, [entry]);
    else siblings.splice(firstAtOrAfter(siblings, accepted), 0, entry);
    if (rec.idempotency !== undefined) pushTo(this.byKey, rec.idempotency.key, where);
    const kept = keptUnder(rec);
    if (kept !== undefined) pushTo(this.byKey, kept, where);
  }
}

/** True when the run has an output, in its line or in a file of its own. */
export function hasOutput({ rec, out }: Extract<Line, { t: "run.done" }>): boolean {
  return out !== undefined || (rec.output !== null && rec.output !== undefined);
}

function pushTo<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  const known = lists.get(name);
  if (known === undefined) lists.set(name, [item]);
  else known.push(item);
}

/** One block with a copy: the list may grow while somebody reads. */
function* newestFirst<Item extends { readonly seq: number }>(
  items: readonly Item[] | undefined,
  before: number,
): Generator<readonly Item[]> {
  if (items === undefined) return;
  const older = items.slice(0, firstAtOrAfter(items, before)).reverse();
  if (older.length > 0) yield older;
}

/** Place of the first one whose id is not below this one. */
function firstNotBelow(entries: readonly { readonly resourceId: string }[], id: string): number {
  return countBelow(entries, ({ resourceId }) => resourceId < id);
}

/** Place of the first item whose number is `seq` or higher; items are in the order of their numbers. */
function firstAtOrAfter(items: readonly { readonly seq: number }[], seq: number): number {
  const last = items.at(-1);
  if (last === undefined || last.seq < seq) return items.length;
  return countBelow(items, (item) => item.seq < seq);
}

/** The workspaces whose accounts the postings of a line touch. */
export function movedWorkspaces(line: Line): readonly string[] {
  const moved: string[] = [];
  if (!("led" in line)) return moved;
  for (const [account] of line.led) {
    if (!account.startsWith(OF_WORKSPACE)) continue;
    const end = account.indexOf(":", OF_WORKSPACE.length);
    const workspaceId = account.slice(OF_WORKSPACE.length, end < 0 ? undefined : end);
    if (!moved.includes(workspaceId)) moved.push(workspaceId);
  }
  return moved;
}

const OF_WORKSPACE = "ws:";
