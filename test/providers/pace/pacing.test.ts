import { describe, expect, test } from "vitest";
import { createPacer } from "../../../daemon/providers/pace/pacing.ts";

const anyTime = new AbortController().signal;

describe("pacing", () => {
  test("lets no more than the given number begin within the window", async () => {
    const pacer = createPacer({ requests: 3, perMs: 150 });
    const begun: number[] = [];
    const startedAt = performance.now();

    await Promise.all(
      Array.from({ length: 7 }, async () => {
        const leave = await pacer.enter(anyTime);
        begun.push(performance.now() - startedAt);
        leave();
      }),
    );

    // From before the first: whoever is let in may notice it late, but never early.
    const atTheEarliest = [0, 0, 0, 145, 145, 145, 290];
    expect(begun.map((at, index) => at >= (atTheEarliest[index] ?? Infinity))).toEqual(atTheEarliest.map(() => true));
  });

  test("keeps to the concurrency, first come first served", async () => {
    const pacer = createPacer({ requests: 1_000, perMs: 1, concurrency: 2 });
    const order: number[] = [];
    let running = 0;
    let most = 0;

    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const leave = await pacer.enter(anyTime);
        order.push(index);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        leave();
      }),
    );

    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("lets go of a place in the line when its signal aborts", async () => {
    const pacer = createPacer({ requests: 1_000, perMs: 1, concurrency: 1 });
    const leave = await pacer.enter(anyTime);
    const impatient = new AbortController();
    const waiting = pacer.enter(impatient.signal);

    impatient.abort(new Error("deadline"));

    await expect(waiting).rejects.toThrow("deadline");
    leave();
    await expect(pacer.enter(anyTime)).resolves.toBeTypeOf("function");
  });

  test("is busy while somebody runs or waits, a start still counts or the provider holds it, and not after", async () => {
    const starts = createPacer({ requests: 1, perMs: 100 });
    const places = createPacer({ requests: undefined, perMs: undefined, concurrency: 1 });
    const held = createPacer({ requests: undefined, perMs: undefined, concurrency: 1 });
    expect([starts, places, held].map((pacer) => pacer.isBusy())).toEqual([false, false, false]);

    (await starts.enter(anyTime))();
    const leave = await places.enter(anyTime);
    held.hold(100);
    expect([starts, places, held].map((pacer) => pacer.isBusy())).toEqual([true, true, true]);

    const next = places.enter(anyTime);
    leave();
    expect(places.isBusy()).toBe(true);
    (await next)();
    expect(places.isBusy()).toBe(false);
    await expect.poll(() => [starts.isBusy(), held.isBusy()], { timeout: 15_000 }).toEqual([false, false]);
  });
});
