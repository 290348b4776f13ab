import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

const dist = new URL("../../dist/", import.meta.url);

/** What a file of the build imports before it runs, of the build and of packages; lazily imported ones are not among it. */
async function importsOf(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(file, dist))],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    external: ["./*"],
    metafile: true,
    write: false,
    outfile: "imports.js",
    logLevel: "error",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
}

/** The chunk that a call loads is a script, whose compiled code is kept, and what loads it. */
const script = "common-path.cjs";

function requiredOf(file: string): string[] {
  const text = readFileSync(new URL(file, dist), "utf8");
  return [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name);
}

async function closureOf(first: string): Promise<{ files: Set<string>; packages: Set<string> }> {
  const [files, packages] = [new Set([first]), new Set<string>()];
  for (const file of files) {
    for (const name of await importsOf(file)) {
      if (name.startsWith("./")) files.add(name.slice(2));
      else packages.add(name);
    }
  }
  return { files, packages };
}

async function packagesOfACall(): Promise<string[]> {
  return [...(await closureOf(start)).packages, ...requiredOf(script)];
}

/** The file in the script's place, which has the script's loader and nothing else. */
const [, start = ""] = /await import\("\.\/([^"]+)"\)/.exec(readFileSync(new URL("mkt.js", dist), "utf8")) ?? [];

test("a call loads one file and a script beside its own, and no package that takes its time", async () => {
  const builtins =
    /^(?:node:)?(assert|child_process|crypto|events|fs|fs\/promises|http|module|os|path|process|stream|timers\/promises|url|util|v8|vm|zlib)$/;

  expect((await closureOf(start)).files.size).toBe(1);
  expect(requiredOf(script).length).toBeGreaterThan(10);
  expect((await packagesOfACall()).filter((name) => !builtins.test(name))).toEqual([]);
});

test("a call does not load what starts other programs", async () => {
  expect((await packagesOfACall()).filter((name) => name.includes("child_process"))).toEqual([]);
});

test("mkt --version loads nothing but its own file", async () => {
  expect([...(await closureOf("mkt.js")).packages].filter((name) => !/^(?:node:)?module$/.test(name))).toEqual([]);
});

test("a call and mkt --version load nothing of the console", async () => {
  const files = ["mkt.js", script];
  const sources = files.flatMap(
    (file) => (JSON.parse(readFileSync(new URL(`${file}.map`, dist), "utf8")) as { sources: string[] }).sources,
  );

  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((source) => /\/(?:console|preact|@preact|uplot)\//.test(source))).toEqual([]);
});

test("the client loads no package at all", async () => {
  const { packages } = await closureOf("client.js");

  expect([...packages].filter((name) => !/^(?:node:)?(http|https|url|timers\/promises)$/.test(name))).toEqual([]);
});
