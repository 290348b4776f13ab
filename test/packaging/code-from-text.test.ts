import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type CodeFromText, findCodeFromText } from "./find-code-from-text.ts";

/*
 * What is built makes no code of a text, except at these places. docs/security.md, T30: what others write is data, never
 * code.
 */

const HANG_MS = 180_000;
const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

interface Allowed {
  readonly whose: string;
  readonly why: string;
  /** What stands around it, without blanks. */
  readonly places: readonly RegExp[];
}

const allowed: readonly Allowed[] = [
  {
    whose: "ajv",
    why: "compiles the input schemas of endpoints, which the checks at load have let through, to code that counts its work",
    places: [/newFunction\(`\$\{names_1\.default\.self\}`/],
  },
  {
    whose: "ajv, of JSON Type Definition",
    why: "comes with Fastify's compiler; nothing of ours calls it",
    places: [/newFunction\(`\$\{names_1\.default\.scope\}`,sourceCode\)\(this\.scope\.get\(\)\)/],
  },
  {
    whose: "zod",
    why: "compiles shapes that stand in our own sources; tries once whether it may",
    places: [
      /F\d*=Function;(?:return)?newF\d*\(""\)/,
      /F\d*=Function[;,](?:const)?content=this\?\.content/,
      /F\d*=Function[;,](?:const)?factoryCode=/,
    ],
  },
  {
    whose: "fast-json-stringify",
    why: "comes with Fastify, which is told that no route has schemas of its own: it is not called",
    places: [
      /newFunction\("validator","serializer",contextFunctionCode\)/,
      /Function\.apply\(null,\["validator","serializer",code\]/,
      /newFunction\(serializeFuncCode\)/,
    ],
  },
  {
    whose: "find-my-way",
    why: "the router: compiles the paths of our own routes",
    places: [
      /newFunction\("NullObject",fnBody\.join/,
      /newFunction\("derivedConstraints",lines/,
      /newFunction\("path","i",/,
      /newFunction\("NullObject","decodeParam"/,
      /newFunction\("req","ctx",lines/,
    ],
  },
  {
    whose: "undici",
    why: "makes nothing: takes a method of all functions",
    places: [/FunctionPrototypeSymbolHasInstance=Function\.call\.bind\(Function\.prototype/],
  },
  {
    whose: "compiled/load-compiled.ts",
    why: "the daemon, as it was built, so that its compiled code can be kept",
    places: [/from"(?:node:)?vm"/, /import_node_vm=require\("node:vm"\)/],
  },
  {
    whose: "processes/asked-thread.ts",
    why: "the script of the index thread, as it was built; held since the start",
    places: [/\{eval:typeofscript!=+"string"/],
  },
  {
    whose: "processes/guard.ts",
    why: "the script of the guard, a constant",
    places: [/Worker\(guardText,\{eval:(?:true|!0)/],
  },
];

function whoseIs({ around }: CodeFromText): Allowed | undefined {
  return allowed.find(({ places }) => places.some((place) => place.test(around)));
}

test(
  "what is built makes code of a text at the places that are named, and nowhere else",
  () => {
    const scripts = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /\.[cm]?js$/.test(name));
    const found = scripts.flatMap((name) => {
      const text = readFileSync(join(dist, name), "utf8");
      if (!/\beval\b|\bFunction\b|\bvm\b|constructor\(["'`]|\bset(?:Timeout|Interval)\(["'`]/.test(text)) return [];
      return findCodeFromText(name, text).map((place) => ({ name, ...place }));
    });

    const others = found.filter((place) => whoseIs(place) === undefined);
    const unused = allowed.filter((one) => !found.some((place) => whoseIs(place) === one)).map(({ whose }) => whose);

    expect(scripts.length).toBeGreaterThan(50);
    expect(others).toEqual([]);
    expect(unused).toEqual([]);
  },
  HANG_MS,
);

test.each([
  ["eval", "eval(text)"],
  ["eval", "(0, eval)(text)"],
  ["eval", "globalThis.eval(text)"],
  ["eval", "const run = eval"],
  ["Function", "new Function(text)"],
  ["Function", "Function(text)()"],
  ["Function", "const F = Function; new F(text)"],
  ["Function", "new globalThis.Function(text)"],
  ["Function", "Function.apply(null, [text])"],
  ["Function", "(() => {}).constructor('return 1')()"],
  ["vm", "require('vm')"],
  ["vm", "await import('node:vm')"],
  ["vm", "import { runInNewContext } from 'node:vm'"],
  ["vm", "process.getBuiltinModule('vm')"],
  ["timer", "setTimeout('work()', 1)"],
  ["worker", "new Worker(text, { eval: true })"],
])("such a place would be found: %s, %s", (how, text) => {
  expect(findCodeFromText("x.js", text).map((place) => place.how)).toContain(how);
});

test.each([
  "'eval(1)'; // new Function()",
  "x instanceof Function && Function.prototype.call",
  "class A { eval(x) { return this.eval(x); } }",
  "setTimeout(work, 1)",
  "class B extends A { constructor(x) { super(x); } }",
])("what only looks like one is none: %s", (text) => {
  expect(findCodeFromText("x.js", text)).toEqual([]);
});
