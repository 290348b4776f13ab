import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { importCatalog } from "../../daemon/import/import-catalog.ts";
import { WorkerImporter } from "../../daemon/import/worker-importer.ts";
import type { ReaderLimits } from "../../daemon/processes/asked-process.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { documentFolder, openApi, operation } from "./descriptions.ts";

/** The built process; `npm test` builds it before the tests run. */
const workerFile = fileURLToPath(new URL("../../dist/import-worker.cjs", import.meta.url));

async function importAll(
  out: string,
  named: readonly string[],
  limits: ReaderLimits = { timeoutMs: 60_000, memoryMegabytes: 512 },
) {
  const importer = new WorkerImporter(workerFile, limits);
  try {
    const access = { allowPrivateHosts: new Set<string>() };
    return await importCatalog(
      { named, out, choices: { allOperations: true }, mcp: false, dryRun: false, access, today: "2026-11-21" },
      { importer },
    );
  } finally {
    await importer.close();
  }
}

test("a document that takes too long is given up, and the next one is imported", async () => {
  using folder = documentFolder();
  const slow = folder.write(
    "a-slow.json",
    openApi({ x: Array.from({ length: 500_000 }, (_, index) => ({ a: index })) }),
  );
  const good = folder.write("b-good.json", openApi());

  const late = await importAll(join(folder.path, "catalog"), [slow], { timeoutMs: 20, memoryMegabytes: 512 });
  const { documents } = await importAll(join(folder.path, "catalog"), [good]);

  expect(late.documents[0]?.error).toMatchObject({
    rule: "time",
    message: expect.stringContaining("longer than 0.02 s"),
  });
  expect(documents[0]?.endpoints).toBe(2);
});

test("a document that takes too much memory is given up, and the next one is imported by a new process", async () => {
  using folder = documentFolder();
  const large = folder.write(
    "a-large.json",
    openApi({ x: Array.from({ length: 600_000 }, (_, index) => ({ a: index })) }),
  );
  const good = folder.write("b-good.json", openApi());

  const { documents } = await importAll(join(folder.path, "catalog"), [large, good], {
    timeoutMs: 60_000,
    memoryMegabytes: 24,
  });

  expect(documents[0]?.error).toMatchObject({ rule: "memory", message: expect.stringContaining("24 MB") });
  expect(documents[1]?.endpoints).toBe(2);
});

const nested = (depth: number): object =>
  depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };
const body = (schema: object) => ({ requestBody: { content: { "application/json": { schema } } } });
const many = Array.from({ length: 10_000 }, (_, index) => ({
  name: `p${index}`,
  in: "query",
  schema: { type: "string" },
}));
const schemas = {
  A: { type: "object", properties: { b: { $ref: "#/components/schemas/B" } } },
  B: { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } },
  Self: { $ref: "#/components/schemas/Self" },
};

test.each([
  [
    "texts of 5 MB",
    {
      info: { title: "Big", version: "1", description: "x ".repeat(2_500_000) },
      paths: { "/a": { get: operation("A", [], { description: "<b>".repeat(1_700_000) }) } },
    },
  ],
  [
    "comments that never end",
    {
      paths: Object.fromEntries(
        Array.from({ length: 400 }, (_, index) => [
          `/a${index}`,
          { get: operation("<!--".repeat(4_750), [], { description: "<!--".repeat(4_750) }) },
        ]),
      ),
    },
  ],
  [
    "200,000 parts",
    { paths: { "/a": { get: operation("A", [], { "x-y": Array.from({ length: 200_000 }, () => ({})) }) } } },
  ],
  ["schemas nested a hundred deep", { paths: { "/a": { post: operation("A", [], body(nested(50))) } } }],
  [
    "cyclic schemas",
    {
      paths: {
        "/a": { post: operation("A", [], body({ $ref: "#/components/schemas/A" })) },
        "/b": { post: operation("B", [], body({ $ref: "#/components/schemas/Self" })) },
      },
      components: { schemas },
    },
  ],
  ["ten thousand parameters", { paths: { "/a": { get: operation("A", many) }, "/b": { get: operation("B") } } }],
  [
    "patterns that backtrack",
    {
      paths: {
        "/a": {
          get: operation("A", [
            { name: "q", in: "query", schema: { type: "string", pattern: "^(a+)+$" } },
            { name: "r", in: "query", schema: { type: "string", pattern: "(?=x)(a|aa)+\\1" } },
          ]),
        },
      },
    },
  ],
  [
    "names of JavaScript",
    JSON.parse(
      '{"paths": {"/a": {"get": {"summary": "A", "parameters": [{"name": "__proto__", "in": "query", "schema": {"type": "string"}}, {"name": "constructor", "in": "query", "schema": {"type": "string"}}], "responses": {"200": {"description": "x"}}}, "__proto__": {"x": 1}}, "/b": {"get": {"summary": "B", "responses": {"200": {"description": "x"}}}}}}',
    ),
  ],
])("%s: cleaned or refused, and what is written the catalog takes", async (_, changes) => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");

  const { documents } = await importAll(out, [
    folder.write("a.json", openApi(changes as object as Record<string, unknown>)),
  ]);

  const [document] = documents;
  expect(document?.error?.rule).not.toBe("unforeseen");
  if (document?.manifest === undefined) expect(document?.error?.message).toEqual(expect.any(String));
  else expect((await checkCatalog({ paths: [document.manifest], defaults: [] })).problems).toEqual([]);
});

/* eslint-disable no-control-regex -- what must not be in a manifest */
const acting =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\u{e0000}-\u{e007f}]/u;

/** Every text of a value, the names of members too. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}

test("terminal escapes and direction marks of a document reach neither the manifest nor the report", async () => {
  using folder = documentFolder();
  const evil = "\u001b]0;owned\u0007\u001b[2Jpets\u202egnp.exe\u0000\u{e0041}";
  const paths = {
    "/a": {
      get: operation(evil, [{ name: `q${evil}`, in: "query", description: evil, schema: { type: "string" } }], {
        description: evil,
        tags: [evil],
        operationId: evil,
      }),
    },
    [`/b${evil}`]: { get: operation("B") },
    "/c": { get: operation("C", [], { "x-mkt-path": "/../../other", security: [{ q: [] }] }) },
    "/d": { get: operation("D", [], { "x-mkt-path": "/../../other" }) },
  };
  const components = { securitySchemes: { q: { type: "apiKey", in: "query", name: evil } } };
  const externalDocs = { url: `https://pets.example/${evil}` };
  const info = { title: evil, version: evil };
  const out = join(folder.path, "catalog");

  const { documents } = await importAll(out, [
    folder.write("a.json", openApi({ paths, components, security: [], externalDocs, info })),
  ]);

  const manifest = readFileSync(documents[0]?.manifest ?? "", "utf8");
  expect(manifest).not.toMatch(acting);
  // What YAML spells with escapes is there all the same once it is read.
  expect(textsOf(parse(manifest)).join("")).not.toMatch(acting);
  expect(textsOf(parse(manifest)).filter((text) => /\/\.\.?(?:\/|$)/.test(text))).toEqual([]);
});
