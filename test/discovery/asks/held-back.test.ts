import { describe, expect, test } from "vitest";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";
import { loadFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { endpointName, loadHeldBackAsks, loadHeldBackLacking } from "./ask-collection.ts";
import { compareWithCommitted, isShown } from "./committed-figures.ts";
import { measureAloneAndRephrased } from "./measure-rephrased.ts";
import { startStarterDaemon } from "./starter-daemon.ts";

const served = loadHeldBackAsks();
const lacking = loadHeldBackLacking();

describe("the asks that are held back", () => {
  test("are 120 in seven languages, and nothing serves a fifth of them", () => {
    const all = [...served, ...lacking];

    expect([all.length, lacking.length]).toEqual([120, 24]);
    expect(new Set(all.map(({ lang }) => lang)).size).toBe(7);
    expect(new Set(all.map(({ q }) => q)).size).toBe(120);
  });

  test("judge endpoints that the starter catalog has", async () => {
    const { providers } = await loadFolders([{ dir: starterCatalogDir(), bundled: true, trusted: true }]);
    const names = new Set(
      providers.flatMap(({ entries }) =>
        entries.map(({ provider, path }) => endpointName({ provider: provider.provider, endpoint: path })),
      ),
    );

    expect(served.flatMap(({ right }) => right.map(endpointName)).filter((name) => !names.has(name))).toEqual([]);
  });

  test("are answered no worse than the committed figures say, with and without other wordings", async () => {
    await using daemon = await startStarterDaemon();
    const figures = await measureAloneAndRephrased(daemon.request, served, lacking);

    if (isShown()) console.table(figures);
    expect(compareWithCommitted("held-back-figures.json", figures)).toEqual([]);
  }, 180_000);
});
