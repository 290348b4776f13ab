import { createHash } from "node:crypto";
import type { Line } from "../../ledger/transaction/transaction.ts";

/** What is compared after a move. Equal sums of two stores say that they hold the same, to the cent and to the byte. */
export interface Summary {
  readonly lines: number;
  readonly runs: number;
  readonly outputs: number;
  /** Of all outputs as JSON. */
  readonly outputBytes: number;
  readonly accounts: number;
  /** Micro-dollars of all accounts with a positive balance. */
  readonly micro: number;
  /** SHA-256 of all balances, by account. */
  readonly balances: string;
  /** SHA-256 of all lines in their order, outputs included. */
  readonly content: string;
}

export class SumUp {
  readonly #hash = createHash("sha256");
  readonly #balances = new Map<string, number>();
  #counts = { lines: 0, runs: 0, outputs: 0, outputBytes: 0 };

  /** The text of the line, which is what is compared. */
  add(line: Line): string {
    const text = JSON.stringify(line);
    this.#hash.update(text).update("\n");
    this.#counts.lines += 1;
    if ("led" in line) {
      for (const [account, micro] of line.led) this.#balances.set(account, (this.#balances.get(account) ?? 0) + micro);
    }
    if (line.t === "run.done") {
      this.#counts.runs += 1;
      const { output } = line.rec;
      if (output !== null && output !== undefined) {
        this.#counts.outputs += 1;
        this.#counts.outputBytes += Buffer.byteLength(JSON.stringify(output));
      }
    }
    return text;
  }

  get lines(): number {
    return this.#counts.lines;
  }

  /** Call it once. */
  end(): Summary {
    const balances = [...this.#balances].sort(([one], [other]) => (one < other ? -1 : 1));
    return {
      ...this.#counts,
      accounts: balances.length,
      micro: balances.reduce((sum, [, micro]) => sum + Math.max(0, micro), 0),
      balances: createHash("sha256").update(JSON.stringify(balances)).digest("hex"),
      content: this.#hash.digest("hex"),
    };
  }
}
