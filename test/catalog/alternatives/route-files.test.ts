import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { mapInput } from "../../../daemon/catalog/alternatives/map-input.ts";
import { mapOutput } from "../../../daemon/catalog/alternatives/map-output.ts";
import { orderMembers } from "../../../daemon/catalog/alternatives/order-members.ts";
import { checkCatalog } from "../../../daemon/catalog-review/catalog-check.ts";
import { renderCatalogCheck } from "../../../daemon/catalog-review/render-catalog-check.ts";
import { routeFileJsonSchema } from "../../../daemon/manifest/route-file.ts";
import { catalogFolder, type CatalogFolderFixture, endpoint, manifest } from "../catalog-folder.ts";

const shop = (provider: string, changes: object = {}) =>
  manifest({
    provider,
    secrets: {},
    http: { baseUrl: `https://${provider}.example` },
    endpoints: {
      "/find": endpoint({
        request: { method: "GET" },
        input: { queryParams: { required: ["q"], properties: { q: { type: "string" } } } },
        price: { type: "FREE" },
        examples: [],
        usage: undefined,
        ...changes,
      }),
    },
  });

function writeRoute(folder: CatalogFolderFixture, text: string, name = "find"): string {
  mkdirSync(join(folder.path, "routes"), { recursive: true });
  const file = join(folder.path, "routes", `${name}.yaml`);
  writeFileSync(file, text);
  return file;
}

const HEAD = `mkt: 1
route: find
input:
  queryParams: { properties: { term: { type: string } } }
`;
const GOOD = `${HEAD}members:
  - endpoint: one/find
    input: { queryParams: { q: "\${input.queryParams.term}" } }
  - endpoint: two/find
    input: { queryParams: { q: "\${input.queryParams.term}" } }
`;

function shops(): CatalogFolderFixture {
  const folder = catalogFolder();
  folder.write("one", shop("one"));
  folder.write("two", shop("two"));
  return folder;
}

const TRUSTED = { trusted: true } as const;

describe("a route file", () => {
  test("of a folder that nobody trusts is not used, and told", async () => {
    using folder = shops();
    const file = writeRoute(folder, GOOD);

    const catalog = await folder.load();

    expect(catalog.providers().map(({ provider }) => provider)).toEqual(["one", "two"]);
    expect(catalog.problems()).toMatchObject([{ file, rule: "route", takesDown: "nothing" }]);
    expect(catalog.problems()[0]?.message).toContain("--trusted-catalog");
  });

  test("becomes an endpoint of the provider routes", async () => {
    using folder = shops();
    writeRoute(folder, GOOD);

    const catalog = await folder.load(TRUSTED);

    expect(catalog.problems()).toEqual([]);
    expect(catalog.get("routes", "/find").alternatives?.members.map(({ provider }) => provider)).toEqual([
      "one",
      "two",
    ]);
    expect(catalog.providers().map(({ provider }) => provider)).toEqual(["one", "routes", "two"]);
  });

  test.each([
    ["an unknown key", `${HEAD}sorted: price\nmembers: [{ endpoint: one/find }]`, 5, "sorted"],
    ["another name than the file's", GOOD.replace("route: find", "route: found"), 2, "file's name"],
    [
      "a route as a member",
      `${HEAD}members:\n  - endpoint: one/find\n  - endpoint: routes/other`,
      7,
      "cannot be a member",
    ],
    ["a member twice", `${HEAD}members:\n  - endpoint: one/find\n  - endpoint: one/find`, 7, "is a member already"],
    [
      "an input that is not declared",
      GOOD.replace('term}" } }\n  - endpoint: two', 'trem}" } }\n  - endpoint: two'),
      7,
      "did you mean",
    ],
    [
      "a secret in a map",
      `${HEAD}members:\n  - endpoint: one/find\n    input: { queryParams: { q: "\${secret.key}" } }`,
      7,
      "not declared",
    ],
    [
      "an output that is no extractor",
      `${HEAD}members:\n  - endpoint: one/find\n    output: { name: "$.a[*]" }`,
      7,
      "only paths to one value",
    ],
    [
      "an output from a header",
      `${HEAD}members:\n  - endpoint: one/find\n    output: { name: "header:x" }`,
      7,
      "cannot be used here",
    ],
    ["an order that names no member", `${GOOD}order: [tow/find]\n`, 10, 'did you mean "two/find"'],
    ["an unknown sort", `${GOOD}sort: cheapest\n`, 10, "sort"],
    ["fallbacks that are neither true nor false", `${GOOD}allowFallbacks: "no"\n`, 10, "true or false"],
    ["a price finer than a micro-dollar", `${GOOD}maxPrice: 0.0000001\n`, 10, "6 digits"],
    ["no members", `${HEAD}members: []`, 5, "at least one endpoint"],
  ])("with %s is not used, and the problem has its line", async (_, text, line, words) => {
    using folder = shops();
    writeRoute(folder, text);

    const catalog = await folder.load(TRUSTED);

    expect(catalog.find("routes", "/find")).toBeUndefined();
    const told = catalog.problems().map((problem) => [problem.line, `${problem.path} ${problem.message}`]);
    expect(told).toContainEqual([line, expect.stringContaining(words)]);
    expect(() => catalog.get("routes", "/find", { operator: true })).toThrow(/Route "find" is not loaded/);
  });

  test.each([
    ["is not in the catalog", "  - endpoint: tow/find\n", "did you mean"],
    [
      "takes other fields",
      "  - endpoint: two/find\n    input: { queryParams: { query: x, q: y } }\n",
      "takes no queryParams.query",
    ],
    [
      "needs a field that its map lacks",
      "  - endpoint: two/find\n    input: { queryParams: {} }\n",
      "needs queryParams.q",
    ],
    ["gets fields of the route that it does not take", "  - endpoint: two/find\n", "takes no queryParams.term"],
  ])("passes over a member that %s, and serves the others", async (_, member, words) => {
    using folder = shops();
    const first = GOOD.slice(0, GOOD.indexOf("  - endpoint: two"));
    writeRoute(folder, `${first}${member}`);

    const catalog = await folder.load(TRUSTED);

    expect(catalog.get("routes", "/find").alternatives?.members.map(({ provider }) => provider)).toEqual(["one"]);
    expect(
      catalog
        .problems()
        .map(({ message, takesDown }) => `${takesDown}: ${message}`)
        .join("\n"),
    ).toContain(words);
    expect(catalog.problems()[0]?.line).toBeGreaterThanOrEqual(8);
  });

  test("has no member that is disabled, nor one that cannot be run", async () => {
    using folder = shops();
    folder.write("two", shop("two", { enabled: false }));
    writeRoute(folder, GOOD);

    const catalog = await folder.load(TRUSTED);

    expect(catalog.get("routes", "/find").alternatives?.unusable).toMatchObject([
      { provider: "two", reason: "its file says enabled: false" },
    ]);
  });

  test("keeps its last good version while a mistake is in it, and takes up what its members become", async () => {
    using folder = shops();
    const file = writeRoute(folder, GOOD);
    const catalog = await folder.load(TRUSTED);

    writeFileSync(file, `${GOOD}sort: cheapest\n`);
    await catalog.reload();
    const broken = catalog.problems().map(({ message }) => message);
    const served = catalog.find("routes", "/find")?.alternatives?.members.length;
    folder.write("two", shop("two", { enabled: false }));
    await catalog.reload();

    expect([served, broken.join()]).toEqual([2, expect.stringContaining("the last good version is used")]);
    expect(catalog.find("routes", "/find")?.alternatives?.members.length).toBe(1);
  });

  test("is served beside a provider that claims the slug of all routes, and that one is refused", async () => {
    using folder = shops();
    const file = folder.write("routes", shop("routes"));
    writeRoute(folder, GOOD);

    const catalog = await folder.load(TRUSTED);

    expect(catalog.get("routes", "/find").alternatives?.members).toHaveLength(2);
    expect(catalog.problems()).toMatchObject([
      { file, rule: "slug", takesDown: "file", message: expect.stringContaining("give this provider, and its file") },
    ]);
  });

  test("is checked with the others of its folder, or alone, by mkt catalog check", async () => {
    using folder = shops();
    const file = writeRoute(folder, GOOD);
    const defaults = [{ dir: folder.path, replacesBundled: true }];

    const whole = await checkCatalog({ paths: [folder.path], defaults });
    const alone = await checkCatalog({ paths: [file], defaults });

    expect([whole.problems, alone.problems]).toEqual([[], []]);
    expect(renderCatalogCheck(whole)).toContain("2 providers with 2 endpoints and 1 route can be served; no problems");
    expect(renderCatalogCheck(alone)).toContain("1 route can be served; no problems");
  });

  test("fits the schema that editors check it with", () => {
    const validate = new Ajv2020({ strict: false }).compile(routeFileJsonSchema());

    expect(validate({ mkt: 1, route: "find", members: [{ endpoint: "one/find", output: { a: { b: "$.c" } } }] })).toBe(
      true,
    );
    expect(validate({ mkt: 1, route: "find", members: [{ endpoint: "one/find", outputs: {} }] })).toBe(false);
  });
});

describe("the maps of a member", () => {
  test("fill its input by value, keep types, and leave out what has no value", () => {
    const map = {
      queryParams: {
        q: "${input.queryParams.term}",
        limit: "${input.queryParams.n}",
        near: "${input.body.near}",
        fixed: 1,
      },
      body: { text: "for ${input.queryParams.term}", list: ["${input.queryParams.n}"] },
    };

    expect(mapInput({ input: map }, { queryParams: { term: "a", n: 3 } })).toEqual({
      queryParams: { q: "a", limit: 3, fixed: 1 },
      body: { text: "for a", list: [3] },
    });
  });

  test("give every name of the output, with null for what an answer does not have", () => {
    const map = {
      name: "$.items[0].name",
      asked: "input:queryParams.term",
      place: { lat: "$.lat", lon: "$.lon" },
      one: 1,
    };
    const input = { queryParams: { term: "x" } };

    expect(mapOutput(map, { items: [{ name: "n" }], lat: 1 }, input)).toEqual({
      name: "n",
      asked: "x",
      place: { lat: 1, lon: null },
      one: 1,
    });
    expect(mapOutput(map, [], input)).toEqual({ name: null, asked: "x", place: { lat: null, lon: null }, one: 1 });
  });
});

describe("the order of the members", () => {
  const members = [
    { name: "a", price: 2, latency: 10 },
    { name: "b", price: 1, success: 0.5 },
    { name: "c", price: 1, latency: 5, success: 1 },
  ];
  const names = (rules: Parameters<typeof orderMembers>[1]) =>
    orderMembers(members, rules)
      .map(({ name }) => name)
      .join("");

  test.each([
    ["that of the file", { order: [] }, "abc"],
    ["by price, and equal ones as in the file", { order: [], sort: "price" as const }, "bca"],
    ["by latency, and those of which nothing is known last", { order: [], sort: "latency" as const }, "cab"],
    ["by success", { order: [], sort: "success" as const }, "cba"],
    ["as named, and the others by price", { order: ["a"], sort: "price" as const }, "abc"],
    ["as named, which may be those that are passed over", { order: ["x", "c"] }, "cab"],
  ])("is %s", (_, rules, expected) => {
    expect(names(rules)).toBe(expected);
  });
});
