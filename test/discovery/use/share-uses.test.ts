import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { UseFile } from "../../../daemon/discovery/use/keep-uses.ts";
import type { UsedRun } from "../../../daemon/discovery/use/learning.ts";
import { type SharedUses, shareUses, type WorkspaceUses } from "../../../daemon/discovery/use/share-uses.ts";

const AT = Date.parse("2026-11-28T10:00:00.000Z");
const ASKER = { workspaceId: "w1", actor: "key" };
const OWN_FILE: UseFile = { read: async () => undefined, write: async () => undefined };

/** What all daemons see at once; counts how often it was written. */
function sharedUses(): SharedUses & { writes: number } {
  const known = new Map<string, WorkspaceUses>();
  const read = (workspaceId: string) => known.get(workspaceId) ?? { forgets: 0, uses: [] };
  const shared = {
    writes: 0,
    read,
    async change(workspaceId: string, change: (before: WorkspaceUses) => WorkspaceUses | undefined) {
      const after = change(read(workspaceId));
      if (after === undefined) return;
      shared.writes += 1;
      known.set(workspaceId, after);
    },
  };
  // Before the first change, too, the same object is the same state.
  known.set("w1", { forgets: 0, uses: [] });
  return shared;
}

async function daemonOn(shared: SharedUses, { isOn = true, earlier = OWN_FILE } = {}) {
  const warned: unknown[] = [];
  const logger = { warn: (...told: unknown[]) => void warned.push(told) };
  const kept = await shareUses({ isOn, shared, earlier, clock: { now: () => AT }, logger });
  const run = {
    workspaceId: ASKER.workspaceId,
    caller: ASKER.actor,
    provider: "calm",
    endpoint: "/forecast",
    status: "COMPLETED",
    createdAt: new Date(AT).toISOString(),
  } as UsedRun;
  return {
    ask: () =>
      kept.learning?.note(ASKER, ["weather"], [{ provider: { provider: "calm" }, path: "/forecast" } as never]),
    run: () => kept.learning?.observe(run),
    forget: () => kept.forget({ workspaceId: ASKER.workspaceId }),
    warned,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}

describe("what daemons learn together", () => {
  test("does not learn from an answer that was given before an erasure by another daemon", async () => {
    const shared = sharedUses();
    await using a = await daemonOn(shared);
    const b = await daemonOn(shared);
    b.ask();
    b.run();
    b.ask();

    await a.forget();
    b.run();
    await b[Symbol.asyncDispose]();

    expect(shared.read("w1")).toEqual({ forgets: 1, uses: [] });
  });

  test("learns from an answer that was given after an erasure by another daemon", async () => {
    const shared = sharedUses();
    await using a = await daemonOn(shared);
    const b = await daemonOn(shared);
    b.ask();

    await a.forget();
    b.ask();
    b.run();
    await b[Symbol.asyncDispose]();

    expect(shared.read("w1").uses).toMatchObject([{ provider: "calm", stems: ["weather"], count: 1 }]);
    expect(b.warned).toEqual([]);
  });

  test("leaves what a daemon learned for itself before where it is, while learning is off", async () => {
    const shared = sharedUses();
    let file = [
      { workspaceId: "w1", actor: "key", provider: "calm", endpoint: "/now", stems: ["rain"], count: 1, day: 20_000 },
    ];
    const earlier: UseFile = { read: async () => file, write: async (uses) => void (file = [...uses] as typeof file) };

    await (await daemonOn(shared, { isOn: false, earlier }))[Symbol.asyncDispose]();

    expect([file.length, shared.writes]).toEqual([1, 0]);
  });

  test("is written soon, then once in half a minute, and what is left at the end", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const shared = sharedUses();
    const daemon = await daemonOn(shared);
    const use = () => {
      daemon.ask();
      daemon.run();
    };

    use();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(shared.writes).toBe(1);
    for (let times = 0; times < 5; times += 1) {
      use();
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(shared.writes).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(shared.writes).toBe(2);
    use();
    await daemon[Symbol.asyncDispose]();

    expect(shared.writes).toBe(3);
    expect(shared.read("w1").uses).toMatchObject([{ count: 7 }]);
  });
});
