import { readFile } from "node:fs/promises";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];

/** Packages that every call loads, and that are quicker to load as part of the program. */
export const bundledPackages = ["commander", "env-paths", "ulid"];

/**
 * Node looks at each member of a module of its own that is imported, and to look at `process.stdin` is to open it: that,
 * and `child_process`, which a call needs in no case, would cost a third of a start. So `process` is taken as the global
 * that it is, and the rest where it is used. The packages are CommonJS and ESM; there is no `require` in what is built.
 */
const rewordings: readonly (readonly [RegExp, string])[] = [
  [/const process = require\('node:process'\);/g, "const process = globalThis.process;"],
  [/import process from 'node:process';/g, "const process = globalThis.process;"],
  [/const childProcess = require\('node:child_process'\);/g, ""],
  [/\bchildProcess\./g, "require('node:child_process')."],
  [/\brequire\('node:/g, "globalThis.process.getBuiltinModule('node:"],
];

export const bundlePackages: Plugin = {
  name: "bundle-packages",
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/](commander|env-paths)[\\/].*\.m?js$/ }, async ({ path }) => ({
      contents: rewordings.reduce((text, [found, put]) => text.replace(found, put), await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};
