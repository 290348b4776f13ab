import fc from "fast-check";
import { FIELD_WEIGHTS } from "../../../../daemon/discovery/documents/field-weights.ts";
import { describe, expect, test } from "vitest";
import {
  buildShard,
  buildShardInSteps,
  mergeShardsInSteps,
  runAtOnce,
} from "../../../../daemon/discovery/index/shard/build-shard.ts";
import type { IndexedDocument } from "../../../../daemon/discovery/index/shard/forward-index.ts";
import { viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import { fieldTermsOf, type Shard, SEPARATOR } from "../../../../daemon/discovery/index/shard/shard.ts";
import { type SearchDocument, searchFields } from "../../../../daemon/discovery/documents/search-document.ts";
import { analyseText } from "../../../../daemon/text/analyse-text.ts";
import { anyDocuments, keyOf } from "../made-up-documents.ts";

const EMPTY = Object.fromEntries(searchFields.map((field) => [field, ""])) as SearchDocument;
/** BM25F before saturation of every document that has the stem, by its key, out of the texts alone. */
function plainWeights(documents: readonly IndexedDocument[]): (stem: string) => Map<string, number> {
  const stems = documents.map(({ fields }) => searchFields.map((field) => analyseText(fields[field])));
  const means = searchFields.map(
    (_, place) => stems.reduce((sum, fields) => sum + (fields[place]?.length ?? 0), 0) / documents.length || 1,
  );
  return (stem) => {
    const weights = documents.map(({ provider, path }, number): [string, number] => {
      const worths = searchFields.map((field, place) => {
        const inField = stems[number]?.[place] ?? [];
        const count = inField.filter((each) => each === stem).length;
        const { boost, b } = FIELD_WEIGHTS[field];
        return (boost * count) / (1 - b + (b * inField.length) / (means[place] ?? 1));
      });
      return [`${provider}\n${path}`, worths.reduce((sum, worth) => sum + worth, 0)];
    });
    return new Map(weights.filter(([, weight]) => weight > 0));
  };
}

function postingsOf(shard: Shard, stem: string): Map<string, number> {
  const view = viewOf(shard);
  const term = shard.termOf(stem);
  const [from, to] = term < 0 ? [0, 0] : [shard.postingStarts[term], shard.postingStarts[term + 1]];
  const weights = shard.postingWeights.subarray(from, to);
  return new Map(
    [...shard.postingDocuments.subarray(from, to)].map((document, place) => [
      keyOf(view, document),
      weights[place] ?? 0,
    ]),
  );
}

function stemsIn(shard: Shard, document: number, field: (typeof searchFields)[number]): string[] {
  return [...fieldTermsOf(shard, document, searchFields.indexOf(field))].map((term) => shard.stemOf(term));
}

function providersOf(documents: readonly IndexedDocument[]) {
  const slugs = [...new Set(documents.map(({ provider }) => provider))].sort();
  return slugs.map((provider) => ({
    provider,
    digest: provider.toUpperCase(),
    documents: documents.filter((each) => each.provider === provider).sort((a, b) => (a.path < b.path ? -1 : 1)),
  }));
}

describe("a shard", () => {
  test("has for every word the documents that have it, ascending, with the weights that the formula gives", () => {
    fc.assert(
      fc.property(anyDocuments, (documents) => {
        const shard = buildShard(documents);
        const plainOf = plainWeights(documents);

        const words = new Set(
          documents.flatMap(({ fields }) => searchFields.flatMap((field) => analyseText(fields[field]))),
        );
        expect(shard.size).toBe(documents.length);
        for (const word of words) {
          const [found, plain] = [postingsOf(shard, word), plainOf(word)];
          expect([...found.keys()]).toEqual([...plain.keys()].sort());
          for (const [key, weight] of plain) expect(found.get(key)).toBeCloseTo(weight, 4);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("numbers its documents by provider and path, in whatever order they come", () => {
    const document = (provider: string, path: string) => ({ provider, path, fields: EMPTY });
    const shard = buildShard([document("b", "/z"), document("b", "/a"), document("a", "/m")]);

    const keys = [0, 1, 2].map((number) => keyOf(viewOf(shard), number));

    expect(keys).toEqual(["a\n/m", "b\n/a", "b\n/z"]);
    expect(shard.groupNames).toEqual(["a", "b"]);
  });

  test("keeps the words of each field in their order, and the entries of lists apart, without counting what parts them", () => {
    const fields = { ...EMPTY, asks: "rain in Porto\n\nsun of Lisbon", tags: "wind\ntide", description: "calm\nsea" };
    const shard = buildShard([{ provider: "a", path: "/a", fields }]);

    expect(stemsIn(shard, 0, "asks")).toEqual(["rain", "porto", "", "sun", "lisbon"]);
    expect(stemsIn(shard, 0, "tags")).toEqual(["wind", "", "tide"]);
    expect(stemsIn(shard, 0, "description")).toEqual(["calm", "sea"]);
    expect(shard.meanLengths[searchFields.indexOf("asks")]).toBe(4);
    expect(shard.postingStarts[SEPARATOR + 1]).toBe(0);
    expect(shard.termOf("")).toBe(-1);
  });

  test("knows each of its stems by its number and no others, whatever they are written in", () => {
    const words = ["rain", "köln", "天気", "ωμέγα", "дождь", "😀", "x".repeat(39)].join(" ");
    const shard = buildShard([{ provider: "a", path: "/a", fields: { ...EMPTY, name: words } }]);

    const stems = Array.from({ length: shard.termCount - 1 }, (_, number) => shard.stemOf(number + 1));

    expect(stems).toEqual([...new Set(analyseText(words))]);
    expect(stems.map((stem) => shard.termOf(stem))).toEqual(stems.map((_, number) => number + 1));
    for (const stranger of ["snow", "rai", "rainy", "天", "x".repeat(38), "x".repeat(600), "é".repeat(600)]) {
      expect(shard.termOf(stranger)).toBe(-1);
    }
  });

  test("takes a word that is cut through a character", () => {
    const shard = buildShard([{ provider: "a", path: "/a", fields: { ...EMPTY, name: `${"a".repeat(39)}𐐨` } }]);

    expect(shard.termCount).toBe(2);
    expect(shard.termOf(shard.stemOf(1))).toBe(1);
  });

  test("keeps vectors in a byte a number, as near as that allows, and none where a document has none", () => {
    const vectors = [[0.6, -0.8, 0], undefined, [0.1, 0.7, -0.7]];
    const documents = vectors.map((_, number) => ({
      provider: "a",
      path: `/${number}`,
      fields: { ...EMPTY, name: `${number}` },
    }));

    const shard = buildShard(documents, {
      vectorOf: ({ name }) => {
        const vector = vectors[Number(name[0])];
        return vector && Float32Array.from(vector);
      },
    });

    expect(shard.dimensions).toBe(3);
    for (const [document, vector] of vectors.entries()) {
      const scale = shard.vectorScales[document] ?? 0;
      const kept = [...shard.vectors.subarray(document * 3, document * 3 + 3)].map((number) => number * scale);
      kept.forEach((number, place) => expect(number).toBeCloseTo(vector?.[place] ?? 0, 2));
    }
  });

  test("is built in short steps although there are many documents", () => {
    const documents = Array.from({ length: 500 }, (_, number) => ({ path: `/${number + 100}`, fields: EMPTY }));

    const steps = [...buildShardInSteps([{ provider: "a", digest: "", documents }])];

    expect(steps.length).toBeGreaterThan(500);
  });
});

describe("a merge", () => {
  test("is byte by byte what is built of the texts that are still wanted", () => {
    const vectorOf = ({ name }: { readonly name: readonly string[] }) => Float32Array.of(name.length, 1, -1);
    fc.assert(
      fc.property(anyDocuments, anyDocuments, fc.subarray(["ants", "bees", "crows"]), (older, newer, replaced) => {
        const changed = newer.filter(({ provider }) => replaced.includes(provider));
        const kept = older.filter(({ provider }) => !replaced.includes(provider));
        const build = (documents: readonly IndexedDocument[], meanLengths?: readonly number[]) =>
          runAtOnce(buildShardInSteps(providersOf(documents), { vectorOf }, meanLengths));
        const base = build(older);
        const beside = build(changed, base.meanLengths);

        const merged = runAtOnce(
          mergeShardsInSteps([
            { shard: base, groups: base.groupNames.flatMap((name, group) => (replaced.includes(name) ? [] : group)) },
            { shard: beside, groups: [...beside.groupNames.keys()] },
          ]),
        );

        const fresh = build([...kept, ...changed]);
        expect(Buffer.from(merged.buffer).equals(Buffer.from(fresh.buffer))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
