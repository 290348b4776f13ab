import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Discovery } from "../../../daemon/discovery/discover.ts";
import { found, type IndexedMarket, openIndexedMarket } from "../indexed-market.ts";
import { finishedRun, MINUTE, type RunHistory, runHistory } from "./run-history.ts";

let market: IndexedMarket;
let discovery: Discovery;
let history: RunHistory;

/** The endpoints that fit best and second best are `/forecast` and `/history` of nimbus. */
const q = "weather forecast of the coming days";

beforeEach(async () => {
  history = runHistory();
  market = await openIndexedMarket({
    health: history.health,
    settings: { discoverPool: 200, discoverFloor: 0 },
  });
  discovery = market.discovery;
});
afterEach(() => market[Symbol.dispose]());

function run(endpoint: string, outcome: "good" | "error", { times = 5, workspaceId = "ann" } = {}): void {
  for (let i = 0; i < times; i += 1) {
    history.health.observe({ ...finishedRun(workspaceId, outcome, history.clock.nowMs, endpoint), provider: "nimbus" });
  }
}

/** What a caller who sees so many results is shown. */
async function shown({ viewer = "ann", limit = 5 } = {}): Promise<string[]> {
  return found(await discovery.discover({ q, viewer })).slice(0, limit);
}

describe("an endpoint in outage", () => {
  test("leaves the results, and the next best take its place", async () => {
    expect(await shown({ limit: 1 })).toEqual(["nimbus/forecast"]);

    run("/forecast", "error");

    expect(await shown({ limit: 1 })).toEqual(["nimbus/history"]);
    expect(await shown()).not.toContain("nimbus/forecast");
  });

  test("is never shown to who did not ask for it, as long as it lasts", async () => {
    run("/forecast", "error");

    const seen: string[] = [];
    for (let minute = 0; minute < 14; minute += 1) {
      history.pass(MINUTE);
      seen.push(...(await shown()));
    }

    expect(seen).not.toContain("nimbus/forecast");
    expect(seen).toContain("nimbus/history");
  });

  test("is shown again after a good run of whoever ran it all the same, as degraded", async () => {
    run("/forecast", "error");

    run("/forecast", "good", { times: 1 });
    const matches = await discovery.discover({ q, viewer: "ann" });

    expect(matches.find(({ entry }) => entry.path === "/forecast")?.metrics.status).toBe("degraded");
  });

  test("is well when it has answered again and again", async () => {
    run("/forecast", "error");
    history.pass(15 * MINUTE);

    run("/forecast", "good", { times: 3 });

    expect(await shown({ limit: 1 })).toEqual(["nimbus/forecast"]);
  });

  test("is back by itself after fifteen minutes, and away again after as many errors as at first", async () => {
    run("/forecast", "error");
    history.pass(15 * MINUTE);
    const back = await shown();
    run("/forecast", "error", { times: 4 });
    const after4 = await shown();

    run("/forecast", "error", { times: 1 });

    expect(back).toContain("nimbus/forecast");
    expect(after4).toContain("nimbus/forecast");
    expect(await shown()).not.toContain("nimbus/forecast");
  });
});

describe("a degraded endpoint", () => {
  function degrade(): void {
    run("/forecast", "error", { times: 5 });
    run("/forecast", "good", { times: 20 });
  }

  test("has three quarters of its score, and says what it had", async () => {
    const [before] = await discovery.discover({ q, viewer: "ann" });

    degrade();
    const after = await discovery.discover({ q, viewer: "ann" });
    const sunk = after.find(({ entry }) => entry.path === "/forecast");

    expect(sunk?.score).toBeCloseTo((before?.score ?? 0) * 0.75, 9);
    expect(discovery.explain({ phrasings: [q] }, sunk === undefined ? [] : [sunk])[0]?.health).toMatchObject({
      status: "degraded",
      effect: { kind: "sunk", scoreBefore: before?.score, score: sunk?.score },
    });
    expect(after.map(({ score }) => score)).toEqual(after.map(({ score }) => score).sort((a, b) => b - a));
  });

  test("is not lost: it does not sink below the floor that it has passed", async () => {
    const [before] = await discovery.discover({ q, viewer: "ann" });
    const minScore = (before?.score ?? 0) * 0.9;

    degrade();
    const matches = await discovery.discover({ q, viewer: "ann", minScore });

    expect(matches.find(({ entry }) => entry.path === "/forecast")?.score).toBe(minScore);
  });

  test("sinks for those alone who see it so", async () => {
    degrade();

    const inEyesOf = async (viewer: string) =>
      (await discovery.discover({ q, viewer })).find(({ entry }) => entry.path === "/forecast");
    const [forAnn, forBob] = [await inEyesOf("ann"), await inEyesOf("bob")];

    expect([forAnn?.metrics.status, forBob?.metrics.status]).toEqual(["degraded", "unknown"]);
    expect(forAnn?.score).toBeLessThan(forBob?.score ?? 0);
  });
});
