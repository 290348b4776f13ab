/** A check exceeded its bounds and was stopped. The message is for the caller that sent the input. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/**
 * About a third of a second. A unit is one schema met by one value, one of its branches, members or enum items, or one
 * character on one step of a pattern.
 */
const MAX_WORK = 2_000_000;

/**
 * Counts the work of checking one input, so that no schema in an untrusted file can stop the daemon.
 * docs/security.md, T12.
 */
export class WorkMeter {
  #spent = 0;

  /** Called before each check, which has a budget of its own. */
  reset(): void {
    this.#spent = 0;
  }

  /** Throws TooMuchWork once the check exceeds its budget. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > MAX_WORK) {
      throw new TooMuchWork("checking this input takes too long; nest it less, or send fewer or shorter values");
    }
  }
}
