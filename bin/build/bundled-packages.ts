import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import type { Plugin } from "esbuild";

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/**
 * Node looks at each member of a module of its own that is imported, and to look at `process.stdin` is to open it:
 * that, and `child_process`, which a call needs in no case, would cost a third of a start. So `process` is taken as the
 * global that it is, and the rest where it is used.
 */
const rewordings: readonly (readonly [RegExp, string])[] = [
  [/const process = require\('node:process'\);/g, "const process = globalThis.process;"],
  [/import process from 'node:process';/g, "const process = globalThis.process;"],
  [/const childProcess = require\('node:child_process'\);/g, ""],
  [/\bchildProcess\./g, "require('node:child_process')."],
];

/**
 * Of undici only what sends requests. Its `fetch` and what belongs to it are Node's as well, and to load them makes Node
 * load its own undici too: together a fifth of a daemon's start.
 */
const unusedOfUndici: readonly (readonly [RegExp, string])[] = [
  [/require\('\.\/lib\/(?:web|mock|cache|interceptor)\/[^']+'\)/g, "({})"],
  [/new CacheStorage\(kConstruct\)/g, "undefined"],
];

/**
 * find-my-way compiles a function for each of its nodes, and most of these for a prefix that the next route cuts in two. A
 * daemon has hundreds of them and asks a few: here a node compiles its function when it is first asked, and until then
 * keeps its prefix alone.
 */
const compilesLate: readonly (readonly [RegExp, string])[] = [
  [
    /(const lines = \[\][^]*return new Function\('path', 'i', `[^`]+`\)).*$/m,
    "const compile = () => { $1 }; let match; return (path, i) => (match ??= compile())(path, i)",
  ],
];

/** Bundles all packages into the program, with the changes that they need to work there. */
export const bundlePackages: Plugin = {
  name: "bundle-packages",
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/](commander|env-paths)[\\/].*\.m?js$/ }, async ({ path }) => ({
      contents: reword(await readFile(path, "utf8"), rewordings),
      loader: "js",
    }));
    build.onLoad({ filter: /[\\/]node_modules[\\/]undici[\\/]index\.js$/ }, async ({ path }) => ({
      contents: reword(await readFile(path, "utf8"), unusedOfUndici),
      loader: "js",
    }));
    build.onLoad({ filter: /[\\/]find-my-way[\\/]lib[\\/]node\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = reword(text, compilesLate);
      if (contents === text) throw new Error(`${path} has another way to compile than the build knows`);
      return { contents, loader: "js" };
    });
    // It looks for its program beside itself, which only an ES module knows here.
    build.onLoad({ filter: /[\\/]node-sqlite3-wasm\.js$/ }, async ({ path }) => ({
      contents: `${(await readFile(path, "utf8")).replaceAll("__dirname", "import.meta.dirname")}\nexport default Module;\n`,
      loader: "js",
    }));
    // Many packages are CommonJS, and what is built has no `require` to ask for Node's own modules.
    build.onResolve({ filter: /^[a-z0-9:_/]+$/ }, ({ path, kind }) =>
      builtins.has(path) && kind === "require-call" ? { path, namespace: "builtin" } : undefined,
    );
    build.onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = globalThis.process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
    // Loaded at the first schema and not before, which only `require` can do in the middle of a step: here it is
    // esbuild's.
    build.onLoad({ filter: /[\\/]catalog[\\/]input[\\/]schema-compiler\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const [own] = /^const require = createRequire\(import\.meta\.url\);$/m.exec(text) ?? [];
      if (own === undefined) throw new Error(`${path} has another way to load Ajv than the build knows`);
      return { contents: text.replace(own, ""), loader: "ts" };
    });
    // zod's words in forty languages, of which English are used.
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
    // Only used for debugging ink itself.
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, external: true }));
  },
};

function reword(text: string, words: readonly (readonly [RegExp, string])[]): string {
  return words.reduce((reworded, [found, put]) => reworded.replace(found, put), text);
}
