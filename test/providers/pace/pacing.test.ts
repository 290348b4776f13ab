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
});
