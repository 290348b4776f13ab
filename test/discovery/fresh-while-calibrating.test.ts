import { pino } from "pino";
import { expect, test } from "vitest";
import { createCatalogIndex } from "../../daemon/discovery/index/catalog-index.ts";
import { keepCatalogFresh } from "../../daemon/start/keep-catalog-fresh.ts";
import { catalogFolder, manifest } from "../catalog/catalog-folder.ts";

const SOON = { interval: 20 };

test("a catalog that is still being calibrated holds up neither the next change nor the end", async () => {
  using folder = catalogFolder();
  folder.write("first", manifest({ provider: "first" }));
  const catalog = await folder.load();
  let calibrations = 0;
  let compilations = 0;
  const freshness = keepCatalogFresh({
    catalog,
    index: createCatalogIndex({ entries: () => catalog.entries() }),
    discovery: {
      prepare() {
        calibrations += 1;
        return new Promise(() => {});
      },
    },
    thesaurus: {
      async prepare() {
        compilations += 1;
      },
    },
    logger: pino({ level: "silent" }),
    endReading: () => Promise.resolve(),
    calibrateAfterMs: 0,
  });

  for (const slug of ["second", "third"]) {
    folder.write(slug, manifest({ provider: slug }));
    await expect.poll(() => catalog.entries().some(({ provider }) => provider.provider === slug), SOON).toBe(true);
  }
  await expect.poll(() => calibrations, SOON).toBe(3);
  expect(compilations).toBe(3);
  await freshness.close();
});
