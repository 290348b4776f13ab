import { describe, expect, test } from "vitest";
import { loadAsksInOtherWords, loadJudgedAsks, loadLackingAsks, loadOffTopicAsks } from "./ask-collection.ts";
import { isShown } from "./committed-figures.ts";
import { alone, measureLacking, measureServed } from "./measure-rephrased.ts";
import { loadRephrasings, withRephrasings } from "./rephrased-asks.ts";
import { startStarterDaemon } from "./starter-daemon.ts";

const rephrasings = loadRephrasings();
const everyday = withRephrasings(loadJudgedAsks(), rephrasings);
const inOtherWords = withRephrasings(loadAsksInOtherWords(), rephrasings);
const lacking = withRephrasings([...loadOffTopicAsks(), ...loadLackingAsks()], rephrasings);

describe("the rephrasings of asks", () => {
  test("are five for each of 130 asks that are served and 30 that are not, none of them the ask itself", () => {
    const all = [...everyday, ...inOtherWords, ...lacking];

    expect([everyday.length, inOtherWords.length, lacking.length]).toEqual([60, 70, 30]);
    expect(all.length).toBe(rephrasings.size);
    for (const { q, also } of all) expect(new Set([q, ...also]).size).toBe(6);
  });
});

describe("asks with rephrasings to a daemon with the starter catalog", () => {
  test("are answered far better than without, and wishes that nothing serves are told", async () => {
    await using daemon = await startStarterDaemon();

    const measured = {
      everyday: await measureServed(daemon.request, everyday),
      otherWords: await measureServed(daemon.request, inOtherWords),
      otherWordsAlone: await measureServed(daemon.request, inOtherWords.map(alone)),
      lacking: await measureLacking(daemon.request, lacking),
    };

    if (isShown()) {
      const everydayAlone = await measureServed(daemon.request, everyday.map(alone));
      const lackingAlone = await measureLacking(daemon.request, lacking.map(alone));
      console.table({ ...measured, everydayAlone, lackingAlone });
    }
    expect(measured.everyday).toMatchObject({ firstIsRight: atLeast(0.88), rightAmongThree: atLeast(0.95) });
    expect(measured.otherWords).toMatchObject({ firstIsRight: atLeast(0.92), rightAmongThree: atLeast(0.97) });
    expect(measured.lacking).toMatchObject({ told: atLeast(0.85) });
    for (const { fits, strongIsRight } of [measured.everyday, measured.otherWords]) {
      expect([fits, strongIsRight]).toEqual([atLeast(0.9), atLeast(0.88)]);
    }
    expect(measured.otherWords["firstIsRight"]).toBeGreaterThan(measured.otherWordsAlone["firstIsRight"] ?? 1);
  }, 180_000);
});

const atLeast = (share: number) => expect.toSatisfy((measured: number) => measured >= share, `at least ${share}`);
