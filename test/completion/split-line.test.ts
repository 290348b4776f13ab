import { expect, test } from "vitest";
import { splitLine } from "../../cli/completion/split-line.ts";

test.each([
  ["mkt run atlas", ["mkt", "run", "atlas"]],
  ["mkt run ", ["mkt", "run", ""]],
  ["mkt   run\tx", ["mkt", "run", "x"]],
  ["", [""]],
  ["mkt -i '{\"a b\":1}' x", ["mkt", "-i", '{"a b":1}', "x"]],
  ['mkt "a \\" b" c', ["mkt", 'a " b', "c"]],
  ["mkt a\\ b", ["mkt", "a b"]],
  ["mkt 'open", ["mkt", "open"]],
  ['mkt "open quote', ["mkt", "open quote"]],
  ["mkt --x=a'b c'd", ["mkt", "--x=ab cd"]],
])("%s", (line, words) => {
  expect(splitLine(line)).toEqual(words);
});
