import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { mountDaemonCommands } from "../../bin/daemon-commands.ts";
import { allSchemas, resolveLocalRef } from "../../daemon/manifest/json-schema-walk.ts";
import { manifestJsonSchema } from "../../daemon/manifest/manifest-schema.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { runMkt } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { endpoint, fixturesDir, manifest } from "../catalog/catalog-folder.ts";

type Json = Record<string, unknown>;

function compile(schema: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

const validate = compile(manifestJsonSchema());

function filesIn(folder: string): [name: string, text: string][] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml") && !/^(?:categories|thesaurus)\./.test(name))
    .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
}

const withEndpoint = (changes: Json) => manifest({ endpoints: { "/items/{id}": endpoint(changes) } });
const withRequest = (changes: Json) =>
  withEndpoint({ request: { method: "POST", path: "/v1/items/{id}", ...changes } });

describe("the JSON Schema of provider files", () => {
  test.each([...filesIn(bundledCatalogDir), ...filesIn(fixturesDir)])("takes %s", (_, text) => {
    const isValid = validate(parse(text));

    expect(validate.errors).toBeNull();
    expect(isValid).toBe(true);
  });

  test.each<[string, Json, string]>([
    ["a key with a typo", manifest({ displayname: "Shop" }), ""],
    ["a key of http with a typo", manifest({ http: { baseUrl: "https://x.example", timeoutms: 5 } }), "/http"],
    ["a method that is none", withRequest({ method: "GTE" }), "/endpoints/~1items~1{id}/request/method"],
    ["an encoding that is none", withRequest({ encoding: "xml" }), "/endpoints/~1items~1{id}/request/encoding"],
    ["a style that is none", withRequest({ styles: { lang: "pipe" } }), "/endpoints/~1items~1{id}/request/styles/lang"],
    ["a price type with a typo", withEndpoint({ price: { type: "PER_CAL" } }), "/endpoints/~1items~1{id}/price"],
    ["a price without its amount", withEndpoint({ price: { type: "PER_CALL" } }), "/endpoints/~1items~1{id}/price"],
    ["a secret's value in place of its variable", manifest({ secrets: { key: { env: "abc" } } }), "/secrets/key/env"],
    ["a path without a slash", manifest({ endpoints: { items: endpoint() } }), "/endpoints"],
    ["a category without its top", manifest({ categories: ["weather"] }), "/categories/0"],
    ["no version", { provider: "shop", endpoints: {} }, ""],
    ["a source of an unknown kind", manifest({ source: { kind: "soap", ref: "x" } }), "/source/kind"],
  ])("refuses %s", (_, file, place) => {
    const isValid = validate(file);

    expect(isValid).toBe(false);
    expect(validate.errors?.map(({ instancePath }) => instancePath)).toContain(place);
  });

  test("takes what may be left out because it has a default", () => {
    const isValid = validate({ mkt: 1, provider: "shop", endpoints: { "/a": { request: { method: "GET" } } } });

    expect(isValid).toBe(true);
  });

  test("has words for every key", () => {
    expect(keysWithoutWords(manifestJsonSchema())).toEqual([]);
  });
});

/** Keys whose schema says nothing about them; one that has a single possible value needs no words. */
function keysWithoutWords(root: Json): string[] {
  const isTold = (property: Json): boolean =>
    "description" in property ||
    "const" in property ||
    (typeof property["$ref"] === "string" && isTold(resolveLocalRef(root, property["$ref"]) as Json));
  return allSchemas(root).flatMap((schema) =>
    Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>)
      .filter(([, property]) => !isTold(property))
      .map(([name]) => name),
  );
}

describe("mkt catalog schema", () => {
  const mkt = async (...words: string[]) =>
    await runMkt(["catalog", "schema", ...words], {
      mount: (program, context) => mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: 0 }),
    });

  test("prints the schema, which says its dialect and its name", async () => {
    const { exitCode, stdout } = await mkt();

    const schema = JSON.parse(stdout) as Json;
    expect(exitCode).toBe(0);
    expect(schema).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "urn:mkt:provider-manifest:1",
    });
    expect(compile(schema)(manifest())).toBe(true);
  });

  test("writes it to a file and tells the line that an editor looks for", async () => {
    using folder = tempDir();
    const file = join(folder.path, "schema.json");

    const { exitCode, stdout, stderr } = await mkt("--out", file);

    expect(exitCode).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain(`# yaml-language-server: $schema=${file}`);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(manifestJsonSchema());
  });

  test("says when the file cannot be written", async () => {
    using folder = tempDir();

    const { exitCode, stderr } = await mkt("--out", join(folder.path, "nowhere", "schema.json"));

    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("cannot be written");
  });

  test("tells in its help how an editor is told of it", async () => {
    const { stdout } = await mkt("--help");

    expect(stdout).toContain("# yaml-language-server: $schema=");
  });
});
