import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyseQuery } from "../../daemon/text/analyse-text.ts";
import { createCatalogIndex } from "../../daemon/discovery/catalog-index.ts";
import { createExplainer } from "../../daemon/discovery/explain-match.ts";
import { rarity } from "../../daemon/discovery/rank.ts";
import { bundledCatalog } from "./indexed-market.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

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

    expect(stdout).toMatch(/found by sun \((path|asks|tags) \d\.\d\d/);
  });

  test("names what a word was taken for when nobody knows it as it stands", async () => {
    const { body } = await daemon.request("POST", "/v1/discover", { q: "timezones", explain: true });

    expect(body.results[0].explanation).toMatchObject({ expanded: ["time", "zone"] });
    expect(body.results[0].explanation.words[0].word).toBe("timezones");
  });
});

test("the weights of a match add up to the evidence that its score is made of", async () => {
  const catalog = await bundledCatalog();
  const { entries, index } = createCatalogIndex(() => catalog.entries()).current();
  const query = analyseQuery("sunrise and getUserName for the timezones of 2 cities in Lisbon");

  const explained = entries.map((entry) => {
    const { words } = createExplainer(index, query)(entry);
    return words.reduce((sum, { weight }) => sum + weight, 0);
  });

  const evidence = entries.map((_, document) =>
    query.reduce((sum, word) => {
      const { documents, matches } = index.lookUp(word);
      const match = matches[documents.indexOf(document)] ?? 0;
      return sum + word.weight * rarity(documents.length, index.size) * match;
    }, 0),
  );
  evidence.forEach((found, document) => expect(explained[document]).toBeCloseTo(found, 5));
  expect(Math.max(...evidence)).toBeGreaterThan(0.3);
});
