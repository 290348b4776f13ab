import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptWhileUsed } from "../../../daemon/providers/transport/kept-while-used.ts";

const steps = fc.array(
  fc.record({
    name: fc.integer({ min: 0, max: 30 }),
    afterMs: fc.integer({ min: 0, max: 200_000 }),
    busy: fc.boolean(),
  }),
  { maxLength: 200 },
);

test("what is busy, or was asked for within a minute, is never dropped; the rest is bounded", () => {
  fc.assert(
    fc.property(steps, (uses) => {
      let nowMs = 0;
      const usedAt = new Map<number, number>();
      const busy = new Set<number>();
      const wrong: number[] = [];
      const kept = new KeptWhileUsed<number>({
        most: 5,
        nowMs: () => nowMs,
        isBusy: (name) => busy.has(name),
        drop(name) {
          if (busy.has(name) || nowMs - (usedAt.get(name) ?? 0) < 60_000) wrong.push(name);
        },
      });
      for (const { name, afterMs, busy: isBusy } of uses) {
        nowMs += afterMs;
        usedAt.set(name, nowMs);
        if (isBusy) busy.add(name);
        else busy.delete(name);
        kept.get(String(name), () => name);
        const rested = kept.values().filter((one) => !busy.has(one) && nowMs - (usedAt.get(one) ?? 0) >= 60_000);
        if (kept.size > 5 && rested.length > 0) wrong.push(name);
        if (rested.some((one) => nowMs - (usedAt.get(one) ?? 0) >= 600_000)) wrong.push(name);
      }
      expect(wrong).toEqual([]);
    }),
  );
});
