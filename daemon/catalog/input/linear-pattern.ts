import { RE2JS } from "re2js";
import { errorText } from "../../../shared/error-text.ts";
import { TooMuchWork } from "./work-meter.ts";

/** The length of a text times the steps of the pattern's program; takes a few tenths of a second at worst. */
const MAX_PATTERN_STEPS = 2_000_000;
export const MAX_PATTERN_CHARACTERS = 1_000;
/** `[a-z]{1000}` has a thousand steps. */
const MAX_PROGRAM_SIZE = 10_000;

export interface LinearPattern {
  /** Steps of its program: the time for a text is proportional to its length times this. */
  readonly size: number;
  /** The longest text that is tested. */
  readonly maxCharacters: number;
  /** Throws TooMuchWork for a text over `maxCharacters`. */
  test(text: string): boolean;
}

/**
 * A regular expression on an engine with linear time: it grows only with the text and the pattern. Longer texts than it
 * can test quickly are refused, so no pattern in an untrusted file can stop the daemon (docs/security.md, T12). Accepts
 * JavaScript's syntax; throws on what the engine does not support: lookaround, backreferences, repeats over 1,000.
 */
export function compileLinearPattern(pattern: string): LinearPattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  const size = Math.max(1, compiled.programSize());
  const maxCharacters = Math.floor(MAX_PATTERN_STEPS / size);
  return {
    size,
    maxCharacters,
    test(text) {
      if (text.length > maxCharacters) {
        throw new TooMuchWork(
          `a text of ${text.length} characters takes too long to compare with the pattern ${pattern}; ` +
            `send at most ${maxCharacters} characters`,
        );
      }
      return compiled.matcher(text).find();
    },
  };
}

/** Why a pattern cannot be used; undefined when it can. */
export function explainUnusablePattern(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    const shown = JSON.stringify(`${pattern.slice(0, 40)}…`);
    return `the pattern ${shown} has more than ${MAX_PATTERN_CHARACTERS} characters; check less with it`;
  }
  try {
    const { size } = compileLinearPattern(pattern);
    if (size <= MAX_PROGRAM_SIZE) return undefined;
    return `the pattern ${JSON.stringify(pattern)} takes too long to compare with; repeat less in it`;
  } catch (error) {
    const reason = errorText(error);
    return `the pattern ${JSON.stringify(pattern)} cannot be used (${reason}); lookaround, backreferences and repeats over 1,000 are not supported, because they can take unbounded time`;
  }
}
