import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageValue } from "../../cli/mcp/page-value.ts";

const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0;

describe("an output, part by part", () => {
  test("that is small enough is given whole", () => {
    expect(pageValue({ days: [1, 2] }, {}, 100)).toEqual({ value: { days: [1, 2] }, cut: [], fields: [] });
  });

  test.each([
    ["a list", [1, 2, 3, 4], { offset: 1, limit: 2 }, [2, 3], ["output: 2 of 4 items, from 1"], 3],
    [
      "a list within",
      { a: "x", b: { c: [1, 2, 3] } },
      { limit: 1 },
      { a: "x", b: { c: [1] } },
      ["output.b.c: 1 of 3 items"],
      1,
    ],
    [
      "a text",
      { text: "abcdefgh" },
      { offset: 2, limit: 3 },
      { text: "cde" },
      ["output.text: 3 of 8 characters, from 2"],
      5,
    ],
    ["the end of a list", [1, 2, 3], { offset: 2 }, [3], ["output: 1 of 3 items, from 2"], undefined],
    ["beyond the end", [1, 2, 3], { offset: 9 }, [], ["output: 0 of 3 items, from 9"], undefined],
    ["what has no parts", { a: 1 }, { offset: 1 }, { a: 1 }, [], undefined],
  ])("%s", (_, value, asked, part, cut, nextOffset) => {
    expect(pageValue(value, asked, 1_000)).toMatchObject({ value: part, cut });
    expect(pageValue(value, asked, 1_000).nextOffset).toBe(nextOffset);
  });

  test("an item that is too long by itself is shortened, and the next one follows", () => {
    const items = [{ text: "a".repeat(900) }, { text: "b" }];

    const first = pageValue(items, {}, 300);
    const second = pageValue(items, { offset: first.nextOffset }, 300);

    expect(first.cut).toEqual(["output: 1 of 2 items", "output[0].text: 200 of 900 characters"]);
    expect(second.value).toEqual([{ text: "b" }]);
  });

  test("a character outside of the basic plane is not torn", () => {
    const { value, nextOffset } = pageValue("😀".repeat(100), {}, 53);

    expect(value).toMatch(/^(😀)+$/u);
    expect(nextOffset).toBe(String(value).length);
  });

  test("all parts together are the whole, and each is small enough", () => {
    const item = fc.oneof(fc.string({ maxLength: 30 }), fc.integer(), fc.record({ a: fc.string({ maxLength: 20 }) }));
    const lists = fc.array(item, { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 150, max: 400 }), fc.boolean(), (items, most, isWithin) => {
        const whole = isWithin ? { beside: 1, items } : items;
        const read: unknown[] = [];
        for (let offset: number | undefined = 0; offset !== undefined;) {
          const page = pageValue(whole, { offset }, most);
          expect(sizeOf(page.value)).toBeLessThanOrEqual(most);
          read.push(...(isWithin ? (page.value as { items: unknown[] }).items : (page.value as unknown[])));
          offset = page.nextOffset;
        }
        expect(read).toEqual(items);
      }),
    );
  });

  test("is small enough, whatever it is", () => {
    const asked = fc.record({
      offset: fc.nat(20),
      limit: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), asked, fc.integer({ min: 40, max: 400 }), (value, page, most) => {
        expect(sizeOf(pageValue(value, page, most).value)).toBeLessThanOrEqual(most);
      }),
    );
  });
});
