import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { commonOptions } from "./build-daemon.ts";
import { toAscii, wrapped } from "./wrapped-script.ts";

const loader = fileURLToPath(new URL("../compiled/load-common-path.ts", import.meta.url));
/** What a bundler leaves of `import()` where it is not of the same file. The other name is as long, for the source map. */
const LATE = /\bimport\((?=")/g;

/** Passes on the chunk. */
const ENTRY = "cli.js";

/** Other chunks and Node's own modules stay what they are. */
const everythingElse: Plugin = {
  name: "everything-else",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === "entry-point" ? undefined : { path, external: true }));
  },
};

/**
 * Makes of the chunk that nearly every call loads a script whose compiled code is kept, and in its place leaves what loads
 * it. Parsing and compiling it was an eighth of `mkt run`. Its exports are the values that they have when it was run, which
 * never change: the command line has no state of its own when it is imported.
 */
export async function compileCommonPath(folder: string): Promise<void> {
  const [, chunk] = /from ?"\.\/(chunk-[^"]+)"/.exec(await readFile(join(folder, ENTRY), "utf8")) ?? [];
  if (chunk === undefined) throw new Error(`${ENTRY} passes on no chunk`);
  const file = join(folder, chunk);
  const { outputFiles } = await build({
    ...commonOptions,
    ...wrapped,
    entryPoints: [file],
    outfile: join(folder, "common-path.cjs"),
    write: false,
    plugins: [everythingElse],
  });
  const names = await exportsOf(file);
  if (names.length === 0) throw new Error(`${chunk} exports nothing`);
  for (const { path, text } of outputFiles) await writeFile(path, toAscii(text.replaceAll(LATE, "loader(")));
  await writeFile(file, await stub(names));
  // Of what stood there.
  await rm(`${file}.map`, { force: true });
  await loadWithoutDetour(folder, chunk);
}

/**
 * What stands in the chunk's place. Node's own modules are taken as they are: an `import` of one makes a second module of it,
 * and nine of these were a twentieth of a call.
 */
async function stub(names: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    ...commonOptions,
    entryPoints: [loader],
    format: "cjs",
    sourcemap: false,
    write: false,
    outfile: "loader.cjs",
  });
  return [
    `const load={exports:{}};(function(require,module){${outputFiles[0]?.text ?? ""}})(process.getBuiltinModule,load);`,
    // The common path imports itself by the name of its entry, which would be a further file that only passes it on.
    `const exported=load.exports.loadCommonPath(new URL("./common-path.cjs",import.meta.url),path=>path==="./${ENTRY}"?Promise.resolve(exported):import(path));`,
    `export const {${names.join(",")}}=exported;`,
    "",
  ].join("\n");
}

/** The program's first file loads the chunk itself, and not the entry that passes it on. */
async function loadWithoutDetour(folder: string, chunk: string): Promise<void> {
  const program = join(folder, "mkt.js");
  const text = await readFile(program, "utf8");
  const direct = text.replace(`import("./${ENTRY}")`, `import("./${chunk}")`);
  if (direct === text) throw new Error(`mkt.js does not load ${ENTRY}`);
  await writeFile(program, direct);
}

/** The names that a file exports. */
async function exportsOf(file: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    format: "esm",
    platform: "node",
    metafile: true,
    write: false,
    outfile: `${file}.names`,
    logLevel: "error",
    plugins: [everythingElse],
  });
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports);
}
