import { describe, expect, test } from "vitest";
import type { Catalog } from "../../daemon/catalog/catalog.ts";
import { createCatalogIndex } from "../../daemon/discovery/index/catalog-index.ts";
import { registryRoutes } from "../../daemon/registry/routes.ts";
import { catalogFolder, endpoint, manifest } from "../catalog/catalog-folder.ts";
import { startIdentityServer } from "../support/identity-server.ts";

const letters = [..."abcdefghijkl"];

/** A shop with an endpoint for each letter. */
function shop(names: readonly string[], verified: readonly string[] = []) {
  const endpoints = names.map((name) => [
    `/goods/${name}`,
    endpoint({
      displayName: `Goods ${name}`,
      description: name === "k" ? "Lists tulips and cheese" : "Lists tulips",
      verified: verified.includes(name),
      request: { method: "GET" },
      input: {},
    }),
  ]);
  return manifest({ endpoints: Object.fromEntries(endpoints) });
}

async function open(folder: ReturnType<typeof catalogFolder>) {
  const catalog: Catalog = await folder.load();
  const index = createCatalogIndex({ entries: () => catalog.entries() });
  const server = await startIdentityServer({ routes: registryRoutes({ catalog, index }) });
  return {
    server,
    async get(path: string) {
      return await server.call("GET", path, { key: null });
    },
    async change(content: object) {
      folder.write("shop", content);
      await catalog.reload();
      await index.prepare();
    },
  };
}

const names = ({ items }: { items: { endpoint: string }[] }) => items.map((item) => item.endpoint.slice(-1)).join("");

describe("pages of endpoints while the catalog changes", () => {
  test.each([
    ["/public/v1/endpoints?limit=5"],
    ["/public/v1/endpoints?q=tulips&limit=5"],
    ["/public/v1/search?q=tulips&limit=5"],
  ])("%s repeats nothing and leaves nothing out that stays", async (list) => {
    using folder = catalogFolder();
    folder.write("shop", shop(letters));
    const { server, get, change } = await open(folder);
    await using _ = server;

    const first = await get(list);
    await change(shop(["A", ...letters.filter((letter) => letter !== "b")]));
    const second = await get(`${list}&cursor=${first.body.cursor}`);
    const third = await get(`${list}&cursor=${second.body.cursor}`);

    const read = names(first.body) + names(second.body) + names(third.body);
    expect(new Set(read).size).toBe(read.length);
    expect([...read].filter((name) => name !== "A" && name !== "b").sort()).toEqual(letters.filter((l) => l !== "b"));
    expect(third.body).not.toHaveProperty("cursor");
  });

  test("a list does not begin anew when the last endpoint of a page becomes verified, which puts it in front", async () => {
    using folder = catalogFolder();
    folder.write("shop", shop(letters));
    const { server, get, change } = await open(folder);
    await using _ = server;

    const first = await get("/public/v1/endpoints?limit=5");
    await change(shop(letters, ["e"]));
    const second = await get(`/public/v1/endpoints?limit=5&cursor=${first.body.cursor}`);

    expect([names(first.body), names(second.body)]).toEqual(["abcde", "fghij"]);
  });

  test("a cursor of a search is none of the plain list", async () => {
    using folder = catalogFolder();
    folder.write("shop", shop(letters));
    const { server, get } = await open(folder);
    await using _ = server;

    const { body } = await get("/public/v1/endpoints?q=tulips&limit=5");

    expect((await get(`/public/v1/endpoints?limit=5&cursor=${body.cursor}`)).status).toBe(400);
  });
});

describe("keywords", () => {
  test("count exactly: in the list, in the search, in the categories and in the statistics", async () => {
    using folder = catalogFolder();
    folder.write("shop", shop(letters));
    folder.write("other", { ...shop(["x"]), provider: "other" });
    const { server, get } = await open(folder);
    await using _ = server;

    const q = "q=tulips";
    const [list, search, categories, stats] = await Promise.all(
      ["endpoints?limit=2&", "search?limit=2&", "categories?", "stats?"].map((path) => get(`/public/v1/${path}${q}`)),
    );

    expect([list?.body.total, search?.body.total, categories?.body.totalEndpointCount]).toEqual([13, 13, 13]);
    expect(search?.body).toMatchObject({ count: 2, totalIsCapped: false, query: "tulips" });
    expect(stats?.body).toEqual({ endpointCount: 13, providerCount: 2 });
  });

  test("statistics of words that nothing has are zero, and without words those of everything", async () => {
    using folder = catalogFolder();
    folder.write("shop", shop(letters));
    const { server, get } = await open(folder);
    await using _ = server;

    expect((await get("/public/v1/stats?q=zebra")).body).toEqual({ endpointCount: 0, providerCount: 0 });
    expect((await get("/public/v1/stats")).body).toEqual({ endpointCount: 12, providerCount: 1 });
  });

  test("that some endpoint has all of find no other", async () => {
    using folder = catalogFolder();
    folder.write("shop", shop(letters));
    const { server, get } = await open(folder);
    await using _ = server;

    expect(names((await get("/public/v1/search?q=tulips+cheese")).body)).toBe("k");
  });

  test("that fit several alike leave them in the order of provider and path", async () => {
    using folder = catalogFolder();
    folder.write("shop", shop([...letters].reverse()));
    const { server, get } = await open(folder);
    await using _ = server;

    const { body } = await get("/public/v1/search?q=lists&limit=100");

    expect(names(body).replace("k", "")).toBe("abcdefghijl");
  });
});

test("a provider that is not there is told with what is near", async () => {
  using folder = catalogFolder();
  folder.write("shop", shop(letters));
  const { server, get } = await open(folder);
  await using _ = server;

  const { status, body } = await get("/public/v1/providers/shpo/endpoints");

  expect([status, body.message]).toEqual([404, 'Provider "shpo" was not found; did you mean "shop"?']);
});
