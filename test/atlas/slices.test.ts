import { expect, test } from "vitest";
import { Slices, type SlicedWork } from "../../daemon/atlas/basics/slices.ts";

const SLICE_MS = 5;

/** Work of so many steps, each of which fills a whole slice. */
function* longWork(steps: number, done: string[], name: string): SlicedWork<string> {
  for (let step = 0; step < steps; step += 1) {
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs);
    done.push(name);
    yield (100 * step) / steps;
  }
  return name;
}

function* broken(): SlicedWork<never> {
  yield 0;
  throw new Error("broken");
}

test("works take turns", async () => {
  const slices = new Slices();
  const done: string[] = [];

  await Promise.all([slices.run(longWork(3, done, "a")), slices.run(longWork(3, done, "b"))]);

  expect(done).toEqual(["a", "b", "a", "b", "a", "b"]);
});

test("timers run between the slices of a long work", async () => {
  const slices = new Slices();
  const done: string[] = [];
  setTimeout(() => done.push("timer"), 1);

  await slices.run(longWork(10, done, "work"));

  expect(done.indexOf("timer")).toBeGreaterThan(-1);
  expect(done.indexOf("timer")).toBeLessThan(done.length - 1);
});

test("progress is told on the way", async () => {
  const slices = new Slices();
  const told: number[] = [];

  await slices.run(longWork(4, [], "work"), { onProgress: (percent) => told.push(percent) });

  expect(told).toEqual([0, 25, 50, 75]);
});

test("an aborted work ends with the reason, and others go on", async () => {
  const slices = new Slices();
  const stopping = new AbortController();
  const stopped = slices.run(longWork(1000, [], "stopped"), { signal: stopping.signal });
  const other = slices.run(longWork(3, [], "other"));

  stopping.abort(new Error("enough"));

  await expect(stopped).rejects.toThrow("enough");
  expect(await other).toBe("other");
});

test("a work that throws rejects, and others go on", async () => {
  const slices = new Slices();
  const rejected = slices.run(broken());
  const other = slices.run(longWork(2, [], "other"));

  await expect(rejected).rejects.toThrow("broken");
  expect(await other).toBe("other");
});

test("closing rejects what is unfinished and whatever comes later", async () => {
  const slices = new Slices();
  const unfinished = slices.run(longWork(1000, [], "unfinished"));

  slices.close();

  await expect(unfinished).rejects.toThrow("closing");
  await expect(slices.run(longWork(1, [], "late"))).rejects.toThrow("closing");
});
