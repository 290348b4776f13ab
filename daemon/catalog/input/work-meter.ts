/** Checking went over its bounds and was given up. The message is for whoever sent the input. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/**
 * About a third of a second. A unit is one schema met by one value, one of its branches, members or enum items, or one
 * character on one step of a pattern.
 */
const MAX_WORK = 2_000_000;

/**
 * Counts what checking one input takes, so that no schema of a stranger's file can stop the daemon. docs/security.md, T12.
 */
export class WorkMeter {
  #spent = 0;

  /** Before each check: what others spent does not count. */
  reset(): void {
    this.#spent = 0;
  }

  /** Throws TooMuchWork once the check took more than its share. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > MAX_WORK) {
      throw new TooMuchWork("checking this input takes too long; nest it less, or send fewer or shorter values");
    }
  }
}
