import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { RowsInFlight } from "../../cli/batch/rows-in-flight.ts";

const SHORT = new Error("too little is left");
const isShort = (error: unknown) => error === SHORT;

/** A wallet from which each row holds four and spends one. */
function rowOf(wallet: { left: number }, done: Promise<unknown>): () => Promise<string> {
  return async () => {
    await setImmediate();
    if (wallet.left < 4) throw SHORT;
    wallet.left -= 4;
    await done;
    wallet.left += 3;
    return "done";
  };
}

test("rows that are refused while others hold the money are done when those have ended", async () => {
  const flight = new RowsInFlight();
  const wallet = { left: 12 };

  const rows = Array.from({ length: 9 }, async () => await flight.run(rowOf(wallet, setImmediate()), isShort));

  expect(await Promise.all(rows)).toEqual(Array(9).fill("done"));
  expect(wallet.left).toBe(3);
});

test("where the money is used up, all that wait are refused, and none waits for ever", async () => {
  const flight = new RowsInFlight();
  const wallet = { left: 6 };

  const rows = Array.from({ length: 9 }, async () => await flight.run(rowOf(wallet, setImmediate()), isShort));
  const ends = await Promise.allSettled(rows);

  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  expect(ends.filter((end) => end.status === "rejected" && end.reason === SHORT)).toHaveLength(6);
});

test("a refusal that is answered only after another row has ended is asked about again", async () => {
  const flight = new RowsInFlight();
  let refuse: (error: unknown) => void = () => {};
  let tries = 0;

  const slow = flight.run(async () => {
    tries += 1;
    if (tries === 1) await new Promise((_, reject) => (refuse = reject));
    return "done";
  }, isShort);
  await flight.run(async () => "quick", isShort);
  refuse(SHORT);

  expect(await slow).toBe("done");
});

test("any other failure ends those that wait too", async () => {
  const flight = new RowsInFlight();
  const broken = new Error("the service is away");
  let fail: (error: unknown) => void = () => {};

  const first = flight.run(async () => await new Promise((_, reject) => (fail = reject)), isShort);
  const waiting = flight.run(async () => await Promise.reject(SHORT), isShort);
  await setImmediate();
  fail(broken);

  await expect(first).rejects.toBe(broken);
  await expect(waiting).rejects.toBe(SHORT);
});
