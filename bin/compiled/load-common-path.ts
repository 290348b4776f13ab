import { loadCompiled } from "./load-compiled.ts";

/** Whoever runs one of them has compiled what most calls need; `--help` has not, and what is kept first stays. */
const telling: ReadonlySet<string | undefined> = new Set(["run", "discover", "inspect", "get-run"]);

/**
 * The command line's common path, which the build leaves as a script: compile-common-path.ts. When such a call has ended, what
 * was compiled is kept for the next. `loader` is the `import` of a file that lies beside it.
 */
export function loadCommonPath(url: URL, loader: (path: string) => Promise<unknown>): Record<string, unknown> {
  const common = loadCompiled<Record<string, unknown>>(url, loader);
  if (telling.has(process.argv[2])) process.once("beforeExit", () => void common.keep());
  return common.exports;
}
