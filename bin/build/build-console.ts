import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Metafile } from "esbuild";
import { build } from "vite";
import { consoleConfig } from "../../console/vite.config.ts";

const packings = [
  { ending: ".gz", pack: async (bytes: Buffer) => await promisify(gzip)(bytes, { level: 9 }) },
  {
    ending: ".br",
    pack: async (bytes: Buffer) =>
      await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  },
];

/**
 * The console as files in `<folder>/console`: a page, and assets that are packed here once and not at every request.
 * Returns what went into them. docs/console.md, "What is served"
 */
export async function buildConsole(folder: string): Promise<Metafile> {
  const outDir = resolve(folder, "console");
  const built = await build({ ...consoleConfig, configFile: false, build: { ...consoleConfig.build, outDir } });
  const assets = join(outDir, "assets");
  for (const name of await readdir(assets)) {
    if (name.endsWith(".map")) continue;
    const bytes = await readFile(join(assets, name));
    for (const { ending, pack } of packings) await writeFile(join(assets, `${name}${ending}`), await pack(bytes));
  }
  return metafileOf("output" in built ? built.output : []);
}

type Chunks = Extract<Awaited<ReturnType<typeof build>>, { output: unknown }>["output"];

/** As esbuild tells it, so that one list names the packages of everything that was built. */
function metafileOf(chunks: Chunks | readonly []): Metafile {
  const outputs = chunks.flatMap((chunk) => {
    if (chunk.type !== "chunk") return [];
    const inputs = Object.entries(chunk.modules).map(([path, { renderedLength }]) => [
      path.replace(`${process.cwd()}/`, ""),
      { bytesInOutput: renderedLength },
    ]);
    return [
      [chunk.fileName, { bytes: chunk.code.length, inputs: Object.fromEntries(inputs), imports: [], exports: [] }],
    ];
  });
  return { inputs: {}, outputs: Object.fromEntries(outputs) as Metafile["outputs"] };
}
