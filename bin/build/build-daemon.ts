import { createHash } from "node:crypto";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type BuildOptions, type Metafile, type Plugin } from "esbuild";
import { buildMark } from "./build-mark.ts";
import { bundlePackages } from "./bundled-packages.ts";
import { toAscii, wrapped } from "./wrapped-script.ts";

/** Options that the builds of the daemon and of the command line share. */
export const commonOptions = {
  bundle: true,
  platform: "node",
  target: "node20",
  sourcemap: true,
  // What a daemon holds of its program for as long as it lives is text; names stay, for the traces of its log.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  // React for those who use it; `DEV` is how ink is told to load the tools of those who write it.
  define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
  logLevel: "error",
  plugins: [bundlePackages],
} as const satisfies BuildOptions;

/**
 * The daemon as one file, and each of its threads and processes as one: what is imported late is in it and waits. A
 * file that stays for as long as the process lives cannot be replaced under it. Returns what went into them. `changes`: for tests that need
 * another version of it.
 */
export async function buildDaemon(folder: string, changes: readonly Plugin[] = []): Promise<readonly Metafile[]> {
  const program = build({
    ...commonOptions,
    plugins: [...changes, deferSchemas, ...commonOptions.plugins],
    entryPoints: { daemon: "bin/daemon-program.ts" },
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    ...wrapped,
    define: { ...commonOptions.define, ...wrapped.define },
    // What is imported late is of Node: `require` has it at once.
    supported: { "dynamic-import": false },
    write: false,
  });
  // They are started from their text, which only works with CommonJS.
  const apart = build({
    ...commonOptions,
    entryPoints: {
      "catalog-worker": "bin/catalog-worker.ts",
      "import-worker": "bin/import-worker.ts",
      "index-worker": "bin/index-worker.ts",
      "segment-worker": "bin/segment-worker.ts",
    },
    format: "cjs",
    outdir: folder,
    outExtension: { ".js": ".cjs" },
    sourcemap: false,
    write: false,
  });
  const built = await Promise.all([program, apart]);
  for (const { path, text } of built.flatMap(({ outputFiles }) => outputFiles)) await writeFile(path, toAscii(text));
  return built.map(({ metafile }) => metafile);
}

/** The daemon's own code asks for zod and gets what makes its schemas when they are used. */
export const deferSchemas: Plugin = {
  name: "defer-schemas",
  setup({ onResolve }) {
    const standIn = resolve("bin/compiled/deferred-schemas.ts");
    onResolve({ filter: /^zod$/ }, ({ importer }) =>
      importer.includes("node_modules") || importer === standIn ? undefined : { path: standIn },
    );
  },
};

/** The command line, which `mkt.js` loads unless it is only asked for its version. */
const commandLine: Plugin = {
  name: "command-line",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/start\.ts$/ }, () => ({ path: "./cli.js", external: true }));
  },
};

/** `mkt.js` and `mkt/client`, each apart: what they shared with the command line would be further files for it to load. */
export async function buildEntries(folder: string): Promise<Metafile> {
  const { minifySyntax: _, minifyWhitespace: __, plugins, ...options } = commonOptions;
  const { metafile } = await build({
    ...options,
    entryPoints: { mkt: "bin/mkt.ts", client: "shared/client/index.ts" },
    format: "esm",
    outdir: folder,
    plugins: [commandLine, ...plugins],
  });
  await chmod(join(folder, "mkt.js"), 0o755);
  return metafile;
}

/**
 * Writes the mark of this build into the daemon, and with its version into `build.json`. Equal files have equal marks.
 */
export async function markBuild(folder: string, version: string): Promise<void> {
  const hash = createHash("sha256").update(version);
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile() && !file.name.endsWith(".map"))
    .map((file) => join(file.parentPath, file.name));
  for (const file of files.toSorted()) hash.update(file).update(await readFile(file));
  const mark = hash.digest("hex");
  const daemon = join(folder, "daemon.cjs");
  const text = await readFile(daemon, "utf8");
  if (text.split(buildMark).length !== 2) throw new Error("the daemon does not hold the mark of the build once");
  await writeFile(daemon, text.replace(buildMark, mark));
  await writeFile(join(folder, "build.json"), `${JSON.stringify({ version, build: mark })}\n`);
}
