import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { buildShard } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { viewOf } from "../../../../daemon/discovery/index/index-view.ts";

test("the first query waits until the languages are read, and other work goes on meanwhile", async () => {
  // Other tests of this process may have read them.
  vi.resetModules();
  const { createSearches } = await import("../../../../daemon/discovery/ranking/search.ts");
  const { readLanguagesInSteps } = await import("../../../../daemon/text/languages/lexicon.ts");
  let turns = 0;
  const reading = new AbortController();
  const others = (async () => {
    for (; !reading.signal.aborted; turns += 1) await nextTurn();
  })();

  await createSearches().ready(viewOf(buildShard([])));
  reading.abort();
  await others;

  expect(readLanguagesInSteps().next().done).toBe(true);
  expect(turns).toBeGreaterThan(5);
});
