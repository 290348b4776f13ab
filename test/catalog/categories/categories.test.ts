import { expect, test } from "vitest";
import { loadCatalog } from "../../../daemon/catalog/catalog.ts";
import { MemoryGrantStore } from "../../support/memory-grant-store.ts";
import { catalogFolder, endpoint, manifest } from "../catalog-folder.ts";

const get = { request: { method: "GET" }, input: {} };

test("tops come in priority order, then leaves, then providers; hidden, unlinked and empty nodes are left out", async () => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  const { items, totalEndpointCount } = catalog.categories.list(catalog.entries());

  expect(items.map(({ kind, id, endpointCount }) => `${kind} ${id} ${endpointCount}`)).toEqual([
    "top environment 1",
    "top people 1",
    "top social 2",
    "category enrichment 1",
    "category posts 1",
    "category weather 1",
    "provider skywatch 1",
  ]);
  expect(totalEndpointCount).toBe(5);
});

test("nodes say what they are linked to, and a provider where its website is", async () => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  const { items } = catalog.categories.list(catalog.entries());
  const node = (id: string) => items.find((item) => item.id === id);

  expect(node("social")).toEqual({
    kind: "top",
    id: "social",
    displayName: "Social",
    endpointCount: 2,
    children: ["posts", "enrichment"],
  });
  expect(node("environment")).toMatchObject({
    description: "Air, water and weather",
    children: ["weather", "skywatch"],
  });
  expect(node("enrichment")).toMatchObject({ kind: "category", parents: ["people", "social"] });
  expect(node("weather")).toMatchObject({ parents: ["environment"] });
  expect(node("skywatch")).toMatchObject({
    kind: "provider",
    provider: "skywatch",
    parents: ["environment"],
    url: "https://skywatch.example",
  });
});

test("an endpoint under two leaves of one top counts once there", async () => {
  using folder = catalogFolder();
  folder.write(
    "categories.yaml",
    "mkt: 1\ntops: [{id: t, displayName: T, children: [a, b]}]\nleaves: [{id: a, displayName: A}, {id: b, displayName: B}]\n",
  );
  folder.write("shop", manifest({ endpoints: { "/x": endpoint({ ...get, categories: ["t/a", "t/b"] }) } }));
  const catalog = await folder.load();

  const { items } = catalog.categories.list(catalog.entries());

  expect(items.map(({ id, endpointCount }) => [id, endpointCount])).toEqual([
    ["t", 1],
    ["a", 1],
    ["b", 1],
  ]);
});

test.each([
  ["a top", "people", ["people", "enrichment"]],
  ["a leaf", "weather", ["weather"]],
  ["a provider", "skywatch", ["skywatch"]],
  ["nothing", "no-such-node", []],
])("narrowed to %s, the list has that node and its members", async (_kind, category, ids) => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  const { items, totalEndpointCount } = catalog.categories.list(catalog.entries(), { category });

  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(totalEndpointCount).toBe(5);
});

test.each([
  ["environment", ["/forecast/{city}"]],
  ["weather", ["/forecast/{city}"]],
  ["skywatch", ["/forecast/{city}"]],
  ["social", ["/people/search", "/instagram/posts"]],
  ["leadfinder", []],
  ["nowhere", []],
])("the filter %s covers what stands under that node", async (category, paths) => {
  using folder = catalogFolder({ examples: true });
  const catalog = await folder.load();

  const covered = catalog.entries().filter((entry) => catalog.categories.covers(category, entry));

  expect(covered.map(({ path }) => path)).toEqual(paths);
});

test("a placed provider's endpoints have the path top/slug beside their own", async () => {
  using folder = catalogFolder({ examples: true });

  const catalog = await folder.load();

  expect(catalog.get("skywatch", "/forecast/{city}").categories).toEqual([
    "environment/weather",
    "environment/skywatch",
  ]);
});

test("an endpoint with a category that nobody knows is served without it, and the mistake is told with its place", async () => {
  using folder = catalogFolder({ examples: true });
  folder.write("shop", manifest({ endpoints: { "/x": endpoint({ ...get, categories: ["environment/wether"] }) } }));

  const catalog = await folder.load();

  expect(catalog.get("shop", "/x").categories).toEqual([]);
  expect(catalog.problems()).toMatchObject([{ path: "endpoints./x.categories[0]", rule: "category" }]);
  expect(catalog.problems()[0]?.message).toMatch(/no leaf "wether".*did you mean "environment\/weather"/);
});

test.each([
  [
    "an id used twice",
    "tops: [{id: a, displayName: A}]\nleaves: [{id: a, displayName: B}]",
    "leaves[0].id",
    /used twice/,
  ],
  ["an unknown leaf", "tops: [{id: a, displayName: A, children: [b]}]", "tops[0].children[0]", /no leaf "b"/],
  ["a top inside a top", "tops: [{id: a, displayName: A, children: [a]}]", "tops[0].children[0]", /a cycle/],
  ["an unknown top of a provider", "providers: {shop: [b]}", "providers.shop[0]", /no top "b"/],
  ["an unknown key", "tops: [{id: a, displayname: A}]", "tops[0].displayname", /did you mean "displayName"/],
])("%s in categories.yaml is told with its place", async (_title, text, path, message) => {
  using folder = catalogFolder();
  const file = folder.write("categories.yaml", `mkt: 1\n${text}\n`);
  folder.write("shop", manifest());

  const catalog = await folder.load();

  const problem = catalog.problems().find((candidate) => candidate.path === path);
  expect(problem).toMatchObject({ file, rule: expect.any(String) });
  expect(problem?.line).toBeGreaterThan(1);
  expect(problem?.message).toMatch(message);
  expect(catalog.entries()).toHaveLength(1);
});

test("a provider whose slug is a category is not loaded", async () => {
  using folder = catalogFolder();
  folder.write("categories.yaml", "mkt: 1\nleaves: [{id: shop, displayName: Shop}]\n");
  folder.write("shop", manifest());

  const catalog = await folder.load();

  expect(catalog.entries()).toEqual([]);
  expect(catalog.problems()).toMatchObject([{ path: "provider", rule: "category" }]);
});

test("a folder of one's own adds to the tree, and the same id replaces", async () => {
  using bundled = catalogFolder();
  using own = catalogFolder();
  bundled.write(
    "categories.yaml",
    "mkt: 1\ntops: [{id: t, displayName: Old, children: [a]}, {id: u, displayName: U, children: [a]}]\nleaves: [{id: a, displayName: A}]\n",
  );
  own.write(
    "categories.yaml",
    "mkt: 1\ntops: [{id: t, displayName: New, children: [a, b]}]\nleaves: [{id: b, displayName: B}]\n",
  );
  own.write("shop", manifest({ endpoints: { "/x": endpoint({ ...get, categories: ["t/a", "t/b"] }) } }));

  const catalog = await loadCatalog({
    folders: [{ dir: bundled.path }, { dir: own.path }],
    grants: new MemoryGrantStore(),
    environment: {},
  });

  expect(catalog.problems()).toEqual([]);
  const { items } = catalog.categories.list(catalog.entries());
  expect(items.map(({ id, displayName }) => `${id} ${displayName}`)).toEqual(["t New", "u U", "a A", "b B"]);
});
