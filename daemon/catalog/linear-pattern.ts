import { RE2JS } from "re2js";

/**
 * A regular expression on an engine whose time grows with the text only, so that no pattern of a stranger's file can stop
 * the daemon (security design, T12). Reads JavaScript's syntax; throws on what the engine does not know: lookaround,
 * backreferences, repeats over 1,000.
 */
export function compileLinearPattern(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.matcher(text).find() };
}

/** Why a pattern cannot be used; undefined when it can. */
export function explainUnusablePattern(pattern: string): string | undefined {
  try {
    compileLinearPattern(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `the pattern ${JSON.stringify(pattern)} cannot be used (${reason}); lookaround, backreferences and repeats over 1,000 are not supported, because they can take unbounded time`;
  }
}
