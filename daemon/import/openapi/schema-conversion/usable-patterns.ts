import { explainUnusablePattern, MAX_PATTERN_CHARACTERS } from "../../../catalog/input/linear-pattern.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";

/** Which patterns can be tested on any text in bounded time; each is checked once. */
export class UsablePatterns {
  readonly #meter: ConversionMeter;
  readonly #known = new Map<string, boolean>();

  constructor(meter: ConversionMeter) {
    this.#meter = meter;
  }

  has(pattern: string): boolean {
    const before = this.#known.get(pattern);
    if (before !== undefined) return before;
    this.#meter.spend(1 + pattern.length);
    const isUsable = pattern.length <= MAX_PATTERN_CHARACTERS && explainUnusablePattern(pattern) === undefined;
    this.#known.set(pattern, isUsable);
    return isUsable;
  }
}
