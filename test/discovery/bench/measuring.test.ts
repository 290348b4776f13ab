import { describe, expect, test } from "vitest";
import type { CollectedEndpoint, JudgedCollection } from "../../../bench/discovery/collections.ts";
import { buildPlainBm25 } from "../../../bench/discovery/engines/plain-bm25.ts";
import { measureCalibration } from "../../../bench/discovery/measure-calibration.ts";
import { measureFloor } from "../../../bench/discovery/measure-floor.ts";
import { planMeasurements } from "../../../bench/discovery/plan.ts";
import { scaleTo } from "../../../bench/discovery/scaled-catalog.ts";
import { serveCollection } from "../../../bench/discovery/served-collection.ts";
import { table, toMarkdown } from "../../../bench/discovery/tables.ts";
import { thirtyWordQueries } from "../../../bench/discovery/thirty-words.ts";

const collectedEndpoints = Array.from({ length: 50 }, (_, number): CollectedEndpoint => ({
  id: `e${number}`,
  provider: `Provider ${number % 5}`,
  endpoint: `GET /things/${number}`,
  displayName: `Thing ${number}`,
  description: `Gives the thing with the word w${number} in full.`,
  tags: [],
  params: [],
}));

describe("the floor of an engine", () => {
  const judged: JudgedCollection = {
    name: "small",
    endpoints: [],
    queries: ["kept", "lost", "unfound"].map((q) => ({ qid: q, q })),
    judgements: new Map(["kept", "lost", "unfound"].map((qid) => [qid, new Map([[`right for ${qid}`, 1]])])),
  };
  const ids = ["right for kept", "right for lost", "wrong"];
  const answers: Readonly<Record<string, number[]>> = { kept: [2, 0], lost: [2, 1], unfound: [2], hello: [2] };
  const aboveFloor: Readonly<Record<string, number[]>> = { kept: [2, 0], lost: [2] };
  const offTopic = [
    { qid: "1", q: "hello", kind: "smalltalk" },
    { qid: "2", q: "lost", kind: "smalltalk" },
    { qid: "3", q: "qwrtz", kind: "mash" },
  ];
  const search = (query: string) => answers[query] ?? [];

  test("is judged by the off-topic queries that it leaves empty and by the first right answers that it takes away", async () => {
    const engine = { search, searchAboveFloor: (query: string) => aboveFloor[query] ?? [] };

    const measured = await measureFloor(engine, ids, { offTopic, judged });

    expect(measured).toEqual({
      offTopic: [
        { kind: "smalltalk", asked: 2, empty: 1, answered: ["lost"] },
        { kind: "mash", asked: 1, empty: 1, answered: [] },
      ],
      judged: { found: 2, lost: 1 },
    });
  });

  test("that has none is judged by what it finds at all", async () => {
    const { offTopic: measured } = await measureFloor({ search }, ids, { offTopic, judged });

    expect(measured.map(({ empty }) => empty)).toEqual([0, 1]);
  });
});

describe("the words for a score", () => {
  const judged: JudgedCollection = {
    name: "small",
    endpoints: [],
    queries: ["sure", "sure and wrong", "unsure", "unfound"].map((q) => ({ qid: q, q })),
    judgements: new Map(["sure", "sure and wrong", "unsure", "unfound"].map((qid) => [qid, new Map([["right", 1]])])),
  };
  const best: Readonly<Record<string, { document: number; score: number }>> = {
    sure: { document: 0, score: 2 },
    "sure and wrong": { document: 1, score: 2 },
    unsure: { document: 0, score: 0.01 },
    hello: { document: 1, score: 0.01 },
  };

  test("are measured by how often the best answer called so is right, and by what nothing answers", () => {
    const offTopic = ["hello", "qwrtz"].map((q) => ({ qid: q, q, kind: "smalltalk" }));

    const words = measureCalibration((query) => best[query], ["right", "wrong"], { offTopic, judged });

    expect(words).toEqual([
      { word: "strong", judged: 2, right: 1, offTopic: 0 },
      { word: "possible", judged: 0, right: 0, offTopic: 0 },
      { word: "weak", judged: 1, right: 1, offTopic: 1 },
      { word: "none", judged: 1, right: 0, offTopic: 1 },
    ]);
  });
});

describe("a catalog of another size", () => {
  test("is the same in every run, and as large as it should be", () => {
    const sizes = [10, 50, 120].map((size) => [scaleTo(size, collectedEndpoints), scaleTo(size, collectedEndpoints)]);

    for (const [one, again] of sizes) expect(one).toEqual(again);
    expect(sizes.map(([one]) => one?.length)).toEqual([10, 50, 120]);
  });

  test("draws each endpoint at most once where there are enough", () => {
    const ids = scaleTo(30, collectedEndpoints).map(({ id }) => id);

    expect(new Set(ids).size).toBe(30);
  });

  test("has copies with providers, paths and words of their own where there are not", () => {
    const copies = scaleTo(120, collectedEndpoints).slice(collectedEndpoints.length);

    const texts = new Set(collectedEndpoints.map(({ description }) => description));
    const names = new Set(collectedEndpoints.map(({ provider }) => provider));
    expect(copies.filter(({ description }) => texts.has(description)).length).toBeLessThan(10);
    expect(copies.filter(({ provider }) => names.has(provider))).toEqual([]);
    expect(new Set(serveCollection({ endpoints: copies }).ids).size).toBeGreaterThan(35);
  });
});

describe("queries for measuring speed", () => {
  test("have thirty words: longer ones are cut, shorter ones joined", () => {
    const words = (count: number, word: string) => ({ q: Array.from({ length: count }, () => word).join(" ") });

    const queries = thirtyWordQueries([words(40, "long"), words(20, "a"), words(12, "b"), words(29, "left")], 10);

    expect(queries).toEqual([words(30, "long").q, `${words(20, "a").q} ${words(10, "b").q}`]);
  });
});

describe("plain BM25", () => {
  test("puts the document with the rarer word first", async () => {
    const engine = await buildPlainBm25(serveCollection({ endpoints: collectedEndpoints }).documents());
    const { ids } = serveCollection({ endpoints: collectedEndpoints });

    const [first] = await engine.search("Which thing has the word W17?", 3);

    expect(ids[first ?? -1]).toBe("e17");
  });
});

describe("what is measured", () => {
  const places = { evalDir: "/eval", projectDir: "/project" };

  test("leaves a collection out of what ours has learned when it is measured on it, but for the row as it is shipped", () => {
    const plan = planMeasurements(places, { only: ["metatool"], quick: false });

    const leaveOut = (row: string) => plan.find((planned) => planned.row === row)?.request.leaveOut;
    expect([leaveOut("ours"), leaveOut("ours as shipped"), leaveOut("MiniSearch")]).toEqual([
      "metatool",
      undefined,
      undefined,
    ]);
  });

  test("is made without a part of the analysis for the rows that say so, and for no other", () => {
    const plan = planMeasurements(places, { only: ["metatool"], quick: false });

    const made = plan.filter(({ withoutModule }) => withoutModule !== undefined);
    expect(made.map(({ row, withoutModule }) => [row, withoutModule])).toEqual([
      ["ours without identifiers split", "split-identifier.ts"],
      ["ours without stems", "stem-word.ts"],
      ["ours without stop words", "stop-words.ts"],
    ]);
  });

  test("is told apart from names that nothing has", () => {
    expect(() => planMeasurements(places, { only: ["metatools"], quick: false })).toThrow(
      /there is no collection "metatools"; there are toolbench/,
    );
  });
});

test("the table of floors has what was fitted without the collection beside what is shipped", () => {
  const floorOf = (empty: number, lost: number) => ({
    offTopic: [{ kind: "mash", asked: 4, empty, answered: [] }],
    judged: { found: 10, lost },
  });
  const measured = {
    row: "ours",
    engine: "ours",
    subject: "metatool",
    endpoints: 2,
    buildMs: 1,
    heldBytes: 1,
    speed: { p50: 1, p99: 1, queries: 1 },
    floor: floorOf(4, 1),
    heldOutFloor: floorOf(3, 2),
  };

  const line = toMarkdown([measured]).match(/\| metatool +\|.*100\.0.*/)?.[0];

  expect(line?.split("|").map((cell) => cell.trim())).toEqual([
    "",
    "metatool",
    "100.0",
    "100.0",
    "10.0",
    "75.0",
    "20.0",
    "",
  ]);
});

test("a table is Markdown that the formatter leaves as it is", () => {
  expect(
    table([
      ["", "nDCG"],
      ["ours", "7.0"],
    ]),
  ).toBe("|      | nDCG |\n| ---- | ---: |\n| ours |  7.0 |");
});
