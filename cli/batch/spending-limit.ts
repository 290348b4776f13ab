import { add, type MicroDollars, NO_MONEY, subtract } from "../../shared/micro-dollars.ts";

/**
 * What a batch may cost in all. What a run may cost at most is held while it goes on, so that the limit holds at any
 * concurrency.
 */
export class SpendingLimit {
  readonly #limit: MicroDollars | undefined;
  #spent: MicroDollars;
  #held = NO_MONEY;

  /** Without a limit it only counts. */
  constructor(limit: MicroDollars | undefined, spent: MicroDollars = NO_MONEY) {
    this.#limit = limit;
    this.#spent = spent;
  }

  get spent(): MicroDollars {
    return this.#spent;
  }

  /** Whether a run of this maximum fits now; `later` where what is held for others may come back. */
  admit(maximum: MicroDollars): "now" | "later" | "never" {
    if (this.#limit === undefined) return "now";
    const withOthers = add(add(this.#spent, this.#held), maximum);
    if (withOthers <= this.#limit) return "now";
    return add(this.#spent, maximum) <= this.#limit ? "later" : "never";
  }

  hold(maximum: MicroDollars): void {
    this.#held = add(this.#held, maximum);
  }

  /** The run ended, and cost this. */
  settle(maximum: MicroDollars, cost: MicroDollars): void {
    this.#held = subtract(this.#held, maximum);
    this.#spent = add(this.#spent, cost);
  }
}
