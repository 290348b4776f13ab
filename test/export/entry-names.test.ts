import fc from "fast-check";
import { expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import { nameEntries } from "../../daemon/export/entry-names.ts";

function entryAt(provider: string, path: string): CatalogEntry {
  return { provider: { provider }, path } as CatalogEntry;
}

function namesOf(...places: [provider: string, path: string][]): string[] {
  return nameEntries(places.map(([provider, path]) => entryAt(provider, path))).map(({ name }) => name);
}

test("a name says provider and path", () => {
  expect(namesOf(["skywatch", "/forecast/{city}"], ["open-meteo", "/v1/air-quality"], ["one", "/"])).toEqual([
    "skywatch_forecast_city",
    "open-meteo_v1_air_quality",
    "one",
  ]);
});

test("paths that differ only in signs get names that differ all the same, whatever their order", () => {
  const [a, b] = namesOf(["shop", "/a-b"], ["shop", "/a/b"]);

  expect(a).not.toBe(b);
  expect(a).toMatch(/^shop_a_b_[0-9a-f]{8}$/);
  expect(namesOf(["shop", "/a/b"], ["shop", "/a-b"])).toEqual([b, a]);
});

test("names are what every caller of tools takes: unique, of few characters, at most 64 long", () => {
  const slug = fc.stringMatching(/^[a-z0-9]{1,30}(-[a-z0-9]{1,29})?$/);
  const path = fc.string({ maxLength: 120 }).map((rest) => `/${rest}`);
  const places = fc.uniqueArray(fc.tuple(slug, path), { selector: (place) => place.join(" "), maxLength: 30 });
  fc.assert(
    fc.property(places, (all) => {
      const names = namesOf(...all);
      expect(new Set(names).size).toBe(all.length);
      for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    }),
  );
});
