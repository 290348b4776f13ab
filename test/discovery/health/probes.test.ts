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
  return found(await discovery.discover({ q, viewer, limit })).slice(0, limit);
}

describe("an endpoint in outage", () => {
  test("leaves the results, and the next best take its place", async () => {
    expect(await shown({ limit: 1 })).toEqual(["nimbus/forecast"]);

    run("/forecast", "error");

    expect(await shown({ limit: 1 })).toEqual(["nimbus/history"]);
    expect(await shown()).not.toContain("nimbus/forecast");
  });

  test("is shown once when five minutes have passed without a run of it, behind the first that works", async () => {
    run("/forecast", "error");
    history.pass(5 * MINUTE);

    const answers = [await shown(), await shown(), await shown()];

    expect(answers[0]?.slice(0, 2)).toEqual(["nimbus/history", "nimbus/forecast"]);
    expect(answers[1]).not.toContain("nimbus/forecast");
    expect(answers[2]).not.toContain("nimbus/forecast");
  });

  test("is counted where it is shown, and says that it is in outage and why it is there", async () => {
    run("/forecast", "error");
    const { matches: without } = await discovery.find({ q, viewer: "ann" });
    history.pass(5 * MINUTE);

    const { matches, unavailable } = await discovery.find({ q, viewer: "ann", limit: 5 });
    const probe = matches.filter(({ isProbe }) => isProbe === true);

    expect(matches).toHaveLength(without.length + 1);
    expect(probe.map(({ metrics }) => metrics.status)).toEqual(["outage"]);
    expect(discovery.explain(q, probe)[0]?.health).toMatchObject({ status: "outage", effect: { kind: "probe" } });
    expect(unavailable.map(({ entry }) => entry.path)).not.toContain("/forecast");
  });

  test("is well again when the run that it got succeeds", async () => {
    run("/forecast", "error");
    history.pass(5 * MINUTE);
    await shown();

    run("/forecast", "good", { times: 1 });

    expect(await shown({ limit: 1 })).toEqual(["nimbus/forecast"]);
  });

  test("stays away for five minutes more when that run fails, too", async () => {
    run("/forecast", "error");
    history.pass(5 * MINUTE);
    await shown();
    run("/forecast", "error", { times: 1 });

    history.pass(5 * MINUTE - 1);
    const early = await shown();
    history.pass(1);

    expect(early).not.toContain("nimbus/forecast");
    expect(await shown()).toContain("nimbus/forecast");
  });

  test("loses no turn to a page that is too short for it, nor to an answer without a page", async () => {
    run("/forecast", "error");
    history.pass(5 * MINUTE);

    await shown({ limit: 1 });
    await discovery.categories({ q, viewer: "ann" });

    expect(await shown()).toContain("nimbus/forecast");
  });

  test("loses no turn to others: who has runs of its own is asked by itself", async () => {
    run("/forecast", "error", { workspaceId: "ann" });
    run("/forecast", "error", { workspaceId: "bob" });
    history.pass(5 * MINUTE);

    expect(await shown({ viewer: "newcomer" })).toContain("nimbus/forecast");
    expect(await shown({ viewer: "another" })).not.toContain("nimbus/forecast");
    expect(await shown({ viewer: "ann" })).toContain("nimbus/forecast");
    expect(await shown({ viewer: "bob" })).toContain("nimbus/forecast");
  });

  test("is back by itself after fifteen minutes, and away again after as many errors as at first", async () => {
    run("/forecast", "error");
    history.pass(15 * MINUTE);
    const back = await shown({ limit: 1 });
    run("/forecast", "error", { times: 4 });
    const after4 = await shown({ limit: 1 });

    run("/forecast", "error", { times: 1 });

    expect([back, after4]).toEqual([["nimbus/forecast"], ["nimbus/forecast"]]);
    expect(await shown({ limit: 1 })).toEqual(["nimbus/history"]);
  });

  test("is away again sooner where it was tried meanwhile: what failed then still counts", async () => {
    run("/forecast", "error");
    for (const _ of [1, 2]) {
      history.pass(5 * MINUTE);
      run("/forecast", "error", { times: 1 });
    }
    history.pass(5 * MINUTE);
    expect(await shown({ limit: 1 })).toEqual(["nimbus/forecast"]);

    run("/forecast", "error", { times: 3 });

    expect(await shown({ limit: 1 })).toEqual(["nimbus/history"]);
  });

  test("only one is tried at a time", async () => {
    run("/forecast", "error");
    run("/history", "error");
    history.pass(5 * MINUTE);

    const probes = async () => {
      const matches = await discovery.discover({ q, viewer: "ann", limit: 5 });
      return matches.filter(({ isProbe }) => isProbe === true).length;
    };

    expect([await probes(), await probes(), await probes()]).toEqual([1, 1, 0]);
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
    expect(discovery.explain(q, sunk === undefined ? [] : [sunk])[0]?.health).toMatchObject({
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
