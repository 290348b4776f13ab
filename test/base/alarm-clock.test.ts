import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AlarmClock } from "../../daemon/base/alarm-clock.ts";

describe("an alarm clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("rings every alarm that was not cancelled, in the order of their times, and never early by more than a millisecond", () => {
    const alarms = fc.array(fc.record({ delayMs: fc.integer({ min: 0, max: 10_000 }), isCancelled: fc.boolean() }));
    fc.assert(
      fc.property(alarms, (wanted) => {
        const clock = new AlarmClock();
        const begunAt = performance.now();
        const rung: { index: number; dueMs: number }[] = [];
        const set = wanted.map(({ delayMs }, index) =>
          clock.set(delayMs, () => {
            expect(performance.now() - begunAt).toBeGreaterThanOrEqual(delayMs - 1);
            rung.push({ index, dueMs: Math.max(2, delayMs) });
          }),
        );
        wanted.forEach(({ isCancelled }, index) => isCancelled && set[index]?.cancel());

        vi.advanceTimersByTime(20_000);

        const kept = wanted.flatMap(({ isCancelled }, index) => (isCancelled ? [] : [index]));
        expect(rung.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(kept);
        expect(rung.map(({ dueMs }) => dueMs)).toEqual(rung.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b));
      }),
    );
  });

  test("has one timer, however many alarms are set, and none when all have rung or were cancelled", () => {
    const clock = new AlarmClock();
    const all = Array.from({ length: 1_000 }, (_, index) => clock.set(1_000 - index, () => {}));
    expect(vi.getTimerCount()).toBe(1);

    for (const alarm of all.slice(0, 500)) alarm.cancel();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2_000);

    expect(vi.getTimerCount()).toBe(0);
  });

  test("lets an alarm that rings set the next one, or cancel another that is due at the same time", () => {
    const clock = new AlarmClock();
    const heard: string[] = [];
    clock.set(10, () => {
      heard.push("first");
      second.cancel();
      clock.set(0, () => heard.push("third"));
    });
    const second = clock.set(10, () => heard.push("second"));

    vi.advanceTimersByTime(100);

    expect(heard).toEqual(["first", "third"]);
  });

  test("waits longer than a timer of Node can", () => {
    const clock = new AlarmClock();
    let rung = 0;
    clock.set(40 * 86_400_000, () => (rung += 1));

    vi.advanceTimersByTime(39 * 86_400_000);
    expect(rung).toBe(0);
    vi.advanceTimersByTime(2 * 86_400_000);

    expect(rung).toBe(1);
  });

  test("rings the others when one of them throws, and lets the error be seen", () => {
    const clock = new AlarmClock();
    const heard: string[] = [];
    clock.set(10, () => heard.push("before"));
    clock.set(11, () => {
      throw new Error("a fault of ours");
    });
    clock.set(11, () => heard.push("at the same time"));
    clock.set(500, () => heard.push("later"));

    expect(() => vi.advanceTimersByTime(100)).toThrow("a fault of ours");
    vi.advanceTimersByTime(1_000);

    expect(heard).toEqual(["before", "at the same time", "later"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([[NaN], [-1], [-Infinity]])("takes a delay of %s for none, and the others ring in time", (delayMs) => {
    const clock = new AlarmClock();
    const heard: string[] = [];
    clock.set(50, () => heard.push("in time"));
    clock.set(delayMs, () => heard.push("at once"));

    vi.advanceTimersByTime(60);

    expect(heard).toEqual(["at once", "in time"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
