import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { openCodeCache } from "./code-cache.ts";

export interface CompiledProgram<Exports> {
  readonly exports: Exports;
  /**
   * Keeps what V8 has compiled by now, before this returns, for the next start, unless it was kept before. Never rejects.
   */
  keep(): Promise<void>;
}

/** Stands for `import()`. */
type Loader = (path: string) => Promise<unknown>;

/** What the build wraps around such a file: wrapped-script.ts. */
type Wrapped = (require: NodeJS.Require, module: { exports: unknown }, moduleUrl: string, loader: Loader) => void;

/**
 * Runs a file of the build that is a function over CommonJS. Unlike what `import` loads, V8's compiled code for it can
 * be kept on Node 20 as well: parsing and compiling 3.7 MB is a quarter of a start.
 * docs/decisions/2026-11-22-compiled-code-is-kept.md. `loader`: what `import()` in it calls.
 */
export function loadCompiled<Exports>(url: URL, loader: Loader = loadsNothing): CompiledProgram<Exports> {
  const path = fileURLToPath(url);
  const bytes = readFileSync(path);
  const cache = openCodeCache(path, bytes);
  // The build writes ASCII, which V8 holds in one byte a letter.
  const text = bytes.toString("latin1");
  const known = cache.read();
  const script = new Script(text, { filename: url.href, ...(known !== undefined && { cachedData: known }) });
  const isKnown = known !== undefined && script.cachedDataRejected !== true;
  const module = { exports: {} as unknown };
  const run = script.runInThisContext() as Wrapped;
  run(createRequire(url), module, url.href, loader);
  return {
    exports: module.exports as Exports,
    async keep() {
      if (!isKnown) await cache.write(() => script.createCachedData());
    },
  };
}

async function loadsNothing(path: string): Promise<never> {
  throw new Error(`${path} is not part of the program`);
}
