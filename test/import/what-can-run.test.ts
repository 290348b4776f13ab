import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importCatalog } from "../../daemon/import/import-catalog.ts";
import { InProcessImporter } from "../../daemon/import/in-process-importer.ts";
import { renderImportReport } from "../../daemon/import/render-import-report.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { starterCatalogDir } from "../support/bundled-catalog.ts";
import { documentFolder } from "./descriptions.ts";
import { convert, endpointOf, jsonAnswer, manifestOf, oneOperation, openApi } from "./openapi/import-document.ts";

const key = { type: "apiKey", in: "header", name: "X-Key" };
const digest = { type: "http", scheme: "digest" };

async function importOf(document: object) {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const report = await importCatalog(
    {
      named: [folder.write("pets.json", document)],
      out,
      choices: {},
      mcp: false,
      dryRun: false,
      access: { allowPrivateHosts: new Set<string>() },
      today: "2026-11-21",
    },
    { importer: new InProcessImporter(), bundledDir: starterCatalogDir() },
  );
  const check = await checkCatalog({ paths: [out], defaults: [], bundledDir: starterCatalogDir() });
  const text = renderImportReport(report, (...words) => `mkt ${words.join(" ")}`);
  return { text, check, file: readFileSync(join(out, "pets.yaml"), "utf8") };
}

test("an import ends with what can be run after which commands, and what never and why; the check tells it too", async () => {
  const document = openApi(
    { "/pets": { get: { security: [{ key: [] }] } }, "/vets": { get: { security: [{ digest: [] }] } } },
    { components: { securitySchemes: { key, digest } } },
  );

  const { text, check, file } = await importOf(document);

  const why = "it needs HTTP authentication of the kind digest, which is not supported";
  expect(text.trimEnd().split("\n").slice(-2)).toEqual([
    "Can be run after mkt secrets set PETS_KEY, mkt catalog grant pets: 1 endpoint.",
    `Never, until the file is fixed (1): /vets: ${why}.`,
  ]);
  expect(file).toContain("disabledReason: ");
  expect(check.hints.find(({ rule }) => rule === "off")?.message).toContain(why);
});

test("an import of what asks for nothing says that it can be run now", async () => {
  const { text } = await importOf(openApi({ "/pets": { get: {} } }));

  expect(text).toMatch(/\nCan be run now: 1 endpoint\.\n$/);
});

test("a document all of whose endpoints are off says that nothing of it can be run", async () => {
  const { text } = await importOf(openApi({ "/pets": { get: { security: [{ ghost: [] }] } } }));

  expect(text).toContain("Nothing of it can be run.");
  expect(text).toContain("its security scheme ghost is declared nowhere");
});

test.each([
  ["another spelling", { "Api-Key": key, other: digest }, "apiKey"],
  ["the only one there is", { theKey: key }, "api_key"],
])("a security scheme that is declared nowhere is taken for %s, and told", (_, securitySchemes, name) => {
  const document = oneOperation({ security: [{ [name]: [] }] }, { components: { securitySchemes } });

  const { manifest, notes } = convert(document);

  expect(manifest["http"]).toMatchObject({ auth: { type: "apiKey", name: "X-Key" } });
  expect(notes.join()).toContain(`the security scheme ${name} is declared nowhere`);
});

test("a scheme under its own name and under a wrong one is one secret", () => {
  const document = openApi(
    { "/a": { get: { security: [{ theKey: [] }] } }, "/b": { get: { security: [{ api_key: [] }] } } },
    { components: { securitySchemes: { theKey: key } } },
  );

  expect(Object.keys(manifestOf(document).secrets)).toEqual(["key"]);
});

test("where only a parameter carries the key of a misnamed scheme, the parameter is the key", () => {
  const parameters = [{ name: "api_key", in: "header", schema: { type: "string" } }];

  const manifest = manifestOf(oneOperation({ security: [{ api_key: [] }], parameters }));

  expect(manifest.endpoints["/pets"].enabled).toBeUndefined();
  expect(manifest.http.auth).toMatchObject({ in: "header", name: "api_key" });
  expect(manifest.secrets.key.optional).toBeUndefined();
});

describe("what a document says loosely is read", () => {
  test.each([3, "3", "3.0", "3.0.0"])("openapi: %j", (openapi) => {
    expect(Object.keys(manifestOf({ ...openApi({ "/pets": { get: {} } }), openapi }).endpoints)).toEqual(["/pets"]);
  });

  test("paths that stand elsewhere", () => {
    const document = openApi({ $ref: "paths.yaml" });
    const siblings = { "paths.yaml": { "/pets": { get: { summary: "Pets", responses: {} } } } };

    const { endpoints } = manifestOf(document, { siblings });

    expect(endpoints["/pets"].displayName).toBe("Pets");
  });
});

describe("what is no text for people is not shown to them", () => {
  test.each<[string, object, object, string]>([
    ["a path without any name", {}, { path: "/timestags" }, "Get timestags"],
    ["a path with a parameter", {}, { path: "/v2/users/{id}/posts", method: "delete" }, "Delete users posts by id"],
    ["doubled slashes", {}, { path: "//pets//list" }, "Get pets list"],
    ["a summary that says nothing", { summary: "No description", operationId: "listPets" }, {}, "List pets"],
    [
      "a summary as long as a page",
      { summary: `Lists the pets. ${"And more of them. ".repeat(20)}` },
      {},
      "Lists the pets. And more of them. And more of them. And more of them",
    ],
  ])("%s", (_, operation, where, name) => {
    expect(endpointOf(operation as never, where as never).displayName).toBe(name);
  });

  test.each(["No response was specified", "No description provided.", "TODO", "string"])("an answer of %j", (words) => {
    const { description } = endpointOf({
      summary: "List pets",
      responses: { 200: { description: words, content: { "application/json": { schema: { type: "object" } } } } },
    });

    expect(description).toBe("List pets");
  });

  test("an answer that is told at length is told in whole sentences", () => {
    const long = `The pets of the shop. ${"Each with its name, its age and everything else that is known ".repeat(9)}`;

    const { description } = endpointOf({
      summary: "List pets",
      responses: { 200: { description: long, content: { "application/json": {} } } },
    });

    expect(description).toBe("List pets. Answer: The pets of the shop.");
  });
});

describe("what limits the number of results", () => {
  const items = { type: "array", items: { type: "object" } };
  const estimateOf = (name: string, description: string) =>
    endpointOf({
      ...jsonAnswer(items),
      parameters: [{ name, in: "query", description, schema: { type: "integer", maximum: 100 } }],
    }).usage.estimate;

  test.each([
    ["limit", ""],
    ["max", "The most results that are returned"],
    ["count", "Number of items per page"],
  ])("%s (%s) does", (name, description) => {
    expect(estimateOf(name, description)).toBeDefined();
  });

  test.each([
    ["max", "Highest price in dollars"],
    ["max", ""],
    ["size", "Size of the picture in pixels"],
    ["limit", "Distance in kilometres"],
    ["first", "First year"],
  ])("%s (%s) does not", (name, description) => {
    expect(estimateOf(name, description)).toBeUndefined();
  });
});
