import type { RunId, WorkspaceId } from "../base/ids.ts";
import type { RunLine } from "../ledger/lines/run-lines.ts";
import { replay } from "../runs/lifecycle/run-lifecycle.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import { entryOf, type RunEntry } from "./run-entry.ts";

export interface OpenRun {
  /** Number of the line that accepted it. */
  readonly seq: number;
  readonly run: RunRecord;
}

/** The runs under way, as the durable lines say: the only ones whose whole records are in memory. */
export class OpenRuns {
  readonly #runs = new Map<string, OpenRun>();
  /** Run id → number of a line that accepts it and is not durable yet. */
  readonly #accepting = new Map<string, number>();
  readonly #byKey = new Map<string, string>();

  constructor(open: readonly OpenRun[] = []) {
    for (const one of open) this.#add(one);
  }

  /**
   * A line got its number. Returns the number of the line that accepted its run when it ends one that another line accepted.
   * May be said again of the same line, with another number, as long as it is not durable.
   */
  number(line: Line, seq: number): number | undefined {
    if (line.t === "run.accepted") this.#accepting.set(line.run, seq);
    return line.t === "run.done" ? (this.#runs.get(line.run)?.seq ?? this.#accepting.get(line.run)) : undefined;
  }

  /** No line that got a number is on its way any more. */
  forgetNumbers(): void {
    this.#accepting.clear();
  }

  /** The line is durable. */
  settle(line: RunLine, seq: number): void {
    if (line.t === "run.accepted") {
      this.#accepting.delete(line.run);
      this.#add({ seq, run: line.rec });
      return;
    }
    const known = this.#runs.get(line.run);
    if (known === undefined) return;
    if (line.t !== "run.done") {
      this.#runs.set(line.run, { seq: known.seq, run: replay(known.run, line) });
      return;
    }
    this.#runs.delete(line.run);
    if (known.run.idempotency !== undefined) this.#byKey.delete(known.run.idempotency.key);
  }

  find(runId: RunId): RunRecord | undefined {
    return this.#runs.get(runId)?.run;
  }

  findByKey(key: string): RunRecord | undefined {
    const runId = this.#byKey.get(key);
    return runId === undefined ? undefined : this.find(runId);
  }

  /** Oldest first. */
  list(): OpenRun[] {
    return [...this.#runs.values()].sort((one, other) => one.seq - other.seq);
  }

  /** Newest first. */
  entries(workspaceId: WorkspaceId): RunEntry<never>[] {
    return this.list()
      .filter(({ run }) => run.workspaceId === workspaceId)
      .map(({ run, seq }) => entryOf<never>(run, seq))
      .reverse();
  }

  #add(open: OpenRun): void {
    const { runId, idempotency } = open.run;
    this.#runs.set(runId, open);
    if (idempotency !== undefined) this.#byKey.set(idempotency.key, runId);
  }
}
