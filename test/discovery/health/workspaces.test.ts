import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOUR, MINUTE, type Outcome, runHistory } from "./run-history.ts";

describe("a workspace that wants a rival's endpoint to sink", () => {
  test("does not by one failed run", () => {
    const history = runHistory();
    history.run("user", "good", 3);

    history.run("rival", "error");

    expect(history.status("user")).toBe("healthy");
    expect(history.status("newcomer")).not.toBe("outage");
  });

  test("does not by a thousand of them, for those who use it nor for those who never did", () => {
    const history = runHistory();
    history.run("user", "good", 30);
    history.pass(HOUR);

    history.run("rival", "error", 1_000);

    expect(history.status("user")).toBe("stable");
    expect(history.status("newcomer")).toBe("stable");
    expect(history.status()).toBe("stable");
  });

  test("does not where nobody else has run the endpoint yet", () => {
    const history = runHistory();

    history.run("rival", "error", 1_000);

    expect(history.status("newcomer")).toBe("unknown");
    expect(history.status()).toBe("unknown");
  });

  test("does not by waiting until one honest run failed", () => {
    const history = runHistory();
    history.run("user", "good", 30);
    history.run("user", "error");

    history.run("rival", "error", 4);

    expect(history.status("user")).toBe("stable");
    expect(history.status("newcomer")).toBe("stable");
  });

  test("does not by drowning the good runs of others in its own bad ones", () => {
    const history = runHistory();

    const seen = Array.from({ length: 20 }, () => {
      history.run("user", "good");
      history.run("rival", "error", 50);
      history.pass(MINUTE);
      return [history.status("newcomer"), history.status("user")];
    });

    expect(new Set(seen.flat())).toEqual(new Set(["stable", "healthy"]));
  });

  test("does not by deadlines that are too short, not even with an accomplice", () => {
    const history = runHistory();
    history.run("user", "good");
    history.pass(20 * MINUTE);

    history.run("rival", "impatient", 100);
    history.run("accomplice", "impatient", 100);

    expect(history.status("newcomer")).toBe("stable");
    expect(history.status("user")).toBe("stable");
  });

  test("sees it sink itself", () => {
    const history = runHistory();
    history.run("user", "good", 30);

    history.run("rival", "impatient", 5);

    expect(history.status("rival")).toBe("outage");
  });

  test("does not by pushing others out of what is remembered", () => {
    const history = runHistory();
    for (let i = 0; i < 32; i += 1) history.run(`user ${i}`, "good", 3);

    for (let i = 0; i < 100; i += 1) history.run("rival", "error", 5);

    expect(history.status("newcomer")).toBe("healthy");
  });

  test("does not even with an accomplice for those who just had a good answer", () => {
    const history = runHistory();
    history.run("user", "good");

    history.run("rival", "error", 100);
    history.run("accomplice", "error", 100);

    expect(history.status("user")).toBe("stable");
  });
});

interface Step {
  readonly who: string;
  readonly outcome: Outcome;
  readonly times: number;
  readonly waitMs: number;
}

const step = fc.record<Step>({
  who: fc.constantFrom("ann", "bob", "cy", "rival", "rival"),
  outcome: fc.constantFrom<Outcome>("good", "error", "timedOut", "impatient"),
  times: fc.integer({ min: 1, max: 8 }),
  waitMs: fc.constantFrom(1, MINUTE, 5 * MINUTE, 3 * HOUR),
});

/** How bad the runs that are heard make it look by the rules alone, as if all were those of one workspace. */
function badness(steps: readonly Step[], isHeard: (step: Step) => boolean): number {
  const history = runHistory();
  for (const given of steps) {
    history.pass(given.waitMs);
    if (isHeard(given)) history.run("all", given.outcome, given.times);
  }
  return BADNESS[history.status("all")] ?? 0;
}

const BADNESS: Readonly<Record<string, number>> = { degraded: 1, outage: 2 };

test("whatever a rival does, nobody sees worse than by its own runs, or those of all but the rival together", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom("ann", "bob", "newcomer"), (steps, viewer) => {
      const history = runHistory();
      for (const { who, outcome, times, waitMs } of steps) {
        history.pass(waitMs);
        history.run(who, outcome, times);
      }

      const own = badness(steps, ({ who }) => who === viewer);
      const honest = badness(steps, (s) => s.who !== "rival" && (s.outcome !== "impatient" || s.who === viewer));
      expect(BADNESS[history.status(viewer)] ?? 0).toBeLessThanOrEqual(Math.max(own, honest));
    }),
    { numRuns: 300 },
  );
});

describe("an endpoint that really fails", () => {
  test("is in outage for whoever met it five times", () => {
    const history = runHistory();

    history.run("ann", "error", 5);

    expect(history.status("ann")).toBe("outage");
    expect(history.status("bob")).toBe("unknown");
  });

  test("is in outage for everybody once two workspaces met it five times each", () => {
    const history = runHistory();
    history.run("ann", "error", 5);
    history.run("bob", "error", 5);

    expect(history.status("newcomer")).toBe("outage");
    expect(history.status()).toBe("outage");
  });

  test("is in outage for everybody after single runs of six workspaces", () => {
    const history = runHistory();

    for (const who of ["a", "b", "c", "d", "e", "f"]) history.run(who, "error");

    expect(history.status("newcomer")).toBe("outage");
  });

  test("is degraded for everybody when it is without any one of the workspaces that ran it", () => {
    const history = runHistory();
    for (const who of ["ann", "bob"]) {
      history.run(who, "error", 5);
      history.run(who, "good", 15);
      history.pass(HOUR);
    }

    expect(history.status("ann")).toBe("degraded");
    expect(history.status("newcomer")).toBe("degraded");
  });

  test("is seen by a crowd in which everybody runs it once", () => {
    const history = runHistory();
    for (let i = 0; i < 30; i += 1) {
      history.run(`user ${i}`, i % 3 === 0 ? "error" : "good");
      history.pass(20 * MINUTE);
    }

    expect(history.status("newcomer")).toBe("degraded");
  });

  test("is out no more for everybody with one good run, but for those whose own last runs all failed", () => {
    const history = runHistory();
    history.run("ann", "error", 5);
    history.run("bob", "error", 5);

    history.run("cy", "good");

    expect(history.status("newcomer")).toBe("degraded");
    expect(history.status("cy")).toBe("stable");
    expect(history.status("ann")).toBe("outage");
  });
});

describe("callers without a credential", () => {
  test("see an endpoint as the operator's own workspace does", () => {
    const history = runHistory();

    history.run("operator", "error", 5);

    expect(history.status()).toBe("outage");
    expect(history.status("newcomer")).toBe("unknown");
  });
});
