import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/catalog-entry.ts";
import { createCatalogIndex } from "../../daemon/discovery/catalog-index.ts";

/** So many that their index takes several steps. */
const entriesOf = (word: string) =>
  Array.from({ length: 1_500 }, (_, number) => ({
    provider: { provider: "shop", displayName: "Shop" },
    path: `/${word}/${number}`,
    displayName: word,
    description: "",
    asks: [],
    tags: [],
    categories: [],
    input: {},
  })) as unknown as readonly CatalogEntry[];

test("a question that comes while the index is prepared goes on with it, and nothing is built twice", async () => {
  const entries = entriesOf("books");
  const index = createCatalogIndex(() => entries);

  const preparing = index.prepare();
  await nextTurn();
  const asked = index.current();
  await preparing;

  expect(asked.index.size).toBe(1_500);
  expect(index.current()).toBe(asked);
});

test("what was being prepared when the catalog changed does not take the place of what is newer", async () => {
  const [older, newer] = [entriesOf("books"), entriesOf("films")];
  let now = older;
  const index = createCatalogIndex(() => now);

  const preparing = index.prepare();
  await nextTurn();
  now = newer;
  const asked = index.current();
  await preparing;

  expect(asked.entries).toBe(newer);
  expect(index.current()).toBe(asked);
});
