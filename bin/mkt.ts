#!/usr/bin/env node
import packageFacts from "../published-package.json" with { type: "json" };

// The daemon is measured from here on: loading it is part of its start.
const startedAtMs = Date.now();
const { version } = packageFacts;
const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  process.stdout.write(`${version}\n`);
} else {
  keepCompiledCode();
  const { start } = await import("./start.ts");
  process.exitCode = await start(words, { version, startedAtMs });
}

/** Node 22.8 and newer keep what they compiled for the next start; `NODE_DISABLE_COMPILE_CACHE=1` turns it off. */
function keepCompiledCode(): void {
  const { enableCompileCache } = process.getBuiltinModule("node:module") as {
    readonly enableCompileCache?: () => unknown;
  };
  enableCompileCache?.();
}
