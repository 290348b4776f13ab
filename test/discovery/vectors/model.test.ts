import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadWordVectors, modelFolder } from "../../../daemon/discovery/vectors/load-word-vectors.ts";
import { analyseText } from "../../../daemon/text/analyse-text.ts";

const MAX_BYTES = 4_000_000;

const sources = [
  "APIs.guru",
  "MetaTool",
  "ToolTalk",
  "public-apis",
  "APIBench",
  "BFCL",
  "Seal-Tools",
  "API-Bank",
  "ToolEyes",
  "CLINC150",
  "BANKING77",
  "HWU64",
  "GloVe",
  "PDDL-1.0",
  "CC0-1.0",
  "CC BY 3.0",
  "CC BY 4.0",
  "Apache-2.0",
  "MIT",
];

const vectors = await loadWordVectors();

describe("the word vectors that come with the program", () => {
  test.each([
    ["is it going to rain tomorrow in Porto", "Weather forecast", "Exchange rates"],
    ["convert 100 dollars to yen", "Exchange rates", "Weather forecast"],
    ["who owns this company", "Company register", "Country facts"],
    ["cheapest way to fly to Rome", "Flight search", "Weather forecast"],
    ["how do you say hello in Japanese", "Translate text", "Company register"],
    ["what is showing at the cinema", "Movie listings", "Bank accounts"],
    ["make me laugh", "Random jokes", "Earthquakes"],
    // Words that no API text says.
    ["drizzle", "Weather forecast", "Exchange rates"],
    ["comets", "Astronomy", "Company register"],
  ])("%j is nearer to %j than to %j, without a word in common", (request, right, wrong) => {
    const query = queryVector(request);

    expect(cosine(query, documentVector(right))).toBeGreaterThan(cosine(query, documentVector(wrong)) + 0.1);
  });

  test("every word that the analysis of text makes of everyday words is one of theirs", () => {
    // Fails when stems, stop words or splitting have changed: then `npm run train:discovery`.
    const everyday = `
      weather forecasts currencies countries cities companies addresses translating translations conversions converted
      calculating distances holidays languages movies recipes earthquakes airports flights hotels stocks prices payments
      invoices messages emails images pictures videos songs playlists teams matches players teachers universities books
      authors elevations coordinates postcodes populations vehicles medicines nutritional exchanging searching scheduled
    `;

    const missing = [...new Set(analyseText(everyday))].filter((stem) => vectors.rowOf(stem) < 0);

    expect(missing).toEqual([]);
  });

  test("the first 32 of 128 dimensions alone tell what fits from what does not", () => {
    const query = queryVector("is it going to rain tomorrow in Porto").subarray(0, 32);
    const nearness = (name: string) => cosine(query, documentVector(name).subarray(0, 32));

    const others = ["Exchange rates", "Company register", "Flight search", "Random jokes"].map(nearness);

    expect(vectors.dimensions).toBe(128);
    expect(nearness("Weather forecast")).toBeGreaterThan(Math.max(...others) + 0.1);
  });

  test("they take at most 4 MB, and say where they are from and under which licences", async () => {
    const files = await readdir(modelFolder());
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(modelFolder(), file))).size));
    const provenance = await readFile(join(modelFolder(), "PROVENANCE.md"), "utf8");

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES);
    for (const source of sources) {
      expect(provenance).toContain(source);
    }
  });

  test("a folder without them is an error, not a silence", async () => {
    await expect(loadWordVectors(join(modelFolder(), "nowhere"))).rejects.toThrow("ENOENT");
  });
});

function queryVector(text: string): Float32Array {
  return vectors.queryVector([...new Set(analyseText(text))].map((stem) => ({ stems: [stem], weight: 1 })));
}

function documentVector(name: string): Float32Array {
  return vectors.documentVector({ name: analyseText(name) });
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
