import type { RowResult } from "../row-result.ts";

/** Where the results of a batch go. */
export interface Results {
  /** Rows whose result is there from before. */
  readonly done: DoneRows;
  /** Resolves when it is written. */
  write(result: RowResult): Promise<void>;
  /** Whether nobody reads what is written. */
  readonly lostItsReader: boolean;
  close(): Promise<void>;
}

/** What the results of an interrupted batch say. */
export class DoneRows {
  readonly #rows = new Set<number>();
  delivered = 0;
  /** Dollars, as they were written. */
  readonly costs: number[] = [];

  get count(): number {
    return this.#rows.size;
  }

  has(index: number): boolean {
    return this.#rows.has(index);
  }

  add(index: number, { cost, isDelivered }: { cost: number; isDelivered: boolean }): void {
    if (this.#rows.has(index)) return;
    this.#rows.add(index);
    this.costs.push(cost);
    if (isDelivered) this.delivered += 1;
  }
}
