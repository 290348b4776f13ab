import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import { defineConfig } from "tsup";
import { parse } from "yaml";
import { buildConsole } from "./bin/build/build-console.ts";
import { buildDaemon, buildEntries, commonOptions, markBuild } from "./bin/build/build-daemon.ts";
import { bundlePackages } from "./bin/build/bundled-packages.ts";
import { clientDeclarations } from "./bin/build/client-declarations.ts";
import { compileCommonPath } from "./bin/build/compile-common-path.ts";
import { daemonApart } from "./bin/build/daemon-apart.ts";
import { commonPath, gatherCommonPath } from "./bin/build/gather-common-path.ts";
import { writePackageList } from "./bin/build/package-list.ts";
import publishedPackage from "./published-package.json" with { type: "json" };
import { loadCatalog } from "./daemon/catalog/catalog.ts";
import {
  bundledReadingsFile,
  bundledReadingsText,
  readBundledFolder,
} from "./daemon/catalog/reading/bundled-readings.ts";
import { bundledIndexFile, openBundledIndex } from "./daemon/discovery/index/bundled-index.ts";
import { indexingWith } from "./daemon/discovery/index/load-indexing.ts";
import { loadWordVectors } from "./daemon/discovery/vectors/load-word-vectors.ts";
import { operations } from "./shared/contract/index.ts";

let commandLine: Metafile | undefined;

const noteMetafile: Plugin = {
  name: "note-metafile",
  setup(build) {
    build.onEnd(({ metafile }) => void (commandLine = metafile));
  },
};

// The command line, in chunks of which a call loads a few, and what is built beside it.
export default defineConfig({
  entry: {
    cli: commonPath,
  },
  format: "esm",
  target: commonOptions.target,
  platform: "node",
  splitting: true,
  clean: true,
  sourcemap: true,
  dts: false,
  silent: true,
  removeNodeProtocol: false,
  noExternal: [/./],
  esbuildOptions(options) {
    options.define = { ...options.define, ...commonOptions.define };
    options.metafile = true;
    options.minifyWhitespace = commonOptions.minifyWhitespace;
    options.minifySyntax = commonOptions.minifySyntax;
    // Node shows the whole line where an error was thrown that nobody caught.
    options.lineLimit = 500;
  },
  esbuildPlugins: [daemonApart, gatherCommonPath, bundlePackages, noteMetafile],
  onSuccess: async () => {
    await writeCatalog();
    await writeBundledReadings();
    await writeModel();
    await writeBundledIndex();
    await cp("node_modules/jq-wasm/dist/build/jq.wasm", "dist/build/jq.wasm");
    await cp("node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm", "dist/node-sqlite3-wasm.wasm");
    await writeFile("dist/client.d.ts", await clientDeclarations(operations));
    const metafiles = [
      ...(await buildDaemon("dist")),
      await buildEntries("dist"),
      await buildConsole("dist"),
      ...(commandLine === undefined ? [] : [commandLine]),
    ];
    await compileCommonPath("dist");
    await writePackageList("dist", metafiles);
    await markBuild("dist", publishedPackage.version);
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

/** What the daemon makes of that catalog, so that no start reads and checks it again. */
async function writeBundledReadings(): Promise<void> {
  const dir = resolve("dist/catalog");
  await writeFile(bundledReadingsFile(dir), bundledReadingsText(await readBundledFolder(dir)));
}

/** The word vectors of discovery, with where they are from. */
async function writeModel(): Promise<void> {
  await cp("daemon/discovery/vectors/model", "dist/discovery/model", { recursive: true });
}

/** The search index of that catalog, which is a third of what a fresh daemon works on before anybody asks. */
async function writeBundledIndex(): Promise<void> {
  const dir = resolve("dist/catalog");
  const catalog = await loadCatalog({
    folders: [{ dir, bundled: true, trusted: true }],
    grants: { list: () => [], put: () => Promise.reject(), remove: () => Promise.resolve(false) },
    environment: {},
  });
  const { options } = indexingWith(await loadWordVectors("dist/discovery/model"));
  await openBundledIndex(dir).write(catalog.entries(), options);
  // An index is private to its daemon, but this one is for whoever runs the program.
  await chmod(bundledIndexFile(dir), 0o644);
}
