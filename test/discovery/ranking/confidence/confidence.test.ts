import { expect, test } from "vitest";
import { buildShard, runAtOnce } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import { calibrateInSteps, USUAL_CALIBRATION } from "../../../../daemon/discovery/ranking/confidence/calibration.ts";
import { createConfidence } from "../../../../daemon/discovery/ranking/confidence/confidence.ts";
import { FLOOR_SCORE } from "../../../../daemon/discovery/ranking/weights/confidence-weights.ts";
import { createRanker } from "../../../../daemon/discovery/ranking/scoring/rank.ts";
import type { SearchDocument } from "../../../../daemon/discovery/documents/search-document.ts";

const WEATHER = [
  "Weather forecast",
  "The weather of the next days at a place: temperature, rain and wind for each hour.",
];
const RATES = ["Exchange rates", "What one currency is worth in another, of today or of a day in the past."];
const OTHERS = [
  ["Company profile", "Who runs a company, where it sits and how many people work there."],
  ["Book search", "Books by title, author or subject, with when they were published."],
  ["Earthquakes", "Recent earthquakes near a place with their magnitude and depth."],
];

test.each([1, 5, 400])("in a catalog of %i endpoints a plain request stands above the floor", (size) => {
  const scoresOf = createSearchOf(catalogOf(size));

  expect(scoresOf("weather forecast for Oslo tomorrow")[0]).toBeGreaterThanOrEqual(FLOOR_SCORE);
});

test.each([
  "I am so glad that you came",
  "why do people lie",
  "wash the windows",
  "qwertz uiop",
  "buongiorno, tutto bene",
])("nothing answers %j in small catalogs or in larger ones", (saying) => {
  for (const size of [1, 5, 400]) {
    expect(createSearchOf(catalogOf(size))(saying)[0] ?? 0).toBeLessThan(FLOOR_SCORE);
  }
});

test("scores lie between 0 and 2 and never rise with rank", () => {
  const scores = createSearchOf(catalogOf(400))("currency of a place, books and the weather of a company");

  expect(scores.length).toBeGreaterThan(2);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(Math.max(...scores)).toBeLessThan(2);
  expect(Math.min(...scores)).toBeGreaterThan(0);
});

test("an index that was not calibrated scores as a catalog of ordinary size does", () => {
  const view = viewOf(buildShard(catalogOf(400)));
  const ranking = createRanker(view).rank("exchange rates", { limit: 10 });
  const catalog = { ...USUAL_CALIBRATION, size: view.size };

  expect(createConfidence()("exchange rates", ranking, catalog)[0]?.score).toBeGreaterThanOrEqual(FLOOR_SCORE);
});

function createSearchOf(documents: ReturnType<typeof catalogOf>): (q: string) => number[] {
  const view = viewOf(buildShard(documents));
  const ranker = createRanker(view);
  const catalog = { ...runAtOnce(calibrateInSteps(ranker, view.size)), size: view.size };
  const confidence = createConfidence();
  return (q) => confidence(q, ranker.rank(q, { limit: 50 }), catalog).map(({ score }) => score);
}

/** The weather first, then the others, then numbered registers of things. */
function catalogOf(size: number) {
  const named = [WEATHER, RATES, ...OTHERS].slice(0, size);
  const registers = Array.from({ length: Math.max(0, size - named.length) }, (_, number) => [
    `Register ${number}`,
    `Entries of the public register number ${number} of items${number % 7} and owners${number % 11}.`,
  ]);
  return [...named, ...registers].map(([name = "", description = ""], number) => ({
    provider: `provider-${String(number).padStart(4, "0")}`,
    path: "/find",
    fields: documentOf(name, description),
  }));
}

function documentOf(name: string, description: string): SearchDocument {
  return { name, asks: "", path: "find", tags: "", categories: "", description, provider: "", parameters: "" };
}
