import { expect, test } from "vitest";
import { distinctPhrasings } from "../../../daemon/discovery/phrasings/distinct-phrasings.ts";

test.each([
  ["no rephrasings", undefined, ["Sun"]],
  ["the query itself, in other letter case and white space", ["sun", " SUN ", "Sun\n"], ["Sun"]],
  ["one twice", ["sunrise times", "Sunrise  times"], ["Sun", "sunrise times"]],
  ["only white space", [" ", "\t"], ["Sun"]],
  ["the same in full-width letters", ["Ｓｕｎ"], ["Sun"]],
  ["several, in their order", ["moon", "tides"], ["Sun", "moon", "tides"]],
])("of %s, each phrasing is asked once, the query first", (_, also, expected) => {
  expect(distinctPhrasings("Sun", also)).toEqual(expected);
});
