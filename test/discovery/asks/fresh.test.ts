import { expect, test } from "vitest";
import { endpointName, loadFreshAsks, loadFreshLacking } from "./ask-collection.ts";
import { loadFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";
import { compareWithCommitted, isShown } from "./committed-figures.ts";
import { measureLacking, measureServed } from "./measure-rephrased.ts";
import { startStarterDaemon } from "./starter-daemon.ts";

const served = loadFreshAsks();
const lacking = loadFreshLacking();
/** An empty list asks the query alone, and the answer says how sure it is. */
const alone = <Kind>(ask: Kind) => ({ ...ask, also: [] });

test("the asks that are held back, of after the catalog grew, are 80 in seven languages; nothing serves a fifth", () => {
  const all = [...served, ...lacking];

  expect([all.length, lacking.length]).toEqual([80, 16]);
  expect(new Set(all.map(({ lang }) => lang)).size).toBe(7);
  expect(new Set(all.map(({ q }) => q)).size).toBe(80);
});

test("they judge endpoints that the starter catalog has", async () => {
  const { providers } = await loadFolders([{ dir: starterCatalogDir(), bundled: true, trusted: true }]);
  const names = new Set(
    providers.flatMap(({ entries }) =>
      entries.map(({ provider, path }) => endpointName({ provider: provider.provider, endpoint: path })),
    ),
  );

  expect(served.flatMap(({ right }) => right.map(endpointName)).filter((name) => !names.has(name))).toEqual([]);
});

test("they are answered no worse than the committed figures say", async () => {
  await using daemon = await startStarterDaemon();

  const figures = {
    served: await measureServed(daemon.request, served.map(alone)),
    lacking: await measureLacking(daemon.request, lacking.map(alone)),
  };

  if (isShown()) console.table(figures);
  expect(compareWithCommitted("fresh-figures.json", figures)).toEqual([]);
}, 120_000);
