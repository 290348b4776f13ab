import { describe, expect, test } from "vitest";
import { createUseMemory, MAX_AGE_DAYS, type Use } from "../../../daemon/discovery/use/use-memory.ts";

const TODAY = 20_000;
const use = (workspaceId: string, number: number): Omit<Use, "count" | "day"> => ({
  workspaceId,
  actor: "key",
  provider: "weather",
  endpoint: "/forecast",
  stems: [`stem${number}`],
});
const stemsOf = (uses: readonly Use[]) => uses.map(({ stems }) => stems.join(" "));

describe("what was used after which asks", () => {
  test("is at most 500 for a workspace: the one that was used longest ago goes first", () => {
    const memory = createUseMemory();
    for (let number = 0; number < 500; number += 1) memory.learn(use("busy", number), TODAY);
    memory.learn(use("quiet", 0), TODAY);
    // Used again: now the second is the oldest.
    memory.learn(use("busy", 0), TODAY);

    memory.learn(use("busy", 500), TODAY);

    const kept = stemsOf(memory.usesOf({ workspaceId: "busy" }, TODAY));
    expect([kept.length, kept.includes("stem0"), kept.includes("stem1"), kept.at(-1)]).toEqual([
      500,
      true,
      false,
      "stem500",
    ]);
    expect(stemsOf(memory.usesOf({ workspaceId: "quiet" }, TODAY))).toEqual(["stem0"]);
  });

  test("is at most 20,000 in all: a busy workspace loses its oldest, and a quiet one nothing", () => {
    const memory = createUseMemory();
    memory.learn(use("quiet", 0), TODAY);
    for (let workspace = 0; workspace < 40; workspace += 1) {
      for (let number = 0; number < 500; number += 1) memory.learn(use(`busy${workspace}`, number), TODAY);
    }

    const counts = Array.from(
      { length: 40 },
      (_, workspace) => memory.usesOf({ workspaceId: `busy${workspace}` }, TODAY).length,
    );

    expect(memory.all(TODAY)).toHaveLength(20_000);
    expect([Math.min(...counts), counts.filter((count) => count === 499).length]).toEqual([499, 1]);
    expect(stemsOf(memory.usesOf({ workspaceId: "quiet" }, TODAY))).toEqual(["stem0"]);
  });

  test("keeps these limits when a file has more", () => {
    const memory = createUseMemory();

    memory.restore(Array.from({ length: 700 }, (_, number) => ({ ...use("busy", number), count: 1, day: TODAY })));

    const kept = stemsOf(memory.usesOf({ workspaceId: "busy" }, TODAY));
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([500, "stem200", "stem699"]);
  });

  test("is forgotten after 90 days, and a day ahead of the clock counts as today", () => {
    const memory = createUseMemory();
    memory.learn(use("one", 0), TODAY);

    expect(memory.usesOf({ workspaceId: "one" }, TODAY + MAX_AGE_DAYS)).toHaveLength(1);
    expect(memory.usesOf({ workspaceId: "one" }, TODAY + MAX_AGE_DAYS + 1)).toHaveLength(0);
    expect(memory.all(TODAY - 3).map(({ day }) => day)).toEqual([TODAY - 3]);
  });
});
