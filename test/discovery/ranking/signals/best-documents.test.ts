import fc from "fast-check";
import { expect, test } from "vitest";
import { buildShard } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { createIndexView } from "../../../../daemon/discovery/index/index-view.ts";
import { bestDocuments } from "../../../../daemon/discovery/ranking/signals/best-documents.ts";
import { anyDocuments } from "../../index/made-up-documents.ts";

/** Few scores, so that many are equal. */
const anyScores = fc.array(fc.constantFrom(-1, 0, 0.5, 1, 2), { minLength: 18, maxLength: 18 });

test("the best are those at the front when all are sorted, and of equals those whose provider and path come first", () => {
  const anyCase = fc.record({
    first: anyDocuments,
    second: anyDocuments,
    scores: anyScores,
    count: fc.nat({ max: 20 }),
    above: fc.constantFrom(-2, 0, 0.5),
  });
  fc.assert(
    fc.property(anyCase, ({ first, second, scores, count, above }) => {
      const view = createIndexView([{ shard: buildShard(first) }, { shard: buildShard(second) }]);
      const accept = (document: number) => document % 3 !== 1;
      const score = (document: number) => scores[document] ?? 0;

      const best = bestDocuments(view, Float32Array.from(scores), { count, above, accept });

      const sorted = Array.from({ length: view.bound }, (_, document) => document)
        .filter((document) => accept(document) && score(document) > above)
        .sort((a, b) => score(b) - score(a) || view.compare(a, b));
      // The two shards may have the same endpoint: which of the two is taken is nobody's concern.
      const told = (document: number) => `${score(document)} ${JSON.stringify(view.placeOf(document))}`;
      expect(best.map(told).sort()).toEqual(sorted.slice(0, count).map(told).sort());
    }),
  );
});

test("what is served no more is not among the best", () => {
  const document = (provider: string) => ({ provider, path: "/a", fields: EMPTY });
  const shard = buildShard([document("gone"), document("here")]);
  const view = createIndexView([{ shard, groups: new Set([1]) }]);

  const best = bestDocuments(view, Float32Array.of(9, 1), { count: 5, above: 0, accept: () => true });

  expect(best.map((each) => view.placeOf(each).provider)).toEqual(["here"]);
});

const EMPTY = {
  name: "",
  asks: "",
  path: "",
  tags: "",
  categories: "",
  description: "",
  provider: "",
  parameters: "",
};
