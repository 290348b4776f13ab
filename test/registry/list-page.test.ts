import { describe, expect, test } from "vitest";
import { encodeCursor } from "../../daemon/http/cursors/cursor.ts";
import { type ListPage, type PageRequest, takeRankedPage, takeSortedPage } from "../../daemon/registry/list-page.ts";

const keyOf = (name: string) => [name];
const sorted = {
  kind: "sorted",
  keyOf,
  compare: ([a = ""]: readonly string[], [b = ""]: readonly string[]) => (a < b ? -1 : Number(a > b)),
};
const ranked = { kind: "ranked", keyOf };

/** Pages of two through a list that becomes another one after the first page. */
function read(take: (all: readonly string[], page: PageRequest) => ListPage<string>, first: string, then: string) {
  const pages = [take([...first], { limit: 2 })];
  for (;;) {
    const cursor = pages.at(-1)?.cursor;
    if (cursor === undefined) return pages.map(({ items }) => items.join("")).join(" ");
    pages.push(take([...then], { limit: 2, cursor }));
  }
}

describe("a sorted list", () => {
  test.each([
    ["is read once through", "abcde", "abcde", "ab cd e"],
    ["repeats nothing when something comes in front", "bcdef", "abcdef", "bc de f"],
    ["leaves nothing out when something in front goes", "abcdef", "bcdef", "ab cd ef"],
    ["goes on after the last item when that is gone", "abcdef", "acdef", "ab cd ef"],
    ["goes on after it when all that was shown is gone", "abcdef", "cdef", "ab cd ef"],
    ["shows what came behind", "abc", "abcd", "ab cd"],
    ["ends when nothing is left", "abc", "ab", "ab "],
  ])("%s", (_, first, then, pages) => {
    expect(read((all, page) => takeSortedPage(sorted, all, page), first, then)).toBe(pages);
  });
});

describe("a ranked list", () => {
  test.each([
    ["is read once through", "dacbe", "dacbe", "da cb e"],
    ["goes on after the last item, wherever that stands by then", "dacbe", "xdacbe", "da cb e"],
    ["goes on after it when something in front is gone", "dacbe", "acbe", "da cb e"],
    ["goes on at the same place when it is gone", "dacbe", "dcbe", "da be"],
  ])("%s", (_, first, then, pages) => {
    expect(read((all, page) => takeRankedPage(ranked, all, page), first, then)).toBe(pages);
  });
});

test("a page has ten items unless another limit is asked for, and never more than a hundred", () => {
  const all = Array.from({ length: 300 }, (_, number) => String(number).padStart(3, "0"));

  expect(takeSortedPage(sorted, all, {}).items).toHaveLength(10);
  expect(takeSortedPage(sorted, all, { limit: 1_000 }).items).toHaveLength(100);
});

test("the last page has no cursor, also when it is full", () => {
  expect(takeSortedPage(sorted, [..."ab"], { limit: 2 })).toEqual({ items: ["a", "b"] });
});

test.each([
  ["of another list", encodeCursor("ranked", '["a"]')],
  ["with a number", encodeCursor("sorted", 3)],
  ["with no list in it", encodeCursor("sorted", "{")],
  ["with something else in it", encodeCursor("sorted", '[{"a":1}]')],
  ["that is no cursor", "abc"],
])("a cursor %s is refused", (_, cursor) => {
  expect(() => takeSortedPage(sorted, [..."abc"], { cursor })).toThrow(/^cursor: this is not a cursor of this list/);
});

test.each([["-1"], ["1.5"], ['"a"']])("a place of %s is refused", (place) => {
  const cursor = encodeCursor("ranked", `[${place},"a"]`);

  expect(() => takeRankedPage(ranked, [..."abc"], { cursor })).toThrow("cursor");
});
