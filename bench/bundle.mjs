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
  const replacement = without === undefined ? undefined : replaceAnalysis(without);
  await build({
    entry: { [output]: `${here}/${name}.ts` },
    esbuildPlugins: replacement === undefined ? [] : [replacement.plugin],
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
  if (replacement?.isUsed() === false) throw new Error(`no module of the daemon imports ${without}`);
  return `${here}/dist/${output}.mjs`;
}

/** Texts are indexed and asked by the other module; whether a query reads as a request was learned with the daemon's. */
function replaceAnalysis(module) {
  let isUsed = false;
  const plugin = {
    name: "replace-analysis",
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`/${module.replace(".", "\\.")}$`) }, ({ importer }) => {
        if (!importer.startsWith(daemon) || importer.endsWith("/request-likeness.ts")) return undefined;
        isUsed = true;
        return { path: `${here}discovery/analysis-off/${module}` };
      });
    },
  };
  return { plugin, isUsed: () => isUsed };
}
