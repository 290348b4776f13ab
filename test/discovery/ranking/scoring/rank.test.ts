import { expect, test } from "vitest";
import { buildShard, buildShardInSteps, runAtOnce } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { createIndexView, type IndexView, viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import { createRanker } from "../../../../daemon/discovery/ranking/scoring/rank.ts";
import type { SearchDocument } from "../../../../daemon/discovery/documents/search-document.ts";

const ENDPOINTS = [
  {
    provider: "ants",
    path: "/gauges",
    name: "River gauges",
    description: "The level of a river, by station and hour.",
  },
  { provider: "ants", path: "/rates", name: "Exchange rates", description: "What one currency is worth in another." },
  { provider: "bees", path: "/floods", name: "Flood warnings", description: "Where a river will leave its bed." },
  { provider: "crows", path: "/levels", name: "Water level", description: "River level, lake level, tides." },
];

test("endpoints rank the same in one shard and in several", () => {
  const whole = buildShard(ENDPOINTS.map(documentOf));
  const parts = ["ants", "bees", "crows"].map((provider) => {
    const documents = ENDPOINTS.filter((each) => each.provider === provider).map(documentOf);
    return { shard: runAtOnce(buildShardInSteps([{ provider, digest: "", documents }], {}, whole.meanLengths)) };
  });

  const inOne = rankingOf(viewOf(whole), "level of the river");
  const inSeveral = rankingOf(createIndexView(parts), "level of the river");

  expect(inOne.map(({ path }) => path)).toEqual(["/levels", "/gauges", "/floods"]);
  expect(inSeveral).toEqual(inOne);
});

test("a query that fails leaves nothing for the next", () => {
  const ranker = createRanker(viewOf(buildShard(ENDPOINTS.map(documentOf))));
  const fail = () => {
    throw new Error("the catalog is gone");
  };

  const before = ranker.rank("flood warnings", { limit: 10 }).candidates;

  expect(() => ranker.rank("river bed", { limit: 10, accept: fail })).toThrow("the catalog is gone");
  expect(ranker.rank("flood warnings", { limit: 10 }).candidates).toEqual(before);
});

test("of those that rank alike the first by provider and path are within the limit", () => {
  const twins = ["/c", "/a", "/b"].map((path) =>
    documentOf({ provider: "ants", path, name: "River gauges", description: "" }),
  );
  const view = viewOf(buildShard(twins));

  const found = createRanker(view).rank("river gauges", { limit: 2 }).candidates;

  expect(found.map(({ document }) => view.placeOf(document).path)).toEqual(["/a", "/b"]);
});

function rankingOf(view: IndexView, q: string) {
  const { candidates } = createRanker(view).rank(q, { limit: 10 });
  return candidates.map(({ document, relevance }) => ({ ...view.placeOf(document), relevance }));
}

function documentOf({ provider, path, name, description }: (typeof ENDPOINTS)[number]) {
  const fields: SearchDocument = {
    name,
    description,
    asks: "",
    path: "",
    tags: "",
    categories: "",
    provider: "",
    parameters: "",
  };
  return { provider, path, fields };
}
