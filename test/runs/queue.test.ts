import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProviderLane } from "../../daemon/runs/queue/provider-lane.ts";
import {
  createRunQueue,
  keptPlaces,
  type ProviderPlace,
  type PlaceHolder,
  type RunQueue,
} from "../../daemon/runs/queue/run-queue.ts";

const lane = (concurrency: number, pace?: ProviderLane["pace"]): ProviderLane => ({
  provider: "p",
  concurrency,
  ...(pace !== undefined && { pace }),
});
const anyTime = new AbortController().signal;
/** Long enough for every promise that can be settled to be settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const someone: PlaceHolder = { workspaceId: "someone", caller: "key" };

/** `a 1` is of the workspace `a`, `a/k 1` of its caller `k`. */
function holderOf(name: string): PlaceHolder {
  const [workspaceId = "", caller = "key"] = (name.split(" ")[0] ?? "").split("/");
  return { workspaceId, caller };
}

/** Someone who waits; `entered` gets the name when there is a place. */
function wait(queue: RunQueue, at: ProviderLane, name: string, entered: string[]) {
  const patience = new AbortController();
  const place = queue.enter(at, holderOf(name), patience.signal).then(
    (given) => (entered.push(name), given),
    () => undefined,
  );
  return { place, giveUp: () => patience.abort(new Error("enough")) };
}

describe("places at a provider", () => {
  test("are given within one workspace in the order of asking", async () => {
    const queue = createRunQueue();
    const entered: string[] = [];
    const first = queue.tryEnter(lane(1), someone);
    const waiting = ["a 1", "a 2", "a 3"].map((name) => wait(queue, lane(1), name, entered));

    first?.release();
    for (const { place } of waiting) (await place)?.release();

    expect(entered).toEqual(["a 1", "a 2", "a 3"]);
  });

  test("are given to the workspaces in turn: a thousand runs of one delay another by one run at most", async () => {
    const queue = createRunQueue();
    const entered: string[] = [];
    let place: ProviderPlace | undefined = queue.tryEnter(lane(1), someone);
    const crowd = Array.from({ length: 1_000 }, (_, n) => wait(queue, lane(1), `crowd ${n}`, entered));
    const alone = wait(queue, lane(1), "alone 1", entered);

    for (let given = 0; given < 2; given += 1) {
      place?.release();
      place = await Promise.race([...crowd.slice(given), alone].map((one) => one.place));
    }

    expect(entered).toEqual(["crowd 0", "alone 1"]);
  });

  test("are given to as many as fit, not to one at a time", async () => {
    const queue = createRunQueue();
    const inside = Array.from({ length: 20 }, (_, n) => queue.tryEnter(lane(20), holderOf(`w${n} 1`)));
    const entered: string[] = [];
    for (let n = 0; n < 30; n += 1) wait(queue, lane(20), `other${n} 1`, entered);

    for (const place of inside) place?.release();
    await settled();

    expect(entered).toHaveLength(20);
  });

  test("are not given past those who wait", async () => {
    const queue = createRunQueue();
    const first = queue.tryEnter(lane(1), someone);
    const entered: string[] = [];
    const waiting = wait(queue, lane(1), "a 1", entered);

    first?.release();

    expect(queue.tryEnter(lane(1), someone)).toBeUndefined();
    expect(await waiting.place).toBeDefined();
  });

  test("go to those behind when the head of the line gives up", async () => {
    const queue = createRunQueue();
    const first = queue.tryEnter(lane(1), someone);
    const entered: string[] = [];
    const head = wait(queue, lane(1), "a 1", entered);
    const behind = wait(queue, lane(1), "b 1", entered);

    head.giveUp();
    first?.release();
    await behind.place;

    expect(entered).toEqual(["b 1"]);
  });

  test("are apart for an endpoint with limits of its own", () => {
    const queue = createRunQueue();

    queue.tryEnter(lane(1), someone);

    expect(queue.tryEnter(lane(2), someone)).toBeDefined();
    expect(queue.tryEnter(lane(1), someone)).toBeUndefined();
  });

  test("given back twice are given back once", () => {
    const queue = createRunQueue();
    const first = queue.tryEnter(lane(1), someone);

    first?.release();
    first?.release();

    expect(queue.tryEnter(lane(1), someone)).toBeDefined();
    expect(queue.tryEnter(lane(1), someone)).toBeUndefined();
  });

  test("go to the workspace that holds the fewest, not to the one whose turn it would be", async () => {
    const queue = createRunQueue();
    const inside = ["a 1", "a 2", "b 1"].map((name) => queue.tryEnter(lane(3), holderOf(name)));
    const entered: string[] = [];
    const waiting = ["a 3", "b 2", "b 3"].map((name) => wait(queue, lane(3), name, entered));

    inside[0]?.release();
    await settled();
    expect(entered).toEqual(["a 3"]);
    inside[1]?.release();
    await settled();

    expect(entered).toEqual(["a 3", "b 2"]);
    for (const { giveUp } of waiting) giveUp();
  });

  test("go within a workspace to the key that holds the fewest", async () => {
    const queue = createRunQueue();
    const inside = ["a/busy 1", "a/busy 2"].map((name) => queue.tryEnter(lane(2), holderOf(name)));
    const entered: string[] = [];
    for (const name of ["a/busy 3", "a/busy 4", "a/quiet 1"]) wait(queue, lane(2), name, entered);

    for (const place of inside) place?.release();
    await settled();

    expect(entered.sort()).toEqual(["a/busy 3", "a/quiet 1"]);
  });
});

describe("the last places at a provider", () => {
  test.each([
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 1],
    [8, 1],
    [16, 2],
    [64, 8],
  ])("of %i are %i: nearly all are there for a workspace that is alone", async (concurrency, kept) => {
    const queue = createRunQueue();
    const entered: string[] = [];
    for (let n = 0; n < 100; n += 1) wait(queue, lane(concurrency), `crowd ${n}`, entered);
    await settled();

    expect(keptPlaces(concurrency)).toBe(kept);
    expect(entered).toHaveLength(concurrency - kept);
  });

  test("are kept for workspaces that hold none, of which each has one at once", async () => {
    const queue = createRunQueue();
    const entered: string[] = [];
    for (let n = 0; n < 1_000; n += 1) wait(queue, lane(64), `crowd ${n}`, entered);

    const others = Array.from({ length: 8 }, (_, n) => queue.tryEnter(lane(64), holderOf(`other${n} 1`)));
    const ninth = queue.tryEnter(lane(64), holderOf("ninth 1"));
    const second = queue.tryEnter(lane(64), holderOf("other0 2"));

    expect(others.every((place) => place !== undefined)).toBe(true);
    expect([ninth, second]).toEqual([undefined, undefined]);
  });

  test("are kept also while more runs are at the provider than its limit, as after a restart", async () => {
    const queue = createRunQueue();
    const resumed = Array.from({ length: 12 }, (_, n) => queue.takeAnyway(lane(8), holderOf(`crowd ${n}`)));
    const entered: string[] = [];
    wait(queue, lane(8), "crowd 13", entered);
    const other = wait(queue, lane(8), "other 1", entered);

    for (const place of resumed.slice(0, 5)) place.release();
    await other.place;

    expect(entered).toEqual(["other 1"]);
  });
});

describe("whatever happens at a provider", () => {
  const workspace = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const holder = fc.record({ workspaceId: workspace, caller: fc.constantFrom("k", "l") });
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("ask" as const), holder }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("resume" as const), holder }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("give up" as const), which: fc.nat() }) },
  );
  interface Waiting {
    readonly holder: PlaceHolder;
    readonly giveUp: () => void;
  }

  /** Plays the steps, and tells after each who is inside and who waits. */
  async function play(
    concurrency: number,
    steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
    look: (now: { inside: readonly PlaceHolder[]; waiting: readonly Waiting[]; isResuming: boolean }) => void,
  ): Promise<void> {
    const queue = createRunQueue();
    const inside: { readonly holder: PlaceHolder; readonly place: ProviderPlace; readonly isResumed: boolean }[] = [];
    const waiting: Waiting[] = [];
    const faults: string[] = [];
    const held = (workspaceId: string) => inside.filter((one) => one.holder.workspaceId === workspaceId).length;
    const enter = (one: Waiting, place: ProviderPlace) => {
      const better = waiting.find((other) => held(other.holder.workspaceId) < held(one.holder.workspaceId));
      if (better !== undefined) faults.push(`${one.holder.workspaceId} before ${better.holder.workspaceId}`);
      const { workspaceId, caller } = one.holder;
      const first = waiting.find(({ holder: of }) => of.workspaceId === workspaceId && of.caller === caller);
      if (first !== one) faults.push("one of the same caller was overtaken");
      waiting.splice(waiting.indexOf(one), 1);
      inside.push({ holder: one.holder, place, isResumed: false });
    };
    for (const now of steps) {
      if (now.do === "ask") {
        const patience = new AbortController();
        const one = { holder: now.holder, giveUp: () => patience.abort(new Error("enough")) };
        const others = new Set(inside.map((other) => other.holder.workspaceId));
        const resumed = inside.some(({ isResumed }) => isResumed);
        const mustEnter = !resumed && !others.has(one.holder.workspaceId) && others.size <= keptPlaces(concurrency);
        waiting.push(one);
        queue.enter(lane(concurrency), one.holder, patience.signal).then(
          (place) => enter(one, place),
          () => void waiting.splice(waiting.indexOf(one), 1),
        );
        await settled();
        if (mustEnter && waiting.includes(one)) faults.push(`${one.holder.workspaceId}, which holds none, had to wait`);
      } else if (now.do === "resume") {
        const place = queue.takeAnyway(lane(concurrency), now.holder);
        inside.push({ holder: now.holder, place, isResumed: true });
      } else if (now.do === "end") {
        const [one] = inside.splice(now.which % Math.max(1, inside.length), 1);
        one?.place.release();
      } else {
        waiting[now.which % Math.max(1, waiting.length)]?.giveUp();
      }
      await settled();
      expect(faults).toEqual([]);
      look({ inside: inside.map((one) => one.holder), waiting, isResuming: now.do === "resume" });
    }
    // Nobody waits for ever: as runs end, all get in.
    for (let ends = inside.length + waiting.length; ends > 0; ends -= 1) {
      inside.shift()?.place.release();
      await settled();
    }
    expect([waiting, inside, faults]).toEqual([[], [], []]);
  }

  test("the limit is kept, a workspace that holds none gets in at once, and everybody gets in some time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, 3, 4, 8, 16),
        fc.array(step, { minLength: 20, maxLength: 120 }),
        async (concurrency, steps) => {
          let before = 0;
          await play(concurrency, steps, ({ inside, waiting, isResuming }) => {
            expect(inside.length).toBeLessThanOrEqual(isResuming ? before + 1 : Math.max(concurrency, before));
            before = inside.length;
            const free = concurrency - inside.length;
            const waits = (holds: (workspaceId: string) => boolean) =>
              waiting.some(({ holder: { workspaceId } }) => holds(workspaceId));
            const isInside = (workspaceId: string) => inside.some((one) => one.workspaceId === workspaceId);
            // No place stays free that somebody may have.
            expect(free > 0 && waits((id) => !isInside(id))).toBe(false);
            expect(free > keptPlaces(concurrency) && waits(isInside)).toBe(false);
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the pace of a provider", () => {
  test("lets no more runs begin in a window than it allows", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 3, perMs: 120 });
    const begun: number[] = [];

    // From before the first begins: how late a beginning is noticed cannot make a window look shorter.
    const startMs = performance.now();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const place = await queue.enter(paced, someone, anyTime);
        begun.push(performance.now() - startMs);
        place.release();
      }),
    );

    for (const [index, atMs] of begun.entries()) expect(atMs).toBeGreaterThanOrEqual(Math.floor(index / 3) * 120 - 1);
  });

  test("takes the workspaces in turn as well", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 20 });
    const entered: string[] = [];
    queue.tryEnter(paced, someone);
    const all = ["a 1", "a 2", "a 3", "b 1"].map((name) => wait(queue, paced, name, entered));

    await Promise.all(all.map(({ place }) => place));

    expect(entered).toEqual(["a 1", "b 1", "a 2", "a 3"]);
  });

  test("lets nobody past those who wait, though their turn has come and they were not told yet", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 30 });
    const entered: string[] = [];
    queue.tryEnter(paced, someone);
    const waiting = wait(queue, paced, "a 1", entered);

    // Timers cannot fire while the thread is held.
    for (const endMs = performance.now() + 40; performance.now() < endMs;);

    expect(queue.tryEnter(paced, someone)).toBeUndefined();
    await waiting.place;
    expect(entered).toEqual(["a 1"]);
  });

  test("counts no run that never began", () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 60_000 });

    queue.tryEnter(paced, someone)?.cancel();

    expect(queue.tryEnter(paced, someone)).toBeDefined();
    expect(queue.tryEnter(paced, someone)).toBeUndefined();
  });

  test("is not waited for by a run that is at its provider already", () => {
    const queue = createRunQueue();
    const paced = lane(1, { requests: 1, perMs: 60_000 });
    queue.tryEnter(paced, someone);

    expect(queue.takeAnyway(paced, someone)).toBeDefined();
  });

  test("keeps no timer when nobody waits any more", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 60_000 });
    queue.tryEnter(paced, someone);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();

    const waiting = wait(queue, paced, "a 1", []);
    expect(timers()).toBe(before + 1);
    waiting.giveUp();
    await waiting.place;

    expect(timers()).toBe(before);
  });
});
