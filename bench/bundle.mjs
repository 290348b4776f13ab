import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "tsup";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The module of a TypeScript file of this folder, made of the daemon's sources as they stand, as a build would. */
export async function importBundled(name) {
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
  return await import(pathToFileURL(`${here}/dist/${name}.mjs`).href);
}
