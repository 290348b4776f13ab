import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, type Outcome, runHistory } from "./run-history.ts";

interface Ended {
  readonly at: number;
  readonly isError: boolean;
}

/** docs/contract.md, "Health", over all that ever happened; the seven days begin at a full hour. */
function byTheWords(all: readonly Ended[], now: number): string {
  const hour = (at: number) => Math.floor(at / HOUR);
  const fresh = all.filter(({ at }) => at > now - 15 * MINUTE);
  const long = all.filter(({ at }) => hour(at) > hour(now) - 7 * 24);
  const errors = long.filter(({ isError }) => isError).length;
  const lastFive = all.slice(-5);
  if (lastFive.length === 5 && lastFive.every((run) => run.isError && fresh.includes(run))) return "outage";
  if (long.length >= 20 && errors / long.length > 0.1) return "degraded";
  if (fresh.length >= 3 && fresh.every(({ isError }) => !isError)) return "healthy";
  if (long.length === 0) return "unknown";
  return errors <= long.length - errors ? "stable" : "degraded";
}

/** Within a millisecond nobody knows what came first. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 4 * MINUTE }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 * MINUTE }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 * DAY }) },
);
const outcome = fc.constantFrom<Outcome>("good", "good", "good", "error", "timedOut", "impatient");
/** Stretches of the same outcome, as outages are. */
const stretch = fc.record({ gap, outcome, times: fc.integer({ min: 1, max: 12 }) });

test("what is kept says at every moment what the whole history would say of a single workspace", () => {
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 40 }), gap, (stretches, last) => {
      const history = runHistory();
      const all: Ended[] = [];
      for (const { gap: wait, outcome: how, times } of stretches) {
        for (let i = 0; i < times; i += 1) {
          history.pass(wait);
          history.run("w1", how);
          all.push({ at: history.clock.nowMs, isError: how !== "good" });
          expect(history.status("w1")).toBe(byTheWords(all, history.clock.nowMs));
        }
      }
      history.pass(last);
      expect(history.status("w1")).toBe(byTheWords(all, history.clock.nowMs));
    }),
    { numRuns: 100 },
  );
});
