import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsup";

const here = fileURLToPath(new URL(".", import.meta.url));
const daemon = fileURLToPath(new URL("../daemon/", import.meta.url));

/** The module of a TypeScript file of this folder, made of the daemon's sources as they stand, as a build would. */
export async function importBundled(name) {
  return await import(pathToFileURL(await bundle(name)).href);
}

/**
 * As `importBundled`, the path of what was made: a program. With `without`, the name of a module of `daemon/text`, the one of
 * that name in `discovery/analysis-off` takes its place.
 */
export async function bundle(name, { without } = {}) {
  const output = without === undefined ? name : `${name}-without-${without.replace(/\.ts$/, "")}`;
  await build({
    entry: { [output]: `${here}/${name}.ts` },
    esbuildPlugins: without === undefined ? [] : [replaceAnalysis(without)],
    outDir: `${here}/dist`,
    format: "esm",
    // Packages that are CommonJS inside (yaml) ask for Node's own modules by `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    target: "node20",
    platform: "node",
    sourcemap: true,
    silent: true,
    config: false,
    outExtension: () => ({ js: ".mjs" }),
  });
  return `${here}/dist/${output}.mjs`;
}

/** Texts are indexed and asked by the other module; whether a query reads as a request was learned with the daemon's. */
function replaceAnalysis(module) {
  return {
    name: "replace-analysis",
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/${module.replace(".", "\\.")}$`) }, ({ importer }) =>
        importer.startsWith(daemon) && !importer.endsWith("/request-likeness.ts")
          ? { path: `${here}discovery/analysis-off/${module}` }
          : undefined,
      );
    },
  };
}
