import { ImportRefused } from "./imported-provider.ts";

/** Steps of one conversion: about ten times what the largest documents in use take. */
const MAX_STEPS = 20_000_000;

/** Counts what converting one document takes, so that a hostile one is refused in seconds. docs/security.md, T27. */
export class ConversionMeter {
  #steps = 0;

  /** Throws ImportRefused once the document took more than its share. A step is one part of the document looked at. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) {
      throw new ImportRefused(
        "too-much-work",
        "The references of this document multiply so often that converting it would not end in time. " +
          "Take a part of it with --include-tag or --include.",
      );
    }
  }
}
