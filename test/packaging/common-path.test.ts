import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const dist = new URL("../../dist/", import.meta.url);

/** What a file of the build imports before it runs, of the build and of packages; lazily imported ones are not among it. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, dist), "utf8");
  return [...text.matchAll(/^(?:import|export|\}) ?(?:.*? from )?"([^"]+)";$/gm)].map(([, name = ""]) => name);
}

/** The chunk that a call loads is a script, whose compiled code is kept, and what loads it. */
const script = "common-path.cjs";

function requiredOf(file: string): string[] {
  const text = readFileSync(new URL(file, dist), "utf8");
  return [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = ""]) => name);
}

function closureOf(first: string): { files: Set<string>; packages: Set<string> } {
  const [files, packages] = [new Set([first]), new Set<string>()];
  for (const file of files) {
    for (const name of importsOf(file)) {
      if (name.startsWith("./")) files.add(name.slice(2));
      else packages.add(name);
    }
  }
  return { files, packages };
}

function packagesOfACall(): string[] {
  return [...closureOf(start).packages, ...requiredOf(script)];
}

const [, start = ""] = /await import\("\.\/([^"]+)"\)/.exec(readFileSync(new URL("mkt.js", dist), "utf8")) ?? [];

test("a call loads two files and a script beside its own, and no package that takes its time", () => {
  const builtins =
    /^(?:node:)?(assert|child_process|crypto|events|fs|fs\/promises|http|module|os|path|process|stream|timers\/promises|url|util|v8|vm|zlib)$/;

  expect(closureOf(start).files.size).toBeLessThanOrEqual(2);
  expect(requiredOf(script).length).toBeGreaterThan(10);
  expect(packagesOfACall().filter((name) => !builtins.test(name))).toEqual([]);
});

test("a call does not load what starts other programs", () => {
  expect(packagesOfACall().filter((name) => name.includes("child_process"))).toEqual([]);
});

test("mkt --version loads nothing but its own file", () => {
  expect([...closureOf("mkt.js").packages].filter((name) => !/^(?:node:)?module$/.test(name))).toEqual([]);
});

test("a call and mkt --version load nothing of the console", () => {
  const files = ["mkt.js", script, ...closureOf(start).files];
  const sources = files.flatMap(
    (file) => (JSON.parse(readFileSync(new URL(`${file}.map`, dist), "utf8")) as { sources: string[] }).sources,
  );

  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((source) => /\/(?:console|preact|@preact|uplot)\//.test(source))).toEqual([]);
});

test("the client loads no package at all", () => {
  const { packages } = closureOf("client.js");

  expect([...packages].filter((name) => !/^(?:node:)?(http|https|url|timers\/promises)$/.test(name))).toEqual([]);
});
