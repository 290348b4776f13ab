import { expect, test } from "vitest";
import { StorageAway } from "../../../daemon/ledger/transaction/commit-errors.ts";
import { LineNews } from "../../../daemon/storage/postgres/line-news.ts";

const SOON = { timeout: 15_000 };

/** A daemon that has read line 5, what it told by channel and line, and how often it looked. `misses`: so many words fail first. */
function listen({ misses = 0 } = {}) {
  const told: unknown[] = [];
  const counts = { looks: 0, misses };
  const queryNamed = async (_name: string, _text: string, values: readonly unknown[]) => {
    if (counts.misses > 0) {
      counts.misses -= 1;
      throw new StorageAway("away");
    }
    told.push(values);
    return [];
  };
  const look = async () => void (counts.looks += 1);
  const replica = { seen: { n: 5, month: 202_611, batch: "b" }, expected: 5 };
  const news = new LineNews({ channel: "mkt_lines_x", database: { queryNamed }, replica, look });
  return { news, replica, told, counts, [Symbol.asyncDispose]: async () => await news[Symbol.asyncDispose]() };
}

test("lines that could not be told of, while the database was away, are told of when it is back", async () => {
  await using daemon = listen({ misses: 1 });

  daemon.news.wrote(5, { isTold: false });

  await expect.poll(() => daemon.told, SOON).toEqual([["mkt_lines_x", "5"]]);
  expect(daemon.counts.misses).toBe(0);
});

test("a word of an earlier version is looked for, and does not count as this market's, which it may not be of", async () => {
  await using daemon = listen();

  daemon.news.hearEarlier("900");

  expect(daemon.news.isDue()).toBe(true);
  await expect.poll(() => daemon.counts.looks, SOON).toBe(1);
  daemon.news.wrote(5, { isTold: false });
  await expect.poll(() => daemon.told, SOON).toEqual([["mkt_lines_x", "5"]]);
});

test("lines that a word of another daemon covers are not told of, once this daemon has read so far", async () => {
  await using daemon = listen();

  daemon.news.wrote(5, { isTold: false });
  daemon.news.hear("7");
  daemon.replica.expected = 7;
  daemon.replica.seen.n = 9;
  daemon.news.wrote(9, { isTold: false });

  await expect.poll(() => daemon.told, SOON).toEqual([["mkt_lines_x", "9"]]);
});

test("lines that a word of another daemon covers are told of by this one when it did not read so far", async () => {
  await using daemon = listen();

  daemon.news.wrote(5, { isTold: false });
  daemon.news.hear("7");

  await expect.poll(() => daemon.told, SOON).toEqual([["mkt_lines_x", "5"]]);
});
