import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsup";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The module of a TypeScript file of this folder, made of the daemon's sources as they stand, as a build would. */
export async function importBundled(name) {
  return await import(pathToFileURL(await bundle(name)).href);
}

/** As `importBundled`, the path of what was made: a program. */
export async function bundle(name) {
  await build({
    entry: { [name]: `${here}/${name}.ts` },
    outDir: `${here}/dist`,
    format: "esm",
    target: "node20",
    platform: "node",
    sourcemap: true,
    silent: true,
    config: false,
    outExtension: () => ({ js: ".mjs" }),
  });
  return `${here}/dist/${name}.mjs`;
}
