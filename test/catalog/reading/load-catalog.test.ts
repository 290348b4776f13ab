import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCatalog } from "../../../daemon/catalog/catalog.ts";
import { bundledCatalogDir } from "../../support/bundled-catalog.ts";
import { MemoryGrantStore } from "../../support/memory-grant-store.ts";
import { catalogFolder, endpoint, fixturesDir, manifest } from "../catalog-folder.ts";

test("the worked examples load without a problem", async () => {
  using folder = catalogFolder({ examples: true });

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
  expect(catalog.entries().map(({ provider, path }) => `${provider.provider} ${path}`)).toEqual([
    "leadfinder /people/search",
    "phonedesk /numbers/buy",
    "phonedesk /messages/send",
    "scrapeworks /instagram/posts",
    "skywatch /forecast/{city}",
  ]);
});

test("the bundled catalog loads without a problem", async () => {
  const catalog = await loadCatalog({
    folders: [{ dir: bundledCatalogDir, bundled: true }],
    grants: new MemoryGrantStore(),
    environment: {},
  });

  expect(catalog.problems()).toEqual([]);
  expect(catalog.availability("atlas")).toEqual({ available: true });
});

test("an endpoint has what its provider says, leaf by leaf, unless it says otherwise", async () => {
  using folder = catalogFolder();
  folder.write(
    "shop",
    manifest({
      docUrl: "https://shop.example/docs",
      tags: ["goods"],
      notes: ["be kind"],
      errors: [{ when: { status: ["5xx"] }, as: { message: "down" } }],
      http: {
        baseUrl: "https://api.shop.example",
        timeoutMs: 9_000,
        headers: { "X-A": "provider", "X-B": "provider" },
        retry: { attempts: 5, backoffMs: 1 },
      },
      endpoints: {
        "/items/{id}": endpoint({
          tags: ["own"],
          errors: [{ when: { status: [404] }, as: { empty: true } }],
          http: { headers: { "x-b": "endpoint" }, retry: { attempts: 1 } },
        }),
      },
    }),
  );

  const entry = (await folder.load()).get("shop", "/items/{id}");

  expect(entry.docUrl).toBe("https://shop.example/docs");
  expect(entry.tags).toEqual(["own"]);
  expect(entry.notes).toEqual(["be kind"]);
  expect(entry.errors.map(({ when }) => when.status)).toEqual([[404], ["5xx"]]);
  expect(entry.http).toMatchObject({
    timeoutMs: 9_000,
    headers: { "X-A": "provider", "x-b": "endpoint" },
    retry: { attempts: 1, backoffMs: 1, maxBackoffMs: 20_000 },
    maxResponseBytes: 10 * 1024 * 1024,
    queryArrays: "repeat",
  });
});

test("an endpoint measures what its provider measures, leaf by leaf, unless it says otherwise", async () => {
  using folder = catalogFolder();
  const usage = {
    count: "$.items",
    cost: { from: "$.credits", usdPerUnit: 0.01 },
    estimate: { count: 5, max: 10 },
  };
  folder.write(
    "shop",
    manifest({
      usage,
      endpoints: {
        "/items/{id}": endpoint({
          usage: { cost: { from: "header:x-credits" }, estimate: { max: "input:body.limit" } },
        }),
        "/cents/{id}": endpoint({ usage: { count: "$.list", cost: { from: "$.cents", unit: "CENT" } } }),
      },
    }),
  );

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
  expect(catalog.get("shop", "/items/{id}").usage).toEqual({
    count: "$.items",
    cost: { from: "header:x-credits", usdPerUnit: 0.01 },
    estimate: { count: 5, max: "input:body.limit" },
  });
  expect(catalog.get("shop", "/cents/{id}").usage).toEqual({
    count: "$.list",
    cost: { from: "$.cents", unit: "CENT" },
    estimate: { count: 5, max: 10 },
  });
});

test("a price is shown with its markup and kept without it", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest({ markup: { percent: 10, fixed: 0.001 } }));

  const entry = (await folder.load()).get("shop", "/items/{id}");

  expect(entry.price).toEqual({ type: "PER_CALL", amount: "0.012" });
  expect(entry.priceWithoutMarkup).toEqual({ type: "PER_CALL", amount: "0.01" });
});

test("shared schemas are put where they are referred to", async () => {
  using folder = catalogFolder();
  const body = { properties: { place: { $ref: "#/schemas/Place" } } };
  folder.write(
    "shop",
    manifest({
      schemas: {
        Place: { type: "object", properties: { at: { $ref: "#/schemas/Point" } } },
        Point: { type: "array", maxItems: 2 },
        Unused: {},
      },
      endpoints: { "/places": endpoint({ request: { method: "POST", path: "/places" }, input: { body } }) },
    }),
  );

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
  expect(catalog.get("shop", "/places").input.body).toEqual({
    type: "object",
    additionalProperties: false,
    properties: { place: { $ref: "#/$defs/Place" } },
    $defs: {
      Place: { type: "object", properties: { at: { $ref: "#/$defs/Point" } } },
      Point: { type: "array", maxItems: 2 },
    },
  });
});

test("a JSON file may name the schema that its editor checks it with", async () => {
  using folder = catalogFolder();
  folder.write("shop", { $schema: "./mkt-schema.json", ...manifest() });

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
});

test("without a path of its own the vendor's path is the public one", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest({ endpoints: { "/items/{id}": endpoint({ request: { method: "POST" } }) } }));

  const entry = (await folder.load()).get("shop", "/items/{id}");

  expect(entry.request.path).toBe("/items/{id}");
});

test("a typing error names file, line, place and rule, and leaves the others standing", async () => {
  using folder = catalogFolder({ examples: true });
  const file = folder.write(
    "shop.yaml",
    "mkt: 1\nprovider: shop\nhttp:\n  baseurl: https://x.example\nendpoints: {}\n",
  );

  const catalog = await folder.load();

  expect(catalog.problems()).toMatchObject([{ file, line: 4, path: "http.baseurl", rule: "unknown-key" }]);
  expect(catalog.problems()[0]?.message).toContain('did you mean "baseUrl"?');
  expect(catalog.entries()).toHaveLength(5);
});

test("broken YAML is told with its line", async () => {
  using folder = catalogFolder({ examples: true });
  folder.write("shop.yaml", "mkt: 1\nprovider: [shop\nendpoints: 3\n");

  const catalog = await folder.load();

  expect(catalog.problems()).toMatchObject([{ rule: "syntax" }]);
  expect(catalog.problems()[0]?.line).toBeGreaterThan(1);
  expect(catalog.entries()).toHaveLength(5);
});

test("two files for one provider: the first is used, and the message names both", async () => {
  using first = catalogFolder();
  using second = catalogFolder();
  const one = first.write("shop", manifest({ displayName: "First" }));
  const two = second.write("shop", manifest({ displayName: "Second" }));

  const catalog = await loadCatalog({
    folders: [{ dir: first.path }, { dir: second.path }],
    grants: new MemoryGrantStore(),
    environment: {},
  });

  expect(catalog.findProvider("shop")?.displayName).toBe("First");
  expect(catalog.problems()).toMatchObject([{ file: two, rule: "duplicate" }]);
  expect(catalog.problems()[0]?.message).toContain(one);
  expect(catalog.problems()[0]?.message).toContain(two);
});

test.each([
  ["stands in the place of the bundled one", true, "Own"],
  ["of a folder that is not the owner's own does not", false, "Bundled"],
])("a file for a bundled provider: one %s", async (_, replacesBundled, expected) => {
  using bundled = catalogFolder();
  using own = catalogFolder();
  bundled.write("shop", manifest({ displayName: "Bundled" }));
  own.write("shop", manifest({ displayName: "Own" }));

  const catalog = await loadCatalog({
    folders: [
      { dir: bundled.path, bundled: true },
      { dir: own.path, replacesBundled },
    ],
    grants: new MemoryGrantStore(),
    environment: {},
  });

  expect(catalog.findProvider("shop")?.displayName).toBe(expected);
  expect(catalog.problems()).toHaveLength(replacesBundled ? 0 : 1);
  // What the program brings is trusted; a file of the owner's asks for its grant like any other.
  expect(catalog.availability("shop")).toMatchObject({ reason: replacesBundled ? "needs grant" : "missing secret" });
});

test("a folder that was named and is not there is told; one that may be missing is not", async () => {
  const missing = join(fixturesDir, "nowhere");
  const parts = { grants: new MemoryGrantStore(), environment: {} };

  const named = await loadCatalog({ ...parts, folders: [{ dir: missing }] });
  const optional = await loadCatalog({ ...parts, folders: [{ dir: missing, optional: true }] });

  expect(named.problems()).toMatchObject([{ file: missing, rule: "folder" }]);
  expect(optional.problems()).toEqual([]);
});

test("what is no catalog file is passed over", async () => {
  using folder = catalogFolder();
  folder.write("README.md", "# read me");
  folder.write(".shop.yaml", "broken: [");
  mkdirSync(join(folder.path, "old"));
  folder.write("shop", manifest());

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
  expect(catalog.entries()).toHaveLength(1);
});

test("an endpoint is found with and without its leading slash", async () => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  expect(catalog.find("leadfinder", "people/search")).toBe(catalog.find("leadfinder", "/people/search"));
  expect(catalog.find("leadfinder", "/people/search")?.displayName).toBe("Search people");
});

test("an unknown provider and an unknown endpoint are told apart, with what was probably meant", async () => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  expect(() => catalog.get("skywacth", "/forecast/{city}")).toThrow(
    'Provider "skywacth" was not found; did you mean "skywatch"?',
  );
  expect(() => catalog.get("leadfinder", "/people/serch")).toThrow(
    'Provider "leadfinder" has no endpoint "/people/serch"; did you mean "/people/search"?',
  );
  expect(() => catalog.get("leadfinder", "/xyz")).toThrow('no endpoint "/xyz"; it has /people/search');
});

test("a path that was filled in names its template, and the command that runs it", async () => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  const get = () => catalog.get("skywatch", "/forecast/New York");

  expect(get).toThrow('has no endpoint "/forecast/New York"; did you mean "/forecast/{city}" with city=\'New York\'?');
  expect(get).toThrow(
    expect.objectContaining({ extra: { next: "mkt run 'skywatch/forecast/{city}' city='New York'" } }),
  );
});

test("a disabled endpoint is not served", async () => {
  using folder = catalogFolder();
  folder.write(
    "shop",
    manifest({ endpoints: { "/a": endpoint({ enabled: false, input: {}, request: { method: "GET" } }) } }),
  );

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
  expect(catalog.entries()).toEqual([]);
  expect(catalog.find("shop", "/a")).toBeUndefined();
});

test("the hash of a provider's file changes with its bytes", async () => {
  using folder = catalogFolder();
  folder.write("shop.yaml", JSON.stringify(manifest()));
  const before = (await folder.load()).findProvider("shop")?.manifestHash;
  folder.write("shop.yaml", `${JSON.stringify(manifest())}\n`);

  const after = (await folder.load()).findProvider("shop")?.manifestHash;

  expect(before).toMatch(/^[0-9a-f]{64}$/);
  expect(after).not.toBe(before);
});
