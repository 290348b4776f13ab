import { describe, expect, test } from "vitest";
import { buildShard } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { type IndexView, viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import { createAskReading } from "../../../../daemon/discovery/ranking/query/ask.ts";
import { createEvidenceReading } from "../../../../daemon/discovery/ranking/signals/evidence.ts";
import { createProviderEvidence } from "../../../../daemon/discovery/ranking/signals/provider-evidence.ts";
import type { SearchDocument } from "../../../../daemon/discovery/documents/search-document.ts";

describe("what the text of an endpoint has of a query", () => {
  test.each([
    ["next to each other in the same order", "river level gauge", 1],
    ["said again", "river level, river level, level of a river", 1],
    ["in the other order", "level river", 0],
    ["with a word between them", "river station level", 0],
    ["of which one is missing", "river gauge", 0],
  ])("a pair of words %s", (_, description, pairs) => {
    const { phrases, namePhrases } = evidenceOf("river level", { description });

    expect(phrases).toBe(pairs);
    expect(namePhrases).toBe(0);
  });

  test("a pair in the name counts as one of the name, too", () => {
    const { phrases, namePhrases } = evidenceOf("river level", { name: "River level" });

    expect({ phrases, namePhrases }).toEqual({ phrases: 1, namePhrases: 1 });
  });

  test("words of two entries of a list are no pair", () => {
    expect(evidenceOf("river level", { tags: "river\nlevel" })).toMatchObject({ phrases: 0 });
  });

  test("parameters are a list of words, not prose", () => {
    expect(evidenceOf("river level", { parameters: "river level" })).toMatchObject({ phrases: 0 });
  });

  test("each word counts once, however often it is there", () => {
    expect(evidenceOf("river level", { description: "river river", name: "River" })).toMatchObject({ covered: 1 });
  });

  test("a name that the query asks for as a whole is asked for in full; of one that it has a word of, a part", () => {
    expect(evidenceOf("river level today", { name: "River level" }).nameShare).toBe(1);
    expect(evidenceOf("river", { name: "River level" }).nameShare).toBeCloseTo(0.5, 1);
    expect(evidenceOf("weather", { name: "River level" }).nameShare).toBe(0);
  });

  test("a query in the words of one of the author's asks is like it in full", () => {
    const asks = "how high is the river\nwhen will it flood";

    expect(evidenceOf("how high is the river", { asks }).askLikeness).toBe(1);
    expect(evidenceOf("how high is the mountain", { asks }).askLikeness).toBeGreaterThan(0);
    expect(evidenceOf("exchange rates", { asks }).askLikeness).toBe(0);
  });

  test("a long text of the same few words is less honest than one of many", () => {
    const stuffed = evidenceOf("river", { description: "river level ".repeat(60) });
    const varied = evidenceOf("river", { description: Array.from({ length: 120 }, (_, at) => `word${at}`).join(" ") });

    expect(stuffed.honesty).toBeLessThan(0.3);
    expect(varied.honesty).toBe(1);
  });

  test("one query leaves nothing for the next", () => {
    const view = viewWith({ description: "river level" });
    const reading = createEvidenceReading(view);

    const before = readWith(reading, view, "river level");
    readWith(reading, view, "exchange rates of the level");

    expect(readWith(reading, view, "river level")).toEqual(before);
  });
});

test("a provider has its best endpoint, and the mean of its best five, absent ones counted as nothing", () => {
  const view = viewOf(
    buildShard([
      ...Array.from({ length: 7 }, (_, number) => documentOf("large", `/${number}`, {})),
      ...Array.from({ length: 2 }, (_, number) => documentOf("small", `/${number}`, {})),
    ]),
  );
  const providerOf = createProviderEvidence(view, Float32Array.of(0, 4, 1, 2, 8, 2, 1, 0, 6));

  expect(providerOf(0)).toEqual({ best: 8, mean: (8 + 4 + 2 + 2 + 1) / 5 });
  expect(providerOf(6)).toEqual(providerOf(0));
  expect(providerOf(7)).toEqual({ best: 6, mean: 3 });
});

/** With a worth of 1 for every word. */
function evidenceOf(q: string, fields: Partial<SearchDocument>) {
  const view = viewWith(fields);
  return readWith(createEvidenceReading(view), view, q);
}

function readWith(reading: ReturnType<typeof createEvidenceReading>, view: IndexView, q: string) {
  const ask = createAskReading(view)(q);
  const reader = reading(ask, new Float64Array(ask.words.length).fill(1));
  const evidence = reader.read(0);
  reader.close();
  return evidence;
}

/** Document 0 beside others, so that words are known that it does not have. */
function viewWith(fields: Partial<SearchDocument>): IndexView {
  return viewOf(
    buildShard([
      documentOf("first", "/", fields),
      documentOf("other", "/", { description: "river level of a mountain, weather, exchange rates, today" }),
    ]),
  );
}

function documentOf(provider: string, path: string, fields: Partial<SearchDocument>) {
  const empty = {
    name: "",
    asks: "",
    path: "",
    tags: "",
    categories: "",
    description: "",
    provider: "",
    parameters: "",
  };
  return { provider, path, fields: { ...empty, ...fields } };
}
