import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { defineConfig } from "tsup";
import { parse } from "yaml";

export default defineConfig({
  entry: {
    mkt: "bin/mkt.ts",
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
  onSuccess: async () => {
    await writeCatalog();
    await writeModel();
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
