import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ImportRefused } from "../../../daemon/import/conversion/imported-provider.ts";
import { readDescriptionBytes, readDescriptionFile } from "../../../daemon/import/documents/read-description.ts";
import { tempDir } from "../../support/temp-dir.ts";

const document = { openapi: "3.0.0", info: { title: "Pets ☃" }, paths: {} };
const json = JSON.stringify(document, null, 2);
const yaml = "openapi: 3.0.0\ninfo:\n  title: Pets ☃\npaths: {}\n";

async function read(content: string | Buffer) {
  return await readDescriptionBytes(Buffer.from(content), "https://api.example/openapi.json");
}

async function refusalOf(content: string | Buffer): Promise<ImportRefused> {
  const error: unknown = await read(content).catch((thrown: unknown) => thrown);
  if (error instanceof ImportRefused) return error;
  throw new Error(`not refused, but ${String(error)}`);
}

function bigEndian(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

test.each([
  ["JSON", json],
  ["JSON with a byte-order mark", `\ufeff${json}`],
  ["JSON after blank lines", `\n\n  ${json}`],
  ["YAML", yaml],
  ["YAML with a byte-order mark", `\ufeff${yaml}`],
  ["UTF-16 with a byte-order mark", Buffer.from(`\ufeff${json}`, "utf16le")],
  ["UTF-16 without one", Buffer.from(json, "utf16le")],
  ["UTF-16 of the other order", bigEndian(`\ufeff${yaml}`)],
  ["UTF-16 of the other order without a mark", bigEndian(yaml)],
])("%s is read, whatever the file is called", async (_, content) => {
  expect((await read(content)).value).toEqual(document);
});

test.each([
  ["text that is neither UTF-8 nor UTF-16", Buffer.from([0x7b, 0x22, 0xff, 0xc0, 0x22]), "encoding", "UTF-8"],
  ["packed data", Buffer.from([0x1f, 0x8b, 8, 0]), "encoding", "unpack"],
  ["an archive", Buffer.from("PK\u0003\u0004"), "encoding", "unpack"],
  ["a web page", "<!doctype html>\n<title>404</title>", "web-page", "raw document"],
  ["XML", '<?xml version="1.0"?><x/>', "web-page", "XML"],
  ["nothing", " \n", "empty", "nothing"],
  [
    "a key that stands twice in JSON",
    '{\n "paths": {},\n "paths": {}\n}',
    "duplicate",
    'Line 3, column 2: "paths" occurs here twice',
  ],
  [
    "a key that stands twice in YAML",
    "a: 1\npaths: {}\npaths: {}\n",
    "duplicate",
    'Line 3, column 1: "paths" occurs here twice',
  ],
  ["JSON that ends too early", '{\n "openapi": "3.0.0",\n "info": {', "syntax", "Line 3, column 11"],
  ["YAML indented with tabs", "openapi: 3.0.0\ninfo:\n\ttitle: x\n", "syntax", 'The line: "\\ttitle: x"'],
  ["YAML indented wrongly", "openapi: 3.0.0\nservers\n  - url: x\n", "syntax", "Line 2"],
])("%s is refused in words, with the place", async (_, content, rule, words) => {
  const refusal = await refusalOf(content);

  expect(refusal.rule).toBe(rule);
  expect(refusal.message).toContain(words);
});

test("JSON with a comma too many is read, and told", async () => {
  const { value, notes } = await read('{"openapi": "3.0.0", "paths": {},}');

  expect(value).toEqual({ openapi: "3.0.0", paths: {} });
  expect(notes?.[0]).toContain("not strict JSON");
});

test("YAML takes the members of an anchored map in, and anchors are followed", async () => {
  const { value } = await read("base: &b {type: string, format: date}\nday: {<<: *b, format: time}\nlist: [*b]\n");

  expect(value).toMatchObject({ day: { type: "string", format: "time" }, list: [{ type: "string" }] });
});

test.each([
  ["JSON", '{"a": {"__proto__": {"x": 1}, "constructor": 2, "b": 3}}'],
  ["YAML", "a:\n  __proto__: {x: 1}\n  constructor: 2\n  b: 3\n"],
])("names with a meaning in JavaScript are left out of %s, and told", async (_, content) => {
  const { value, notes } = await read(content);

  expect(value).toEqual({ a: { b: 3 } });
  expect(Object.getPrototypeOf((value as { a: object }).a)).toBe(Object.prototype);
  expect(notes?.[0]).toContain("a.__proto__, a.constructor");
});

test.each([
  ["aliases that multiply", `a0: &a0 [x,x,x,x,x,x,x,x,x]\n${bomb(9)}`, "aliases"],
  ["an anchor that holds itself", "a: &a\n  b: *a\n", "depth"],
  ["lists in lists without end", `a: ${"[".repeat(100_000)}`, "depth"],
  ["JSON nested a hundred thousand deep", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "depth"],
  ["YAML with millions of parts", `a: [${"1,".repeat(1_100_000)}]`, "size"],
])("%s are refused in bounded time", async (_, content, rule) => {
  expect((await refusalOf(content)).rule).toBe(rule);
});

test("a document with 200,000 parts is read", async () => {
  const { value } = await read(JSON.stringify({ openapi: "3.0.0", x: Array.from({ length: 200_000 }, () => 1) }));

  expect(value).toHaveProperty("x.length", 200_000);
});

function bomb(levels: number): string {
  const line = (level: number) =>
    `a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(",")}]\n`;
  return Array.from({ length: levels }, (_, index) => line(index + 1)).join("");
}

test("whatever the bytes are, they are read or refused in words", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ maxLength: 200 })), async (content) => {
      const error: unknown = await readDescriptionBytes(Buffer.from(content as string), "https://x.example/").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error === undefined || error instanceof ImportRefused).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("whatever JSON says is what is read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.stringMatching(/^[a-z$/{}~]{1,8}$/), fc.jsonValue()), async (value) => {
      fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify(value)));
      expect((await read(JSON.stringify(value))).value).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 200 },
  );
});

function folderWith(files: Readonly<Record<string, string>>) {
  const folder = tempDir();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), content);
  }
  return folder;
}

test("files below its own folder that it refers to are read with it", async () => {
  using folder = folderWith({
    "api.yaml": "openapi: 3.0.0\npaths:\n  /a: {$ref: ./paths/a.yaml}\n",
    "paths/a.yaml": "get:\n  responses: {'200': {$ref: '../schemas/Pet%20one.json#/x'}}\n",
    "schemas/Pet one.json": '{"x": {"$ref": "../api.yaml#/paths"}}',
  });

  const { siblings, refused } = await readDescriptionFile(join(folder.path, "api.yaml"));

  expect([...siblings.keys()].sort()).toEqual(["paths/a.yaml", "schemas/Pet one.json"]);
  expect(refused.size).toBe(0);
});

test("its hash changes when a file that it refers to does", async () => {
  using folder = folderWith({ "api.json": '{"a": {"$ref": "b.json"}}', "b.json": "{}" });
  const before = await readDescriptionFile(join(folder.path, "api.json"));
  writeFileSync(join(folder.path, "b.json"), '{"c": 1}');

  const after = await readDescriptionFile(join(folder.path, "api.json"));

  expect(after.sha256).not.toBe(before.sha256);
});

test.each([
  "file:///etc/passwd",
  "/etc/passwd",
  "../outside.json",
  "a/../../outside.json",
  "%2e%2e/outside.json",
  "..\\outside.json",
  "http://127.0.0.1:9/canary.json",
  "//127.0.0.1:9/canary.json",
  "https://api.example/other.json#/x",
  "~/secret.json",
  "C:/secret.json",
  "missing.json",
  "pipe:x",
  "link.json",
  "linked/outside.json",
  ".",
])("a reference to %s is not followed, and why is told", async (reference) => {
  using root = folderWith({ "outside.json": '{"secret": 1}', "inner/a/x.json": "{}" });
  const inner = join(root.path, "inner");
  writeFileSync(join(inner, "api.json"), JSON.stringify({ openapi: "3.0.0", x: { $ref: reference } }));
  symlinkSync(join(root.path, "outside.json"), join(inner, "link.json"));
  symlinkSync(root.path, join(inner, "linked"));

  const { siblings, refused } = await readDescriptionFile(join(inner, "api.json"));

  expect(siblings.size).toBe(0);
  expect(refused.get(reference)).toEqual(expect.any(String));
});

test("a property that is named $ref is no reference", async () => {
  using folder = folderWith({ "api.json": '{"properties": {"$ref": {"type": "string"}}}' });

  const { refused, siblings } = await readDescriptionFile(join(folder.path, "api.json"));

  expect([refused.size, siblings.size]).toEqual([0, 0]);
});

test.each([
  ["a folder", "", "file"],
  ["a file that is not there", "nowhere.json", "file"],
])("%s is refused", async (_, name, rule) => {
  using folder = tempDir();

  await expect(readDescriptionFile(join(folder.path, name))).rejects.toMatchObject({ rule });
});

test("a file over 32 MB is refused before it is read", async () => {
  using folder = tempDir();
  const file = join(folder.path, "big.json");
  writeFileSync(file, Buffer.alloc(33 * 1024 * 1024, 32));

  await expect(readDescriptionFile(file)).rejects.toMatchObject({ rule: "size" });
});
