import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExplainer, type LookedFor } from "../../../daemon/discovery/ranking/explain-match.ts";
import { buildShard } from "../../../daemon/discovery/index/shard/build-shard.ts";
import { viewOf } from "../../../daemon/discovery/index/index-view.ts";
import { toSearchDocument } from "../../../daemon/discovery/documents/search-document.ts";
import { entryOf } from "../../support/provider-entry.ts";
import { runMkt } from "../../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

describe("discover with explain", () => {
  test("says of every result which words were found where, what they are worth, and how the endpoint does", async () => {
    const { status, body } = await daemon.request("POST", "/v1/discover", {
      q: "when does the sun rise",
      explain: true,
    });

    expect(status).toBe(200);
    for (const { explanation } of body.results) {
      const weights = explanation.words.map(({ weight }: { weight: number }) => weight);
      expect(weights.length).toBeGreaterThan(0);
      expect(weights).toEqual(weights.toSorted((a: number, b: number) => b - a));
      expect(explanation.health).toEqual({ status: "unknown" });
    }
    expect(body.results[0].explanation.words).toContainEqual({
      word: "sun",
      field: "path",
      weight: expect.any(Number),
    });
  });

  test("names no translation of a name that is the same in both languages", async () => {
    const { body } = await daemon.request("POST", "/v1/discover", {
      q: "sonnenaufgang in berlin",
      explain: true,
      minScore: 0,
    });

    const expanded = body.results.flatMap(({ explanation }: { explanation: object }) =>
      "expanded" in explanation ? explanation.expanded : [],
    );
    expect(expanded).toContainEqual(expect.objectContaining({ word: "sonnenaufgang", by: "German" }));
    expect(expanded).not.toContainEqual(expect.objectContaining({ word: "berlin", to: "berlin" }));
  });

  test("lists explanations beside the cards, one for each", async () => {
    const { body } = await daemon.request("POST", "/v1/discover/endpoints", { q: "sun", limit: 2, explain: true });

    expect(body.items).toHaveLength(2);
    expect(body.explanations).toHaveLength(2);
  });

  test("is of no effect on categories and providers, and nothing is explained unasked", async () => {
    const categories = await daemon.request("POST", "/v1/discover/categories", { q: "sun", explain: true });
    const providers = await daemon.request("POST", "/v1/discover/providers", { q: "sun", explain: true });
    const plain = await daemon.request("POST", "/v1/discover", { q: "sun" });
    const cards = await daemon.request("POST", "/v1/discover/endpoints", { q: "sun", explain: false });

    expect([categories.status, providers.status]).toEqual([200, 200]);
    expect(plain.body.results[0]).not.toHaveProperty("explanation");
    expect(cards.body).not.toHaveProperty("explanations");
  });

  test("is shown to a person by mkt discover --explain", async () => {
    const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };

    const { stdout } = await runMkt(["discover", "sun", "--explain"], { env, tty: true });

    expect(stdout).toMatch(/"sun" +(path|asks|tags|name) \d\.\d\d/);
  });

  test("names what a word was taken for when nobody knows it as it stands", async () => {
    const { body } = await daemon.request("POST", "/v1/discover", { q: "timezones", explain: true });

    expect(body.results[0].explanation.expanded).toEqual([
      { word: "timezones", to: expect.stringMatching(/^(time|zone)$/), by: "parts" },
      { word: "timezones", to: expect.stringMatching(/^(time|zone)$/), by: "parts" },
    ]);
    expect(body.results[0].explanation.words[0].word).toBe("timezones");
  });

  test("names what a slip was taken for", async () => {
    const { body } = await daemon.request("POST", "/v1/discover", { q: "distnce between cities", explain: true });

    expect(body.results[0].explanation.expanded).toContainEqual({ word: "distnce", to: "distanc", by: "spelling" });
  });
});

describe("an explanation of words", () => {
  const entry = entryOf(`
mkt: 1
provider: sky
http: { baseUrl: "https://sky.example", auth: { type: none } }
endpoints:
  /rain/{place}:
    displayName: Rain today
    description: Rain and snow at a place, and the snow of the day before.
    tags: [snow]
    request: { method: GET, path: "/rain/{place}" }
    price: { type: FREE }
    input: { pathParams: { required: [place], properties: { place: { type: string } } } }
`);
  const view = viewOf(buildShard([{ provider: "sky", path: entry.path, fields: toSearchDocument(entry) }]));
  const explain = (...lookedFor: readonly LookedFor[]) => createExplainer({ view, k: 1.4 }, lookedFor)(entry);

  test("adds up to the evidence that the index has", () => {
    const { words } = explain({ word: "rain", form: "rain", worth: 1 });

    const { shard } = view.shards[0] ?? {};
    const weight = shard?.postingWeights[shard.postingStarts[shard.termOf("rain")] ?? 0] ?? 0;
    expect(words.map(({ field }) => field).sort()).toEqual(["description", "name", "path"]);
    expect(words.reduce((sum, each) => sum + each.weight, 0)).toBeCloseTo(weight / (1.4 + weight), 5);
  });

  test("has the most first, and nothing of what was not found", () => {
    const { words } = explain(
      { word: "snow", form: "snow", worth: 0.1 },
      { word: "hail", form: "hail", worth: 1 },
      { word: "rain", form: "rain", worth: 1 },
    );

    expect(words.map(({ word }) => word)).toEqual(["rain", "rain", "rain", "snow", "snow"]);
    expect(words.map(({ weight }) => weight)).toEqual(words.map(({ weight }) => weight).toSorted((a, b) => b - a));
  });

  test("names what a word was expanded to, once and only where that was found", () => {
    const { words, expanded } = explain(
      { word: "umbrella", form: "rain", worth: 0.5, by: "thesaurus" },
      { word: "umbrella", form: "parasol", worth: 0.5, by: "thesaurus" },
    );

    expect(expanded).toEqual([{ word: "umbrella", to: "rain", by: "thesaurus" }]);
    expect(words[0]).toMatchObject({ word: "umbrella", as: "rain" });
  });
});
