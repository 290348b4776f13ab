import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { defineConfig } from "tsup";
import { parse } from "yaml";
import { bundledPackages, bundlePackages } from "./bin/build/bundled-packages.ts";
import { clientDeclarations } from "./bin/build/client-declarations.ts";
import { gatherCommonPath } from "./bin/build/gather-common-path.ts";
import { operations } from "./shared/contract/index.ts";

export default defineConfig({
  entry: {
    mkt: "bin/mkt.ts",
    client: "shared/client/index.ts",
    "catalog-worker": "bin/catalog-worker.ts",
    "import-worker": "bin/import-worker.ts",
    "index-worker": "bin/index-worker.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  clean: true,
  sourcemap: true,
  dts: false,
  silent: true,
  noExternal: bundledPackages,
  esbuildPlugins: [gatherCommonPath, bundlePackages],
  onSuccess: async () => {
    await writeCatalog();
    await writeModel();
    await writeFile("dist/client.d.ts", await clientDeclarations(operations));
    await writeLicenses();
  },
});

/** The catalog that comes with the program, as JSON: YAML is for people, and takes a fifth of a start to read. */
async function writeCatalog(): Promise<void> {
  await mkdir("dist/catalog", { recursive: true });
  for (const name of await readdir("catalog")) {
    const value: unknown = parse(await readFile(`catalog/${name}`, "utf8"));
    await writeFile(`dist/catalog/${name.replace(/\.yaml$/, ".json")}`, `${JSON.stringify(value, null, 2)}\n`);
  }
}

/** The word vectors of discovery, with where they are from. */
async function writeModel(): Promise<void> {
  await cp("daemon/discovery/vectors/model", "dist/discovery/model", { recursive: true });
}

/** The licenses of the packages that are part of the program's own files. */
async function writeLicenses(): Promise<void> {
  const texts = bundledPackages.map(async (name) => {
    const folder = `node_modules/${name}`;
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${name} comes without a license file`);
    return `${name}\n\n${(await readFile(`${folder}/${file}`, "utf8")).trim()}\n`;
  });
  await writeFile("dist/LICENSES-OF-PACKAGES.txt", (await Promise.all(texts)).join("\n\n"));
}
