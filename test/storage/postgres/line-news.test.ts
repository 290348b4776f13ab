import { expect, test } from "vitest";
import { StorageAway } from "../../../daemon/ledger/commit-errors.ts";
import { LineNews } from "../../../daemon/storage/postgres/line-news.ts";

const SOON = { timeout: 15_000 };

test("lines that could not be told of, while the database was away, are told of when it is back", async () => {
  const told: unknown[] = [];
  let misses = 1;
  const queryNamed = async (_name: string, _text: string, values: readonly unknown[]) => {
    if (misses-- > 0) throw new StorageAway("away");
    told.push(values.at(-1));
    return [];
  };
  const replica = { seen: { n: 5, month: 202_611, batch: "b" }, expected: 5 };
  await using news = new LineNews({
    channel: "mkt_lines_x",
    database: { queryNamed },
    replica,
    look: async () => undefined,
  });

  news.wrote(5, { isTold: false });

  await expect.poll(() => told, SOON).toEqual(["5"]);
  expect(misses).toBe(-1);
});

test("a word of an earlier version is looked for, and does not count as this market's, which it may not be of", async () => {
  const told: unknown[] = [];
  let looks = 0;
  const queryNamed = async (_name: string, _text: string, values: readonly unknown[]) => {
    told.push(values);
    return [];
  };
  const look = async () => void (looks += 1);
  const replica = { seen: { n: 5, month: 202_611, batch: "b" }, expected: 5 };
  await using news = new LineNews({ channel: "mkt_lines_x", database: { queryNamed }, replica, look });

  news.hearEarlier("900");

  expect(news.isDue()).toBe(true);
  await expect.poll(() => looks, SOON).toBe(1);
  news.wrote(5, { isTold: false });
  await expect.poll(() => told, SOON).toEqual([["mkt_lines_x", "5"]]);
});

test("lines that a word of another daemon covers are not told of, once this daemon has read so far", async () => {
  const told: unknown[] = [];
  const queryNamed = async (_name: string, _text: string, values: readonly unknown[]) => {
    told.push(values.at(-1));
    return [];
  };
  const replica = { seen: { n: 5, month: 202_611, batch: "b" }, expected: 5 };
  const look = async () => undefined;
  await using news = new LineNews({ channel: "mkt_lines_x", database: { queryNamed }, replica, look });

  news.wrote(5, { isTold: false });
  news.hear("7");
  replica.expected = 7;
  replica.seen.n = 9;
  news.wrote(9, { isTold: false });

  await expect.poll(() => told, SOON).toEqual(["9"]);
});

test("lines that a word of another daemon covers are told of by this one when it did not read so far", async () => {
  const told: unknown[] = [];
  const queryNamed = async (_name: string, _text: string, values: readonly unknown[]) => {
    told.push(values.at(-1));
    return [];
  };
  const replica = { seen: { n: 5, month: 202_611, batch: "b" }, expected: 5 };
  const look = async () => undefined;
  await using news = new LineNews({ channel: "mkt_lines_x", database: { queryNamed }, replica, look });

  news.wrote(5, { isTold: false });
  news.hear("7");

  await expect.poll(() => told, SOON).toEqual(["5"]);
});
