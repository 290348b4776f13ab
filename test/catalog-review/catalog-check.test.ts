import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { renderCatalogCheck } from "../../daemon/catalog-review/render-catalog-check.ts";
import { bundledCatalogDir, starterCatalogDir } from "../support/bundled-catalog.ts";
import { tempDir } from "../support/temp-dir.ts";
import { catalogFolder, endpoint, manifest } from "../catalog/catalog-folder.ts";

test("a good folder is told to be good, exit code 0", async () => {
  using folder = catalogFolder({ examples: true });

  const report = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: starterCatalogDir() });

  expect(report.problems).toEqual([]);
  expect(report.exitCode).toBe(0);
  expect(renderCatalogCheck(report)).toMatch(
    /\n4 providers with 5 endpoints can be served; no problems, \d+ hints\.\n$/,
  );
});

test("the bundled catalog passes, its examples and all", async () => {
  const report = await checkCatalog({
    paths: [],
    defaults: [{ dir: bundledCatalogDir, bundled: true }],
    bundledDir: bundledCatalogDir,
  });

  expect(renderCatalogCheck(report)).toMatch(
    /(?:^|\n)\d+ providers? with \d+ endpoints can be served; no problems[^;]*\.\n$/,
  );
});

test("what the bundled catalog was made of may name a built-in provider, and nobody else's folder may", async () => {
  using folder = catalogFolder();
  const file = folder.write("shop", manifest({ http: { baseUrl: "builtin:atlas" } }));
  const named = { paths: [file], defaults: [], bundledDir: starterCatalogDir() };

  const ofStranger = await checkCatalog(named);
  const ofSource = await checkCatalog({ ...named, bundledSourceDir: folder.path });

  expect(ofStranger.problems).toMatchObject([{ rule: "origin", path: "http.baseUrl" }]);
  expect(ofSource).toMatchObject({ files: [file], problems: [], exitCode: 0 });
});

test("one file is checked alone, and may use the bundled categories", async () => {
  using folder = catalogFolder();
  folder.write("broken.yaml", "mkt: [\n");
  const file = folder.write("shop", manifest({ categories: ["places/countries"] }));

  const report = await checkCatalog({ paths: [file], defaults: [], bundledDir: starterCatalogDir() });

  expect(report).toMatchObject({ files: [file], endpoints: 1, problems: [], exitCode: 0 });
});

test("a problem is shown with file, line, place, rule, mending and what it takes down; exit code 1", async () => {
  using folder = catalogFolder();
  const file = folder.write(
    "shop.yaml",
    "mkt: 1\nprovider: shop\nhttp:\n  baseurl: https://x.example\nendpoints: {}\n",
  );

  const report = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: starterCatalogDir() });

  expect(report.exitCode).toBe(1);
  expect(renderCatalogCheck(report)).toBe(
    [
      file,
      "  line 4: http.baseurl  [unknown-key]",
      '    "baseurl" is not a key here; did you mean "baseUrl"?',
      "    The file is not used until this is fixed.",
      "0 providers with 0 endpoints can be served; 1 problem.",
      "",
    ].join("\n"),
  );
});

test("an example whose input breaks the endpoint's own schema is found", async () => {
  using folder = catalogFolder();
  const examples = [{ name: "too many", input: { id: "a", limit: 99 } }];
  const file = folder.write("shop", manifest({ endpoints: { "/items/{id}": endpoint({ examples }) } }));

  const report = await checkCatalog({ paths: [file], defaults: [], bundledDir: starterCatalogDir() });

  expect(report.problems).toMatchObject([
    {
      file,
      path: "endpoints./items/{id}.examples[0].input",
      rule: "example",
      message: "body.limit must be at most 50 (got 99)",
      takesDown: "nothing",
    },
  ]);
});

test("a path that is not there is told", async () => {
  const missing = join(bundledCatalogDir, "nowhere.yaml");

  await expect(checkCatalog({ paths: [missing], defaults: [], bundledDir: starterCatalogDir() })).rejects.toThrow(
    "does not exist",
  );
});

test("a file that can be no provider's, and a folder without any, are told", async () => {
  using folder = catalogFolder();
  using empty = tempDir();
  const notes = folder.write("notes.txt", "hello");

  const report = await checkCatalog({ paths: [empty.path], defaults: [] });

  await expect(checkCatalog({ paths: [notes], defaults: [] })).rejects.toThrow("must end in .yaml, .yml or .json");
  expect(renderCatalogCheck(report)).toContain("No provider file is there");
});

test("a folder with a thesaurus alone is in order", async () => {
  using folder = catalogFolder();
  const file = folder.write("thesaurus.yaml", "mkt: 1\ndomains: []\n");

  const report = await checkCatalog({ paths: [folder.path], defaults: [] });

  expect(report).toMatchObject({ exitCode: 0, files: [], otherFiles: [file], problems: [] });
  expect(renderCatalogCheck(report)).toBe(
    "thesaurus.yaml can be used, for the providers of other folders: no provider file is there.\n" +
      "0 providers with 0 endpoints can be served; no problems.\n",
  );
});

test("endpoints that no page documents are one hint for a file", async () => {
  using folder = catalogFolder();
  const endpoints = {
    "/items/{id}": endpoint(),
    "/others/{id}": endpoint(),
    "/third/{id}": endpoint({ docUrl: "https://shop.example" }),
  };
  const file = folder.write("shop", manifest({ endpoints }));

  const { hints } = await checkCatalog({ paths: [file], defaults: [] });

  expect(hints.filter(({ rule }) => rule === "doc-url")).toMatchObject([
    { path: "endpoints", message: expect.stringContaining("2 endpoints, /items/{id} first, have no docUrl") },
  ]);
});

describe("hints, of what works and could be better", () => {
  async function hintsOf(changes: Record<string, unknown>, others: Record<string, unknown> = {}) {
    using folder = catalogFolder();
    const endpoints = { "/items/{id}": documented(changes), ...others };
    const file = folder.write("shop", manifest({ docUrl: "https://shop.example/docs", endpoints }));
    const { problems, hints, exitCode } = await checkCatalog({ paths: [file], defaults: [] });
    expect([problems, exitCode]).toEqual([[], 0]);
    return hints.map(({ path, rule }) => `${path} [${rule}]`);
  }

  const documented = (changes: Record<string, unknown> = {}) =>
    endpoint({
      description: "One item of the shop by its number, with its price.",
      examples: [{ name: "one", input: { id: "1" } }],
      ...changes,
    });

  test("there are none for an endpoint that says all that helps", async () => {
    await expect(hintsOf({})).resolves.toEqual([]);
  });

  test("no example, no description to find it by", async () => {
    await expect(hintsOf({ examples: [], description: "An item." })).resolves.toEqual([
      "endpoints./items/{id} [example]",
      "endpoints./items/{id}.description [description]",
    ]);
  });

  test("error rules that leave a 2xx answer a success, which is charged", async () => {
    const errors = [
      { when: { match: { "$.ok": false } }, as: { message: "$.error" } },
      { when: { status: ["2xx"], match: { "$.ok": false } }, as: { retry: true } },
      { when: { match: { "$.ok": false } }, as: { status: 502 } },
      { when: { match: { "$.none": true } }, as: { empty: true } },
      { when: { status: ["4xx", 500] }, as: { message: "$.error" } },
    ];
    await expect(hintsOf({ errors })).resolves.toEqual([
      "endpoints./items/{id}.errors[0] [error-rule]",
      "endpoints./items/{id}.errors[1] [error-rule]",
    ]);
  });

  test("paths that only the name of a parameter, or a slash at the end, tells apart", async () => {
    const other = documented({
      request: { method: "GET", path: "/v1/items/{number}" },
      input: { pathParams: { required: ["number"], properties: { number: { type: "string" } } } },
      examples: [{ name: "one", input: { number: "1" } }],
    });

    await expect(hintsOf({}, { "/items/{number}/": other })).resolves.toEqual([
      "endpoints./items/{number}/ [duplicate-path]",
    ]);
  });

  test("next steps that lead nowhere", async () => {
    const hints = { next: { kind: "inspect", provider: "shop", endpoint: "/item" } };

    await expect(hintsOf({ hints })).resolves.toEqual(["endpoints./items/{id}.hints.next [hint-target]"]);
  });

  test("secrets and schemas that nothing uses, with the line of each", async () => {
    using folder = catalogFolder();
    const file = folder.write(
      "shop",
      manifest({
        docUrl: "https://shop.example/docs",
        secrets: { key: { env: "SHOP_KEY" }, old: { env: "SHOP_OLD" } },
        schemas: { Used: { type: "string" }, Left: { $ref: "#/schemas/Inner" }, Inner: { type: "string" } },
        endpoints: {
          "/items/{id}": documented({
            input: { pathParams: { required: ["id"], properties: { id: { $ref: "#/schemas/Used" } } } },
          }),
        },
      }),
    );

    const { hints } = await checkCatalog({ paths: [file], defaults: [] });

    expect(hints).toMatchObject([
      { path: "secrets.old", rule: "unused-secret", line: expect.any(Number) },
      { path: "schemas.Left", rule: "unused-schema", line: expect.any(Number) },
      { path: "schemas.Inner", rule: "unused-schema", line: expect.any(Number) },
    ]);
  });

  test("characters that nobody sees, once for a file, at the line of the first", async () => {
    using folder = catalogFolder();
    const hidden = "Gives\u200b goods\u{e0069}\u{e0067}\u{e006e} by their id, with price and name of each of them.";
    const file = folder.write(
      "shop",
      manifest({
        docUrl: "https://shop.example/docs",
        description: "Goods of a shop 👩\u200d👧",
        endpoints: {
          "/a": documented({ description: hidden }),
          "/b": documented({ description: "Gives all goods of the shop by name and price.", notes: ["slow\u00adly"] }),
        },
      }),
    );

    const { hints } = await checkCatalog({ paths: [file], defaults: [] });

    expect(hints).toMatchObject([
      {
        path: "endpoints./a.description",
        rule: "hidden-text",
        line: expect.any(Number),
        message: expect.stringContaining("and 1 more hold characters that no screen shows"),
      },
    ]);
  });

  test("categories under which nothing stands, where a whole folder is checked", async () => {
    using folder = catalogFolder();
    folder.write(
      "categories.yaml",
      "mkt: 1\ntops: [{id: shops, displayName: Shops, children: [books]}]\nleaves: [{id: books, displayName: Books}]\n",
    );
    const file = folder.write(
      "shop",
      manifest({ docUrl: "https://shop.example", endpoints: { "/items/{id}": documented() } }),
    );

    const whole = await checkCatalog({ paths: [folder.path], defaults: [] });
    const alone = await checkCatalog({ paths: [file], defaults: [] });

    expect(whole.hints.map(({ path, rule }) => `${path} [${rule}]`)).toEqual([
      "tops[0] [empty-category]",
      "leaves[0] [empty-category]",
    ]);
    expect(alone.hints).toEqual([]);
  });

  test("count as problems with --strict", async () => {
    using folder = catalogFolder();
    const file = folder.write("shop", manifest());

    await expect(checkCatalog({ paths: [file], defaults: [] }, { strict: true })).resolves.toMatchObject({
      exitCode: 1,
    });
  });

  test("of each rule the first twenty are shown, all with --all", async () => {
    using folder = catalogFolder();
    const endpoints = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`/items-${index}/{id}`, documented({ description: "Short." })]),
    );
    const file = folder.write("shop", manifest({ docUrl: "https://shop.example/docs", endpoints }));

    const report = await checkCatalog({ paths: [file], defaults: [] });

    expect(renderCatalogCheck(report)).toContain("And more, which --all shows: 10 [description].\n1 provider with 30");
    expect(renderCatalogCheck(report).match(/\[description\]/g)).toHaveLength(21);
    expect(renderCatalogCheck(report, { all: true }).match(/\[description\]/g)).toHaveLength(30);
  });
});

test("an endpoint whose price no run could pay is told, and not only when somebody runs it", async () => {
  using folder = catalogFolder();
  const price = { type: "BY_PERIOD", amount: 1, period: { unit: "MONTH", count: 1 } };
  folder.write("shop", manifest({ endpoints: { "/items/{id}": endpoint({ price, examples: [] }) } }));

  const report = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: starterCatalogDir() });

  expect(report.exitCode).toBe(1);
  expect(report.problems).toMatchObject([
    { rule: "not-runnable", path: "endpoints./items/{id}.price", takesDown: "nothing" },
  ]);
  expect(report.problems[0]?.message).toContain("declare what it creates in resources.provisions");
});

test.each([
  [
    { city: { type: "string" } },
    '"city" is no keyword of JSON Schema and has no effect; a field stands below properties',
  ],
  [{ properties: { n: { type: "int" } } }, 'properties.n.type must be one of "array", "boolean", "integer"'],
  [{ required: "n", properties: { n: {} } }, 'required must be a list (got "n")'],
])("an input that is no schema is told in words of the file: %j", async (queryParams, words) => {
  using folder = catalogFolder();
  const request = { method: "GET", path: "/v1" };
  folder.write("shop", manifest({ endpoints: { "/a": endpoint({ request, input: { queryParams }, examples: [] }) } }));

  const report = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: starterCatalogDir() });

  expect(report.problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
});
