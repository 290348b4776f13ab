import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffCatalogs, renderCatalogDiff } from "../../daemon/catalog-review/catalog-diff.ts";
import { tempDir } from "../support/temp-dir.ts";
import { endpoint, manifest } from "../catalog/catalog-folder.ts";

type Json = Record<string, unknown>;

async function changesOf(before: Json, after: Json) {
  using folder = tempDir();
  const [old, now] = [join(folder.path, "old.json"), join(folder.path, "new.json")];
  writeFileSync(old, JSON.stringify(manifest({ endpoints: { "/items/{id}": endpoint(before) } })));
  writeFileSync(now, JSON.stringify(manifest({ endpoints: { "/items/{id}": endpoint(after) } })));
  const { endpoints } = await diffCatalogs(old, now);
  return endpoints.flatMap(({ changes }) => changes.map(({ words, breaking }) => `${breaking ? "! " : ""}${words}`));
}

const field = (schema: Json, required: string[] = []) => ({ input: { body: { required, properties: { a: schema } } } });

test.each<[string, Json, Json, string[]]>([
  ["nothing", {}, {}, []],
  ["a price", {}, { price: { type: "FREE" } }, ["costs nothing, was $0.01 a call"]],
  ["a new field", { input: {} }, field({}), ["body.a is new"]],
  ["a new required field", { input: {} }, field({}, ["a"]), ["! body.a is new, and required"]],
  ["a required field with a default", { input: {} }, field({ default: 1 }, ["a"]), ["body.a is new, and required"]],
  ["a field that is gone", field({}), { input: {} }, ["! body.a is gone"]],
  ["a field that is required now", field({}), field({}, ["a"]), ["! body.a is required now"]],
  ["a field that need not be given", field({}, ["a"]), field({}), ["body.a is required no more"]],
  ["another type", field({ type: "string" }), field({ type: "integer" }), ["! body.a takes integer, was string"]],
  ["a wider type", field({ type: "integer" }), field({ type: "number" }), ["body.a takes number, was integer"]],
  ["a lower maximum", field({ maximum: 9 }), field({ maximum: 5 }), ["! body.a: maximum is 5, was 9"]],
  ["a higher maximum", field({ maximum: 5 }), field({ maximum: 9 }), ["body.a: maximum is 9, was 5"]],
  ["a new minimum", field({}), field({ minLength: 1 }), ["! body.a: minLength is 1, was nothing"]],
  [
    "values",
    field({ enum: ["x", "y"] }),
    field({ enum: ["y", "z"] }),
    ['! body.a takes "x" no more', 'body.a takes "z" too'],
  ],
  ["another default", field({ default: 1 }), field({ default: 2 }), ["body.a is 2 when it is not given, was 1"]],
  ["a pattern", field({}), field({ pattern: "^a$" }), ['! body.a: pattern is "^a$", was nothing']],
  ["only words", field({ description: "a" }), field({ description: "b" }), []],
  [
    "items of a list",
    field({ items: { maximum: 2 } }),
    field({ items: { maximum: 1 } }),
    ["! body.a[]: maximum is 1, was 2"],
  ],
  ["an end", {}, { enabled: false, deprecated: "use /b" }, ["! is disabled", "is deprecated: use /b"]],
  [
    "another call",
    {},
    { request: { method: "GET", path: "/v2/items/{id}" } },
    ["calls GET https://api.shop.example/v2/items/{id}, was POST https://api.shop.example/v1/items/{id}"],
  ],
  ["another text", {}, { description: "New." }, ["is described in other words"]],
])("%s that changed is told to the reviewer", async (_, before, after, expected) => {
  expect(await changesOf(before, after)).toEqual(expected);
});

test("endpoints that were added and removed are told; a removed one breaks callers", async () => {
  using folder = tempDir();
  const [old, now] = [join(folder.path, "old.json"), join(folder.path, "new.json")];
  writeFileSync(
    old,
    JSON.stringify(manifest({ endpoints: { "/a": endpoint({ request: { method: "GET" }, input: {} }) } })),
  );
  writeFileSync(
    now,
    JSON.stringify(manifest({ endpoints: { "/b": endpoint({ request: { method: "GET" }, input: {} }) } })),
  );

  const diff = await diffCatalogs(old, now);

  expect(diff.exitCode).toBe(1);
  expect(renderCatalogDiff(diff)).toBe(
    [
      "- shop/a  ! no longer there",
      "+ shop/b",
      "    costs $0.01 a call",
      "2 endpoints differ; 1 may break callers (!).",
      "",
    ].join("\n"),
  );
});

test("what is no manifest is told with the place", async () => {
  using folder = tempDir();
  const file = join(folder.path, "shop.yaml");
  writeFileSync(file, "mkt: 1\nprovider: shop\nendpoint: {}\n");

  await expect(diffCatalogs(file, file)).rejects.toThrow("endpoint");
  await expect(diffCatalogs(join(folder.path, "none.yaml"), file)).rejects.toThrow("does not exist");
});
