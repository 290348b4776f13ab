import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mktHome } from "../../support/mkt-home.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";

const built = (name: string) => fileURLToPath(new URL(`../../../dist/${name}.cjs`, import.meta.url));

/** As a built daemon is told of itself. */
const program = {
  build: "one",
  catalogWorker: readFileSync(built("catalog-worker")),
  indexWorker: readFileSync(built("index-worker")),
  installed: async () => undefined,
};

/** Ten times what a change takes to be found. */
const SOON = { timeout: 10_000, interval: 50 };

function provider(description: string, count: number): object {
  return {
    http: { baseUrl: "https://example.com", auth: { type: "none" } },
    endpoints: Object.fromEntries(
      Array.from({ length: count }, (_, number) => [
        `/items/${number}`,
        { request: { method: "GET" }, description: `${description} number ${number}`, price: { type: "FREE" } },
      ]),
    ),
  };
}

async function find({ request }: TestDaemon, q: string): Promise<string[]> {
  const { status, body } = await request("POST", "/v1/discover", { q, minScore: 0 });
  expect(status).toBe(200);
  const [best] = body.results;
  return best === undefined ? [] : [`${best.provider}${best.endpoint}`];
}

test("a large catalog is searched from the first question on, takes up an edit, and has its index again after a restart", async () => {
  using home = mktHome();
  const oceans = {
    tides: provider("Tide table of a harbour", 2_100),
    glaciers: provider("Glacier seen from a lookout", 1),
  };
  home.writeCatalog("trusted", oceans);
  {
    await using daemon = await startTestDaemon({ home, config: { program } });

    expect(await find(daemon, "glaciers")).toEqual(["glaciers/items/0"]);
    home.writeCatalog("trusted", { glaciers: provider("Volcano seen from a lookout", 1) });
    await expect.poll(() => find(daemon, "volcanoes"), SOON).toEqual(["glaciers/items/0"]);
    expect(await find(daemon, "glaciers seen")).toEqual(await find(daemon, "seen"));
  }
  expect(existsSync(join(home.dataDir, "cache", "search-index.bin"))).toBe(true);

  await using again = await startTestDaemon({ home, config: { program } });

  expect(await find(again, "volcanoes")).toEqual(["glaciers/items/0"]);
  expect(await find(again, "tide number 7")).toContain("tides/items/7");
});
