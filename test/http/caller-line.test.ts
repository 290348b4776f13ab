import { describe, expect, test } from "vitest";
import { type CallerLine, type CallerWork, createCallerLine } from "../../daemon/http/limits/caller-line.ts";

const turnOfLoop = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/** A line with a clock of its own. */
function openLine() {
  const clock = { nowMs: 0 };
  return { clock, line: createCallerLine(() => clock.nowMs) };
}

function many(line: CallerLine, work: CallerWork, count: number): readonly Promise<void>[] {
  return Array.from({ length: count }, async () => await line.turn(work));
}

async function comesTo(line: CallerLine, work: CallerWork): Promise<unknown> {
  const answer = line.turn(work).then(
    () => "began",
    (error: unknown) => error,
  );
  return await Promise.race([answer, Promise.resolve().then(async () => await Promise.resolve("waits"))]);
}

/** Lets so many begin, each so many milliseconds after the one before. */
async function pass(clock: { nowMs: number }, count: number, stepMs: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    clock.nowMs += stepMs;
    await turnOfLoop();
  }
}

describe("requests of callers", () => {
  test("begin at once where none began in this turn of the loop", async () => {
    const { line } = openLine();

    await line.turn("usual");
    await turnOfLoop();

    expect(await Promise.race([line.turn("run").then(() => "at once"), turnOfLoop()])).toBe("at once");
  });

  test("begin one in a turn where turns are not short, runs first, and others after every third of them", async () => {
    const { clock, line } = openLine();
    const done: string[] = [];
    const ask = async (work: CallerWork, name: string) => {
      await line.turn(work);
      done.push(name);
    };
    const runs = ["run 1", "run 2", "run 3", "run 4", "run 5"];
    const all = [
      ask("usual", "began"),
      ask("usual", "read 1"),
      ask("usual", "read 2"),
      ...runs.map(async (name) => await ask("run", name)),
    ];
    const begun: number[] = [];
    while (done.length < all.length) {
      await pass(clock, 1, 20);
      begun.push(done.length);
    }

    expect(done).toEqual(["began", "run 1", "run 2", "run 3", "read 1", "run 4", "run 5", "read 2"]);
    expect(begun.every((count, place) => count - (begun[place - 1] ?? 1) <= 1)).toBe(true);
    await Promise.all(all);
  });

  test("begin together in short turns, up to 32, and ever fewer when turns are long or a connection comes", async () => {
    const { clock, line } = openLine();
    let begun = 0;
    const all = many(line, "run", 200).map(async (turn) => {
      await turn;
      begun += 1;
    });
    const inTurns = async (count: number, stepMs: number) => {
      const counts: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const before = begun;
        await pass(clock, 1, stepMs);
        counts.push(begun - before);
      }
      return counts;
    };
    await all[0];

    expect(await inTurns(6, 5)).toEqual([2, 4, 8, 16, 32, 32]);
    expect(await inTurns(4, 40)).toEqual([16, 8, 4, 2]);
    expect(await inTurns(2, 20)).toEqual([2, 2]);
    expect(await inTurns(2, 5)).toEqual([4, 8]);
    // In the half of the time that is not reserved for connections.
    clock.nowMs = 500;
    line.connectionCame();
    expect(await inTurns(2, 20)).toEqual([1, 1]);
    await inTurns(10, 5);
    await Promise.all(all);
  });

  test("are taken as a burst of 200 where each takes 3 ms", async () => {
    const { clock, line } = openLine();
    const all = [...many(line, "run", 100)];
    await pass(clock, 50, 3);
    all.push(...many(line, "run", 150));

    expect(await comesTo(line, "run")).toBe("waits");
    await Promise.all(all);
  });

  test("are refused with the time to come again when they would wait too long by how fast the line moves", async () => {
    const { clock, line } = openLine();
    const all = [...many(line, "run", 101)];
    await pass(clock, 30, 20);

    expect(await comesTo(line, "run")).toMatchObject({
      status: 503,
      message: "The service is overloaded. Retry after 1s.",
      headers: { "retry-after": "1" },
    });
    await pass(clock, 10, 20);
    // Sixty wait: a burst of so many is never refused.
    expect(await comesTo(line, "run")).toBe("waits");
    clock.nowMs = 1_000;
    expect(await comesTo(line, "run")).toMatchObject({ status: 503 });
    await Promise.all(all);
  });

  test("are let in again when the line has become short, and as a burst when there was none for a while", async () => {
    const { clock, line } = openLine();
    await Promise.all(many(line, "run", 101).map(async (turn, nth) => (nth === 0 ? await pass(clock, 101, 20) : turn)));
    const soon = many(line, "run", 17);
    expect(await comesTo(line, "run")).toMatchObject({ status: 503 });
    await Promise.all(soon);

    await pass(clock, 2, 5_000);
    const later = many(line, "run", 60);
    expect(await comesTo(line, "run")).toBe("waits");
    await Promise.all(later);
  });

  test.each([
    ["run", 256],
    ["usual", 700],
  ] as const)("are refused where so many of a kind wait, however fast it goes: %s, %i", async (work, most) => {
    const { line } = openLine();
    const all = many(line, work, 1 + most);
    const refused = await Promise.all(Array.from({ length: 2 }, async () => await comesTo(line, work)));

    expect(refused.at(-1)).toMatchObject({ status: 503 });
    await Promise.all(all);
  });

  test("leave turns to new connections, and not all of them", async () => {
    const { clock, line } = openLine();
    const begun: number[] = [];
    const all = many(line, "run", 3).map(async (turn) => {
      await turn;
      begun.push(clock.nowMs);
    });
    for (let n = 0; n < 12; n += 1) {
      line.connectionCame();
      await pass(clock, 1, 10);
    }

    expect(begun).toEqual([10, 100, 110]);
    await Promise.all(all);
  });
});
