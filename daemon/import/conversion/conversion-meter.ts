import { ImportRefused } from "./imported-provider.ts";

/** Steps of one conversion: about ten times the need of the largest documents in use. */
const MAX_STEPS = 20_000_000;

/**
 * Counts the work of converting one document, so that a hostile one is refused within seconds. docs/security.md, T27.
 */
export class ConversionMeter {
  #steps = 0;

  /** Throws ImportRefused when the document exceeds its limit. A step is a visit to one part of the document. */
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
