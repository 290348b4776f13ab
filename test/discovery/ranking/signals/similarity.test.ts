import { describe, expect, test } from "vitest";
import { buildShard } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { createIndexView, viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import { createSimilarity, providerCosine } from "../../../../daemon/discovery/ranking/signals/similarity.ts";

/** Large enough for SIMD. */
const MANY = 6_000;
const WIDTH = 12;
const QUERY = directionOf(4_711);

describe("nearness in meaning", () => {
  test("is the cosine of every document, in a large catalog as in a small one", () => {
    const large = viewOf(shardOf(0, MANY));
    const small = viewOf(shardOf(0, 20));

    const inLarge = createSimilarity(large).toAll(QUERY);
    const inSmall = createSimilarity(small).toAll(QUERY);

    expect(inLarge).toHaveLength(MANY);
    for (const [document, cosine] of inLarge.entries()) {
      expect(cosine).toBeCloseTo(cosineOf(QUERY, directionOf(numberOf(large, document))), 1);
    }
    expect(inSmall).toEqual(inLarge.slice(0, 20));
  });

  test("is the same asked of one document as of all, whichever shard it is in", () => {
    const view = createIndexView([{ shard: shardOf(0, MANY) }, { shard: shardOf(MANY, 30) }]);
    const similarity = createSimilarity(view);

    const cosines = similarity.toAll(QUERY);
    const cosineOfOne = similarity.toEach(QUERY);

    for (const document of [0, 1, MANY - 1, MANY, MANY + 29]) {
      expect(Math.fround(cosineOfOne(document))).toBe(cosines[document]);
    }
  });

  test("is 0 in a shard whose vectors are of another kind, or that has none", () => {
    const view = createIndexView([{ shard: shardOf(0, 3) }, { shard: buildShard([documentOf(9)]) }]);
    const similarity = createSimilarity(view);

    const cosines = similarity.toAll(QUERY);

    expect(cosines[0]).not.toBe(0);
    expect(cosines[3]).toBe(0);
    expect(similarity.toEach(QUERY)(3)).toBe(0);
    expect([...similarity.toAll(Float32Array.of(1, 0))]).toEqual([0, 0, 0, 0]);
  });

  test("of a provider is the mean of its endpoints, and an endpoint's own where they are more than sixty", () => {
    const few = viewOf(shardOf(0, 5));
    const many = viewOf(shardOf(0, 61));

    const inFew = createSimilarity(few).toAll(QUERY);
    const inMany = createSimilarity(many).toAll(QUERY);

    expect(providerCosine(few, inFew, 2)).toBeCloseTo(inFew.reduce((sum, cosine) => sum + cosine, 0) / 5, 6);
    expect(providerCosine(many, inMany, 2)).toBe(inMany[2]);
  });
});

function shardOf(first: number, count: number) {
  const documents = Array.from({ length: count }, (_, place) => documentOf(first + place));
  return buildShard(documents, {
    vectorOf: ({ name }) => (name.length === 0 ? undefined : directionOf(Number(name[0]))),
  });
}

function documentOf(number: number) {
  const fields = { asks: "", path: "", tags: "", categories: "", description: "", provider: "", parameters: "" };
  return {
    provider: "shop",
    path: `/${String(number).padStart(6, "0")}`,
    fields: { ...fields, name: String(number) },
  };
}

function numberOf(view: ReturnType<typeof viewOf>, document: number): number {
  return Number(view.placeOf(document).path.slice(1));
}

/** A unit vector, another for each number. */
function directionOf(number: number): Float32Array {
  const values = Array.from({ length: WIDTH }, (_, at) => Math.sin((number + 1) * (at + 1) * 1.7));
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
