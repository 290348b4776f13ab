import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createLoadGuard } from "../../daemon/http/limits/load-guard.ts";
import { watchLoop } from "../../daemon/http/limits/loop-lateness.ts";
import { createSearchLine, type SearchLine, type Searcher } from "../../daemon/http/limits/search-line.ts";
import { operations } from "../../shared/contract/index.ts";

const anyTime = () => new AbortController().signal;
const { publicDiscoverEndpoints, discover, whoami, startRun, stopRun, getHealth } = operations;

function hold(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs;);
}

/** A search that notes its name. */
async function search(line: SearchLine, searcher: Searcher, done: string[], name: string): Promise<void> {
  await line.inTurn(searcher, anyTime(), async () => {
    hold(2);
    done.push(name);
  });
}

describe("searches", () => {
  test("of callers come before those of the public, and everything else between any two", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    const done: string[] = [];
    const all = [
      ...["p1", "p2", "p3"].map(async (name) => await search(line, "public", done, name)),
      ...["c1", "c2"].map(async (name) => await search(line, "caller", done, name)),
    ];
    const turns: number[] = [];
    const others = (async () => {
      while (done.length < 5) {
        await new Promise((resolve) => setImmediate(resolve));
        turns.push(done.length);
      }
    })();

    await Promise.all([...all, others]);

    // The first was begun before there were others.
    expect(done).toEqual(["p1", "c1", "c2", "p2", "p3"]);
    expect(turns.every((count, place) => place === 0 || count - (turns[place - 1] ?? 0) <= 1)).toBe(true);
  });

  test("leave half of the thread to callers who are at work", async () => {
    const line = createSearchLine({ othersAtWork: () => true });
    const done: string[] = [];
    const startMs = performance.now();

    await Promise.all(["c1", "c2", "c3", "c4"].map(async (name) => await search(line, "caller", done, name)));

    // Three pauses of at least what a search held the thread.
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(4 * 2 + 3 * 2 - 1);
  });

  test("are let in after a very slow one, as long as few wait", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    await line.inTurn("public", anyTime(), async () => hold(900));
    await new Promise((resolve) => setTimeout(resolve, 10));
    const few = Array.from({ length: 8 }, async () => await line.inTurn("public", anyTime(), async () => "found"));

    expect(await Promise.all(few)).toEqual(Array.from({ length: 8 }, () => "found"));
  });

  test("that are given up are left out, and hold up nobody", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    const done: string[] = [];
    const patience = new AbortController();
    const first = search(line, "public", done, "first");
    const givenUp = line.inTurn("public", patience.signal, async () => void done.push("given up"));
    const last = search(line, "public", done, "last");

    patience.abort(new Error("enough"));

    await expect(givenUp).rejects.toThrow("enough");
    await Promise.all([first, last]);
    expect(done).toEqual(["first", "last"]);
  });

  test("are refused when too many wait: those of the public while callers are still let in", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    const enough = new AbortController();
    const underWay = Array.from({ length: 16 }, () => {
      let begin = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const done = line.inTurn("public", anyTime(), async () => {
        begin();
        await new Promise<void>((resolve) => enough.signal.addEventListener("abort", () => resolve()));
      });
      return { begun, done };
    });
    await Promise.all(underWay.map(({ begun }) => begun));
    const patiences = Array.from({ length: 100 }, () => new AbortController());
    const waiting = patiences.map(async ({ signal }) => {
      await line.inTurn("public", signal, async () => {}).catch(() => {});
    });

    expect(() => line.check("public")).toThrow("Too many searches are under way. Retry after 2s.");
    expect(() => line.check("caller")).not.toThrow();
    for (const patience of patiences) patience.abort();
    await Promise.all(waiting);
    expect(() => line.check("public")).not.toThrow();
    enough.abort();
    await Promise.all(underWay.map(({ done }) => done));
  });

  test("of several steps leave the thread between any two, and come before those that have not begun", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    const done: string[] = [];
    const inSteps = async (searcher: Searcher, name: string) =>
      await line.inTurn(searcher, anyTime(), async (pause) => {
        for (const step of [1, 2, 3]) {
          if (step > 1) await pause();
          hold(2);
          done.push(`${name}${step}`);
        }
      });
    const all = [inSteps("public", "p"), inSteps("public", "q"), search(line, "caller", done, "c")];
    const turns: number[] = [];
    while (done.length < 7) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(done.length);
    }

    await Promise.all(all);

    expect(done).toEqual(["p1", "c", "p2", "p3", "q1", "q2", "q3"]);
    expect(turns.every((count, place) => place === 0 || count - (turns[place - 1] ?? 0) <= 1)).toBe(true);
  });

  test("whose client hangs up do no further step, and hold up nobody", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    const client = new AbortController();
    const done: string[] = [];
    const hungUp = line.inTurn("public", client.signal, async (pause) => {
      done.push("first step");
      const paused = pause();
      client.abort(new Error("the client hung up"));
      await paused;
      done.push("second step");
    });
    const other = search(line, "public", done, "other");

    await expect(hungUp).rejects.toThrow("the client hung up");
    await other;
    expect(done).toEqual(["first step", "other"]);
  });

  test("go on after one that failed", async () => {
    const line = createSearchLine({ othersAtWork: () => false });
    const failed = line.inTurn("caller", anyTime(), async () => {
      throw new Error("it failed");
    });

    await expect(failed).rejects.toThrow("it failed");
    await expect(line.inTurn("caller", anyTime(), async () => "found")).resolves.toBe("found");
  });
});

describe("a daemon with too much to do", () => {
  test.each([
    [90, []],
    [120, ["publicDiscoverEndpoints"]],
    [180, ["publicDiscoverEndpoints", "discover"]],
    [250, ["publicDiscoverEndpoints", "discover", "whoami"]],
    [500, ["publicDiscoverEndpoints", "discover", "whoami", "startRun"]],
  ])("whose loop stays %i ms late refuses %j, and neither health nor a stop", async (lateMs, refused) => {
    const guard = createLoadGuard({ standingMs: () => lateMs });
    for (let n = 0; n < 8; n += 1)
      void guard.atWork(startRun, { signal: anyTime() }, async () => await new Promise(() => {}));
    const asked = [publicDiscoverEndpoints, discover, whoami, startRun, stopRun, getHealth];

    const told = [];
    for (const operation of asked) {
      try {
        await guard.enter(operation);
      } catch (error) {
        expect(error).toMatchObject({ status: 503, headers: { "retry-after": expect.stringMatching(/^[1-9]$/) } });
        told.push(operation);
      }
    }

    expect(told.map(({ operationId }) => operationId)).toEqual(refused);
  });

  test("sends the first hundred refusals of a second at once, and holds the others", async () => {
    const guard = createLoadGuard({ standingMs: () => 0 });
    const beganMs = performance.now();
    const held = Array.from({ length: 150 }, async () => {
      await guard.holdRefusal();
      return performance.now() - beganMs;
    });

    const tookMs = await Promise.all(held);

    expect(tookMs.filter((ms) => ms < 990)).toHaveLength(100);
  });

  test("is none while fewer than eight requests are under way, however slow the machine is", async () => {
    const guard = createLoadGuard({ standingMs: () => 10_000 });
    for (let n = 0; n < 7; n += 1)
      void guard.atWork(startRun, { signal: anyTime() }, async () => await new Promise(() => {}));

    await guard.enter(publicDiscoverEndpoints);
    void guard.atWork(whoami, { signal: anyTime() }, async () => await new Promise(() => {}));
    await expect(guard.enter(publicDiscoverEndpoints)).rejects.toThrow("overloaded");
  });

  test("is one whose loop is late again and again, and not one that was late once", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let nowMs = 0;
    const loop = watchLoop(() => nowMs);
    const standingAfter = (ticks: number, lateMs: number): number => {
      for (let n = 0; n < ticks; n += 1) {
        nowMs += 20 + lateMs;
        vi.advanceTimersByTime(20);
      }
      return loop.standingMs();
    };
    loop.standingMs();

    expect(standingAfter(25, 0)).toBe(0);
    expect(standingAfter(1, 60)).toBe(0);
    expect(standingAfter(24, 0)).toBe(0);
    expect(standingAfter(9, 60)).toBe(0);
    expect(standingAfter(1, 45)).toBe(45);
  });
});
