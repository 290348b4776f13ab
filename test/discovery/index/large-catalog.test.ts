import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createDiscovery } from "../../../daemon/discovery/discover.ts";
import { createCatalogIndex } from "../../../daemon/discovery/index/catalog-index.ts";
import { catalogFolder, endpoint } from "../../catalog/catalog-folder.ts";
import { found } from "../indexed-market.ts";

describe("a large catalog whose index is still that of a moment ago", () => {
  const provider = (slug: string, endpoints: object) => ({
    mkt: 1,
    provider: slug,
    http: { baseUrl: `https://${slug}.example`, auth: { type: "none" } },
    endpoints,
  });
  const oceans = (many: number) =>
    Object.fromEntries(
      Array.from({ length: many }, (_, number) => [
        `/tide/${number}`,
        { request: { method: "GET" }, description: "Tide tables of a harbour.", price: { type: "FREE" } },
      ]),
    );

  test("is searched without what was taken out, with prices as they are now, and whole once it is prepared", async () => {
    using folder = catalogFolder();
    const lookout = endpoint({ description: "Glaciers seen by a lookout." });
    folder.write("oceans", provider("oceans", oceans(2_001)));
    folder.write("glaciers", provider("glaciers", { "/items/{id}": lookout, "/gone/{id}": lookout }));
    folder.write("lookouts", provider("lookouts", { "/items/{id}": lookout }));
    const catalog = await folder.load({ trusted: true });
    const index = createCatalogIndex({ entries: () => catalog.entries() });
    const health = { metrics: () => ({ status: "unknown" as const }) };
    const settings = () => ({ discoverPool: 200, discoverFloor: 0 });
    const discovery = createDiscovery({ catalog, index, health, settings });
    await index.prepare();
    expect(found(await discovery.discover({ q: "glaciers" }))).toHaveLength(3);

    rmSync(join(folder.path, "lookouts.json"));
    folder.write("glaciers", provider("glaciers", { "/items/{id}": { ...lookout, price: { type: "FREE" } } }));
    folder.write("rivers", provider("rivers", { "/items/{id}": lookout }));
    await catalog.reload();
    const meanwhile = await discovery.discover({ q: "glaciers", includeUnavailable: true });

    expect(found(meanwhile)).toEqual(["glaciers/items/{id}"]);
    expect(meanwhile[0]?.entry).toBe(catalog.find("glaciers", "/items/{id}"));
    expect(found(await discovery.discover({ q: "glaciers" }))).toEqual(found(meanwhile));
    await index.prepare();
    expect(found(await discovery.discover({ q: "glaciers" })).sort()).toEqual([
      "glaciers/items/{id}",
      "rivers/items/{id}",
    ]);
  });
});
