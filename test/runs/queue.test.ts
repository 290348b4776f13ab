import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProviderLane } from "../../daemon/runs/provider-lane.ts";
import { createRunQueue, type Place, type RunQueue } from "../../daemon/runs/run-queue.ts";

const lane = (concurrency: number, pace?: ProviderLane["pace"]): ProviderLane => ({
  provider: "p",
  concurrency,
  ...(pace !== undefined && { pace }),
});
const anyTime = new AbortController().signal;
/** Long enough for every promise that can be settled to be settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Someone who waits; `entered` gets the name when there is a place. */
function wait(queue: RunQueue, at: ProviderLane, name: string, entered: string[]) {
  const patience = new AbortController();
  const workspaceId = name.split(" ")[0] ?? "";
  const place = queue.enter(at, workspaceId, patience.signal).then(
    (given) => (entered.push(name), given),
    () => undefined,
  );
  return { place, giveUp: () => patience.abort(new Error("enough")) };
}

describe("places at a provider", () => {
  it("are given within one workspace in the order of asking", async () => {
    const queue = createRunQueue();
    const entered: string[] = [];
    const first = queue.tryEnter(lane(1));
    const waiting = ["a 1", "a 2", "a 3"].map((name) => wait(queue, lane(1), name, entered));

    first?.release();
    for (const { place } of waiting) (await place)?.release();

    expect(entered).toEqual(["a 1", "a 2", "a 3"]);
  });

  it("are given to the workspaces in turn: a thousand runs of one delay another by one run at most", async () => {
    const queue = createRunQueue();
    const entered: string[] = [];
    let place: Place | undefined = queue.tryEnter(lane(1));
    const crowd = Array.from({ length: 1_000 }, (_, n) => wait(queue, lane(1), `crowd ${n}`, entered));
    const alone = wait(queue, lane(1), "alone 1", entered);

    for (let given = 0; given < 2; given += 1) {
      place?.release();
      place = await Promise.race([...crowd.slice(given), alone].map((one) => one.place));
    }

    expect(entered).toEqual(["crowd 0", "alone 1"]);
  });

  it("are given to as many as fit, not to one at a time", async () => {
    const queue = createRunQueue();
    const inside = Array.from({ length: 20 }, () => queue.tryEnter(lane(20)));
    const entered: string[] = [];
    for (let n = 0; n < 30; n += 1) wait(queue, lane(20), `w ${n}`, entered);

    for (const place of inside) place?.release();
    await settled();

    expect(entered).toHaveLength(20);
  });

  it("are not given past those who wait", async () => {
    const queue = createRunQueue();
    const first = queue.tryEnter(lane(1));
    const entered: string[] = [];
    const waiting = wait(queue, lane(1), "a 1", entered);

    first?.release();

    expect(queue.tryEnter(lane(1))).toBeUndefined();
    expect(await waiting.place).toBeDefined();
  });

  it("go to those behind when the head of the line gives up", async () => {
    const queue = createRunQueue();
    const first = queue.tryEnter(lane(1));
    const entered: string[] = [];
    const head = wait(queue, lane(1), "a 1", entered);
    const behind = wait(queue, lane(1), "b 1", entered);

    head.giveUp();
    first?.release();
    await behind.place;

    expect(entered).toEqual(["b 1"]);
  });

  it("are apart for an endpoint with limits of its own", () => {
    const queue = createRunQueue();

    queue.tryEnter(lane(1));

    expect(queue.tryEnter(lane(2))).toBeDefined();
    expect(queue.tryEnter(lane(1))).toBeUndefined();
  });

  it("given back twice are given back once", () => {
    const queue = createRunQueue();
    const first = queue.tryEnter(lane(1));

    first?.release();
    first?.release();

    expect(queue.tryEnter(lane(1))).toBeDefined();
    expect(queue.tryEnter(lane(1))).toBeUndefined();
  });

  it("are never more than the limit, and nobody is overtaken twice by one workspace, whatever happens", async () => {
    const workspace = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const), workspace }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("give up" as const), which: fc.nat() }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(step, { maxLength: 60 }),
        async (concurrency, steps) => {
          const queue = createRunQueue();
          const inside: Place[] = [];
          const faults: string[] = [];
          /** Those who wait, each with how many of its workspace were ahead, and how many of others were let in since. */
          let waiting: { workspace: string; ahead: number; overtakenBy: Map<string, number>; giveUp: () => void }[] =
            [];

          for (const now of steps) {
            if (now.do === "ask") {
              const patience = new AbortController();
              const one = {
                workspace: now.workspace,
                ahead: waiting.filter(({ workspace: other }) => other === now.workspace).length,
                overtakenBy: new Map<string, number>(),
                giveUp: () => patience.abort(new Error("enough")),
              };
              waiting.push(one);
              queue.enter(lane(concurrency), now.workspace, patience.signal).then(
                (place) => {
                  inside.push(place);
                  const before = waiting.find(({ workspace: other }) => other === one.workspace);
                  if (before !== one) faults.push("one of the same workspace was overtaken");
                  waiting = waiting.filter((other) => other !== one);
                  for (const { workspace: other, overtakenBy } of waiting) {
                    if (other !== one.workspace)
                      overtakenBy.set(one.workspace, (overtakenBy.get(one.workspace) ?? 0) + 1);
                  }
                  const unfair = [...one.overtakenBy.values()].filter((times) => times > one.ahead + 1);
                  if (unfair.length > 0) faults.push(`${unfair.join()} of another, ${one.ahead} ahead`);
                },
                () => {
                  waiting = waiting.filter((other) => other !== one);
                },
              );
            } else if (now.do === "end") {
              const [place] = inside.splice(now.which % Math.max(1, inside.length), 1);
              place?.release();
            } else {
              waiting[now.which % Math.max(1, waiting.length)]?.giveUp();
            }
            await settled();
            expect(faults).toEqual([]);
            expect(inside.length).toBeLessThanOrEqual(concurrency);
            expect(inside.length === concurrency || waiting.length === 0).toBe(true);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the pace of a provider", () => {
  it("lets no more runs begin in a window than it allows", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 3, perMs: 120 });
    const begun: number[] = [];

    // From before the first begins: how late a beginning is noticed cannot make a window look shorter.
    const startMs = performance.now();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const place = await queue.enter(paced, "w", anyTime);
        begun.push(performance.now() - startMs);
        place.release();
      }),
    );

    for (const [index, atMs] of begun.entries()) expect(atMs).toBeGreaterThanOrEqual(Math.floor(index / 3) * 120 - 1);
  });

  it("takes the workspaces in turn as well", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 20 });
    const entered: string[] = [];
    queue.tryEnter(paced);
    const all = ["a 1", "a 2", "a 3", "b 1"].map((name) => wait(queue, paced, name, entered));

    await Promise.all(all.map(({ place }) => place));

    expect(entered).toEqual(["a 1", "b 1", "a 2", "a 3"]);
  });

  it("counts no run that never began", () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 60_000 });

    queue.tryEnter(paced)?.cancel();

    expect(queue.tryEnter(paced)).toBeDefined();
    expect(queue.tryEnter(paced)).toBeUndefined();
  });

  it("is not waited for by a run that is at its provider already", () => {
    const queue = createRunQueue();
    const paced = lane(1, { requests: 1, perMs: 60_000 });
    queue.tryEnter(paced);

    expect(queue.takeAnyway(paced)).toBeDefined();
  });

  it("keeps no timer when nobody waits any more", async () => {
    const queue = createRunQueue();
    const paced = lane(64, { requests: 1, perMs: 60_000 });
    queue.tryEnter(paced);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();

    const waiting = wait(queue, paced, "a 1", []);
    expect(timers()).toBe(before + 1);
    waiting.giveUp();
    await waiting.place;

    expect(timers()).toBe(before);
  });
});
