import { createRequire } from "node:module";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { type CodeCache, openCodeCache } from "./code-cache.ts";
import { readBriefly } from "./read-briefly.ts";

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
  const { script, cache, isKnown } = compile(url);
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

interface Compiled {
  readonly script: Script;
  readonly cache: CodeCache;
  /** Whether its compiled code had been kept. */
  readonly isKnown: boolean;
}

function compile(url: URL): Compiled {
  const path = fileURLToPath(url);
  // The build writes ASCII, which V8 holds in one byte a letter.
  const { text, cache } = openBriefly(path, (bytes) => ({
    text: bytes.toString("latin1"),
    cache: openCodeCache(path, bytes),
  }));
  const known = cache.read((cachedData) => new Script(text, { filename: url.href, cachedData }));
  if (known?.cachedDataRejected === false) return { script: known, cache, isKnown: true };
  // One whose kept code V8 refused is as if there had been none.
  return { script: known ?? new Script(text, { filename: url.href }), cache, isKnown: false };
}

function openBriefly<Result>(path: string, use: (bytes: Buffer) => Result): Result {
  const file = openSync(path, "r");
  try {
    return readBriefly(file, use);
  } finally {
    closeSync(file);
  }
}

async function loadsNothing(path: string): Promise<never> {
  throw new Error(`${path} is not part of the program`);
}
