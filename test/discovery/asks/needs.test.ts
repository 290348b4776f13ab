import { describe, expect, test } from "vitest";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";
import { loadFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { endpointName, loadLackingNeeds, loadNeeds, type NeedsHalf } from "./ask-collection.ts";
import { compareWithCommitted, isShown } from "./committed-figures.ts";
import { measureAloneAndRephrased } from "./measure-rephrased.ts";
import { startStarterDaemon } from "./starter-daemon.ts";

const HALVES: readonly NeedsHalf[] = ["needs-in-view", "needs-unseen"];

describe("needs in other words", () => {
  test.each(HALVES)("%s: 57 asks in seven languages, and 14 that nothing serves", (half) => {
    const [served, lacking] = [loadNeeds(half), loadLackingNeeds(half)];

    expect([served.length, lacking.length]).toEqual([57, 14]);
    expect(new Set(served.map(({ lang }) => lang)).size).toBe(7);
    for (const { q, also } of [...served, ...lacking]) expect(new Set([q, ...also]).size).toBe(6);
  });

  test("are different ones in both halves", () => {
    const all = HALVES.flatMap((half) => [...loadNeeds(half), ...loadLackingNeeds(half)]).map(({ q }) => q);

    expect(new Set(all).size).toBe(all.length);
  });

  test("judge endpoints that the starter catalog has", async () => {
    const { providers } = await loadFolders([{ dir: starterCatalogDir(), bundled: true, trusted: true }]);
    const names = new Set(
      providers.flatMap(({ entries }) =>
        entries.map(({ provider, path }) => endpointName({ provider: provider.provider, endpoint: path })),
      ),
    );
    const judged = HALVES.flatMap((half) => loadNeeds(half).flatMap(({ right }) => right.map(endpointName)));

    expect(judged.filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(HALVES)(
    "%s are answered no worse than the committed figures say",
    async (half) => {
      await using daemon = await startStarterDaemon();
      const [served, lacking] = [loadNeeds(half), loadLackingNeeds(half)];
      const figures = await measureAloneAndRephrased(daemon.request, served, lacking);

      if (isShown()) console.table(figures);
      expect(compareWithCommitted(`${half}-figures.json`, figures)).toEqual([]);
    },
    180_000,
  );
});
