import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestDaemon } from "../support/start-daemon.ts";
import { startStarterDaemon } from "./asks/starter-daemon.ts";
import { hostileQueries } from "./hostile-queries.ts";
import { manyManifests } from "./many-manifests.ts";

/** What a query may take with ten thousand endpoints is 5 ms; here with ten times slack, for machines of all kinds. */
const LIMIT_MS = 50;

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startStarterDaemon(manyManifests({ providers: 100, endpointsEach: 97 }));
}, 120_000);

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

/**
 * Milliseconds of processor time of the cheapest of some attempts, the client's part included: a machine that is busy with
 * something else, or a collection of garbage, is not the query's doing.
 */
async function cheapest(attempts: number, attempt: () => Promise<unknown>): Promise<number> {
  const costs: number[] = [];
  for (let number = 0; number < attempts; number += 1) {
    const before = process.cpuUsage();
    await attempt();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return Math.min(...costs);
}

describe("a hostile query to a daemon with ten thousand endpoints", () => {
  test.each(hostileQueries)("%s gets an ordinary answer", async (_, q) => {
    const cards = await daemon.request("POST", "/v1/discover/endpoints", { q, limit: 5, explain: true });
    const results = await daemon.request("POST", "/v1/discover", { q, limit: 5, minScore: 0 });
    const categories = await daemon.request("POST", "/v1/discover/categories", { q });
    const providers = await daemon.request("POST", "/v1/discover/providers", { q });

    expect([cards, results, categories, providers].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(cards.body.items.length).toBe(Math.min(5, cards.body.total));
    expect(cards.body.explanations.length).toBe(cards.body.items.length);
    expect(results.body.query).toBe(q);
    const scores: number[] = results.body.results.map(({ score }: { score: number }) => score);
    expect(scores.filter((score) => !(score >= 0 && score <= 2))).toEqual([]);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  test.each(hostileQueries)("%s is answered within the time limit", async (_, q) => {
    const ms = await cheapest(5, async () => await daemon.request("POST", "/v1/discover/endpoints", { q, limit: 5 }));

    expect(ms).toBeLessThan(LIMIT_MS);
  });

  test.each(["a thousand times one letter", "a thousand spaces", "control characters", "faces", "lone surrogates"])(
    "%s finds nothing",
    async (kind) => {
      const q = new Map(hostileQueries).get(kind);

      const { body } = await daemon.request("POST", "/v1/discover/endpoints", { q });

      expect(body).toEqual({ items: [], total: 0 });
    },
  );

  test("words that hidden characters and wide letters are written in are found as the words that they are", async () => {
    const places = async (q: string) => {
      const { body } = await daemon.request("POST", "/v1/discover/endpoints", { q, limit: 3 });
      return body.items.map(({ provider, endpoint }: { provider: string; endpoint: string }) => provider + endpoint);
    };

    expect(await places("ｗｅａｔｈｅｒ ｆｏｒｅｃａｓｔ")).toEqual(await places("weather forecast"));
    expect(await places("wea\u00adther fore\u200bcast")).toEqual(await places("weather forecast"));
  });

  test("a query longer than a thousand characters is refused, and so is an empty one", async () => {
    const long = await daemon.request("POST", "/v1/discover/endpoints", { q: "a".repeat(1_001) });
    const empty = await daemon.request("POST", "/v1/discover/endpoints", { q: "" });

    expect([long.status, empty.status]).toEqual([400, 400]);
  });

  test("leaves the daemon as it was: an honest question is answered as before", async () => {
    const { body } = await daemon.request("POST", "/v1/discover/endpoints", {
      q: "magnitude of recent earthquakes",
      limit: 1,
    });

    expect(body.items[0].provider).toBe("usgs-earthquakes");
  });
});
