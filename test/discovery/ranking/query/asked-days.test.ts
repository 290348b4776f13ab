import { expect, test } from "vitest";
import { dayNumber } from "../../../../daemon/catalog/entries/covered-days.ts";
import { readDays } from "../../../../daemon/discovery/ranking/query/asked-days.ts";

const day = (written: string) => dayNumber(Date.parse(written));
const TODAY = day("2026-11-22");
const until = (written: string) => (written === "" ? Number.POSITIVE_INFINITY : day(written));

test.each([
  ["weather in Oslo on 3 March 1999", "1999-03-03", "1999-03-03"],
  ["rain on March 3rd, 1999 in Oslo", "1999-03-03", "1999-03-03"],
  ["rain on 1999-03-03", "1999-03-03", "1999-03-03"],
  ["moon in October 2027", "2027-10-01", "2027-10-31"],
  ["snow at Christmas 1986", "1986-01-01", "1986-12-31"],
  ["July temperatures between 1960 and 2020", "1960-01-01", "2020-12-31"],
  ["papers since 2021", "2021-01-01", ""],
  ["did it rain yesterday", "2026-11-21", "2026-11-21"],
  ["rain tomorrow", "2026-11-23", "2026-11-23"],
  ["how warm is it right now", "2026-11-22", "2026-11-22"],
  ["rain this Saturday", "2026-11-23", "2026-11-29"],
  ["storms last month", "2026-09-21", "2026-11-21"],
])("%s", (q, from, to) => {
  expect(readDays(q, TODAY)).toEqual({ from: day(from), to: until(to) });
});

test.each([
  "weather in Oslo",
  "until when is Ubuntu 20.04 supported",
  "convert 2000 dollars to yen",
  "a room of 2000 people",
  "the model X-2000",
  "may I use this picture",
])("no time is named by: %s", (q) => {
  expect(readDays(q, TODAY)).toBeUndefined();
});
