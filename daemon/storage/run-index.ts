import type { FoundIdempotency } from "../idempotency/idempotency-store.ts";
import type { RunFacts, RunFilter } from "../runs/run-store.ts";
import type { RunRecord } from "../runs/run-record.ts";
import { replay } from "../runs/run-lifecycle.ts";
import type { Line } from "../transaction.ts";

/** What is kept in memory of every run; `Where` says where a back end finds the whole record of a finished one. */
export interface RunEntry<Where> {
  /** Number of the line that made the run known: the order of acceptance. */
  readonly seq: number;
  readonly runId: string;
  readonly workspaceId: string;
  status: RunRecord["status"];
  readonly provider: string;
  readonly endpoint: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly keyLabel?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly controlIds?: readonly string[];
  /** Micro-dollars; 0 until it is finished. */
  charged: number;
  cost: number;
  overrun: number;
  /** Set when the run is finished. */
  where?: Where;
}

export interface EntrySlice<Where> {
  readonly entries: readonly RunEntry<Where>[];
  readonly next?: number;
}

/** Finds and lists runs: a small entry for each, the whole record only of those that are open. */
export class RunIndex<Where> {
  readonly #entries = new Map<string, RunEntry<Where>>();
  readonly #byWorkspace = new Map<string, RunEntry<Where>[]>();
  readonly #open = new Map<string, RunRecord>();
  readonly #byIdempotencyKey = new Map<string, FoundIdempotency>();
  readonly #words = new Map<string, string>();

  apply(line: Line, seq: number, where: Where): void {
    switch (line.t) {
      case "run.accepted":
        this.#add(line.rec, seq);
        this.#open.set(line.run, line.rec);
        break;
      case "run.go":
      case "run.job":
      case "run.stop": {
        const run = this.#open.get(line.run);
        const entry = this.#entries.get(line.run);
        if (run === undefined || entry === undefined) break;
        const next = replay(run, line);
        this.#open.set(line.run, next);
        entry.status = next.status;
        break;
      }
      case "run.done": {
        const entry = this.#entries.get(line.run) ?? this.#add(line.rec, seq);
        entry.status = line.rec.status;
        entry.charged = line.rec.billing?.reported ?? 0;
        entry.cost = line.rec.billing?.actual ?? 0;
        entry.overrun = line.rec.overrunMicroDollars ?? 0;
        entry.where = where;
        this.#open.delete(line.run);
        break;
      }
      default:
        break;
    }
  }

  has(runId: string): boolean {
    return this.#entries.has(runId);
  }

  find(workspaceId: string, runId: string): RunEntry<Where> | undefined {
    const entry = this.#entries.get(runId);
    return entry?.workspaceId === workspaceId ? entry : undefined;
  }

  findOpen(runId: string): RunRecord | undefined {
    return this.#open.get(runId);
  }

  /** Oldest first. */
  listOpen(): RunRecord[] {
    const seqOf = (run: RunRecord) => this.#entries.get(run.runId)?.seq ?? 0;
    return [...this.#open.values()].sort((one, other) => seqOf(one) - seqOf(other));
  }

  /** Newest first. `before`: only runs accepted before the one of that number. */
  page(workspaceId: string, filter: RunFilter, page: { limit: number; before?: number }): EntrySlice<Where> {
    const all = this.#byWorkspace.get(workspaceId) ?? [];
    const matches = matcherOf(filter);
    const entries: RunEntry<Where>[] = [];
    for (let at = firstAtOrAfter(all, page.before) - 1; at >= 0; at -= 1) {
      const entry = all[at];
      if (entry === undefined || !matches(entry)) continue;
      if (entries.length === page.limit) {
        const last = entries.at(-1);
        return last === undefined ? { entries } : { entries, next: last.seq };
      }
      entries.push(entry);
    }
    return { entries };
  }

  /** Newest first. */
  *facts(workspaceId: string, filter: RunFilter): Generator<RunFacts> {
    const matches = matcherOf(filter);
    for (const entry of (this.#byWorkspace.get(workspaceId) ?? []).toReversed()) {
      if (matches(entry)) yield entry;
    }
  }

  findIdempotency(key: string): FoundIdempotency | undefined {
    return this.#byIdempotencyKey.get(key);
  }

  #add(run: RunRecord, seq: number): RunEntry<Where> {
    const entry: RunEntry<Where> = {
      seq,
      runId: run.runId,
      workspaceId: this.#word(run.workspaceId),
      status: run.status,
      provider: this.#word(run.provider),
      endpoint: this.#word(run.endpoint),
      createdAtMs: Date.parse(run.createdAt),
      ...(run.keyLabel !== undefined && { keyLabel: this.#word(run.keyLabel) }),
      ...(run.tags !== undefined && { tags: run.tags }),
      ...(run.controls !== undefined && { controlIds: run.controls.map(({ controlId }) => controlId) }),
      charged: 0,
      cost: 0,
      overrun: 0,
    };
    if (run.idempotency !== undefined) {
      const { key, request } = run.idempotency;
      this.#byIdempotencyKey.set(key, { kind: "run", request, workspaceId: run.workspaceId, runId: run.runId });
    }
    this.#entries.set(run.runId, entry);
    const siblings = this.#byWorkspace.get(run.workspaceId);
    if (siblings === undefined) this.#byWorkspace.set(entry.workspaceId, [entry]);
    else siblings.push(entry);
    return entry;
  }

  /** The same few words stand in every run; each is kept once. */
  #word(text: string): string {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    this.#words.set(text, text);
    return text;
  }
}

function matcherOf(filter: RunFilter): (entry: RunEntry<unknown>) => boolean {
  const sinceMs = filter.since === undefined ? -Infinity : Date.parse(filter.since);
  const untilMs = filter.until === undefined ? Infinity : Date.parse(filter.until);
  const { statuses, provider, endpoint, keyLabel, tag, controlId } = filter;
  return (entry) =>
    (statuses === undefined || statuses.includes(entry.status)) &&
    (provider === undefined || entry.provider === provider) &&
    (endpoint === undefined || entry.endpoint === endpoint) &&
    (keyLabel === undefined || entry.keyLabel === keyLabel) &&
    (controlId === undefined || entry.controlIds?.includes(controlId) === true) &&
    (tag === undefined || hasTag(entry, tag)) &&
    entry.createdAtMs >= sinceMs &&
    entry.createdAtMs < untilMs;
}

function hasTag(entry: RunEntry<unknown>, tag: { readonly key: string; readonly value: string }): boolean {
  return entry.tags !== undefined && Object.hasOwn(entry.tags, tag.key) && entry.tags[tag.key] === tag.value;
}

/** Place of the first entry whose number is `seq` or higher; entries are in the order of their numbers. */
function firstAtOrAfter(entries: readonly RunEntry<unknown>[], seq = Infinity): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.seq ?? Infinity) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
