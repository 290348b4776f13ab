import { loadCompiled } from "./load-compiled.ts";

/** Whoever runs one of them has compiled what most calls need. */
const telling: ReadonlySet<string | undefined> = new Set(["run", "discover", "inspect", "get-run"]);
/** Ask for a text in place of the call, also among other flags of one letter. */
const ASKS_FOR_TEXT = /^(?:--help|--version|-[a-zA-Z]*[hV][a-zA-Z]*)$/;

/**
 * The command line's common path, which the build leaves as a script: compile-common-path.ts. When such a call has ended, what
 * was compiled is kept for the next. `loader` is the `import` of a file that lies beside it.
 */
export function loadCommonPath(url: URL, loader: (path: string) => Promise<unknown>): Record<string, unknown> {
  const common = loadCompiled<Record<string, unknown>>(url, loader);
  process.once("beforeExit", (exitCode) => {
    if (isTelling(process.argv.slice(2), exitCode)) void common.keep();
  });
  return common.exports;
}

/**
 * Whether a call with these words, which ended so, went the whole way of such a call. What is kept first stays until the program
 * or Node is another, so a call that failed or showed help keeps nothing: a later one will.
 */
export function isTelling(words: readonly string[], exitCode: number): boolean {
  const command = words.find((word) => !word.startsWith("-"));
  return exitCode === 0 && telling.has(command) && !words.some((word) => ASKS_FOR_TEXT.test(word));
}
