import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { costSoFar } from "../../cli/run/cost-so-far.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { progressLine } from "../../cli/output/progress-line.ts";
import { terminalLook } from "../../cli/terminal/terminal-look.ts";
import { toAscii } from "../../cli/terminal/to-ascii.ts";
import { breakLines } from "../../cli/screen/break-lines.ts";
import { bar, sparkline } from "../../cli/screen/charts.ts";
import { COLUMN_GAP, fitColumns } from "../../cli/screen/fit-columns.ts";
import { foldJson } from "../../cli/screen/json/fold-json.ts";
import { shapeOutput } from "../../cli/screen/json/shape-output.ts";
import { palette } from "../../cli/screen/palette.ts";
import { shortenText } from "../../cli/screen/shorten-text.ts";

/* oxlint-disable no-control-regex -- all of ASCII is meant */

describe("a terminal's look", () => {
  test.each<[string, Record<string, string>, { unicode: boolean; linear: boolean }]>([
    ["nothing set: a container, under a terminal that shows UTF-8", {}, { unicode: true, linear: false }],
    ["LC_ALL=C", { LC_ALL: "C" }, { unicode: false, linear: false }],
    ["LC_ALL=POSIX wins over LANG", { LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, { unicode: false, linear: false }],
    ["an empty LC_ALL says nothing", { LC_ALL: "", LANG: "C" }, { unicode: false, linear: false }],
    ["C.UTF-8", { LANG: "C.UTF-8" }, { unicode: true, linear: false }],
    ["de_DE.utf8@euro", { LANG: "de_DE.utf8@euro" }, { unicode: true, linear: false }],
    ["ISO-8859-1", { LC_CTYPE: "de_DE.ISO-8859-1" }, { unicode: false, linear: false }],
    ["no encoding named", { LANG: "en_US" }, { unicode: true, linear: false }],
    ["the console of Linux", { TERM: "linux", LANG: "C.UTF-8" }, { unicode: false, linear: false }],
    ["TERM=dumb", { TERM: "dumb" }, { unicode: true, linear: true }],
    ["a screen reader", { INK_SCREEN_READER: "true" }, { unicode: true, linear: true }],
    ["a screen reader that is turned off", { INK_SCREEN_READER: "false" }, { unicode: true, linear: false }],
  ])("%s", (_what, env, look) => {
    expect(terminalLook(env)).toEqual(look);
  });
});

describe("text in ASCII", () => {
  test.each([
    ["a long text…", "a long text~"],
    ["42 % · $0.02 – so far", "42 % | $0.02 - so far"],
    ["Åland Türkiye", "Aland Turkiye"],
    ["日本", "????"],
    ["███░░", "###.."],
    ["▁▂▃▄▅▆▇█", "_.-=+*%#"],
    ["plain \u001b[1mbold\u001b[22m", "plain \u001b[1mbold\u001b[22m"],
  ])("%j is %j", (text, shown) => {
    expect(toAscii(text)).toBe(shown);
  });

  test("is ASCII, and as wide as before, whatever it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const shown = toAscii(text);
        expect(shown).toMatch(/^[\u0000-\u007f]*$/);
        expect(stringWidth(shown)).toBe(stringWidth(text));
      }),
    );
  });
});

describe("colours", () => {
  test.each(Object.entries(palette))("%s can be read on black and on white", (_name, color) => {
    const light = luminanceOf(Number(/\((\d+)\)/.exec(color)?.[1]));

    expect((light + 0.05) / 0.05).toBeGreaterThan(3.5);
    expect(1.05 / (light + 0.05)).toBeGreaterThan(3.5);
  });
});

/** Relative luminance (WCAG 2) of a colour of the 6 × 6 × 6 cube that terminals of 256 colours have from 16 on. */
function luminanceOf(index: number): number {
  const levels = [0, 95, 135, 175, 215, 255];
  const cube = index - 16;
  const [red = 0, green = 0, blue = 0] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) => {
    const part = (levels[step] ?? 0) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe("columns", () => {
  const need = fc.record({ natural: fc.integer({ min: 1, max: 60 }), least: fc.integer({ min: 1, max: 60 }) });

  test("fit what there is, or are not set side by side at all", () => {
    fc.assert(
      fc.property(
        fc.array(need, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 200 }),
        (wanted, available) => {
          const needs = wanted.map(({ natural, least }) => ({ natural, least: Math.min(natural, least) }));
          const gaps = COLUMN_GAP * (needs.length - 1);
          const widths = fitColumns(needs, available);

          if (widths === undefined) {
            expect(needs.reduce((sum, { least }) => sum + least, gaps)).toBeGreaterThan(available);
            return;
          }
          expect(widths.reduce((sum, width) => sum + width, gaps)).toBeLessThanOrEqual(available);
          for (const [index, { natural, least }] of needs.entries()) {
            expect(widths[index]).toBeGreaterThanOrEqual(least);
            expect(widths[index]).toBeLessThanOrEqual(natural);
          }
        },
      ),
    );
  });
});

describe("text that has to fit", () => {
  test("is cut between words, to no more than the columns that there are", () => {
    expect(shortenText("sunrise and sunset", 40)).toBe("sunrise and sunset");
    expect(shortenText("sunrise and sunset", 14)).toBe("sunrise and…");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        expect(stringWidth(shortenText(text, columns))).toBeLessThanOrEqual(Math.max(columns, 1));
      }),
    );
  });

  test("is broken between words, and no word is lost", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });

    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), (parts, columns) => {
        const lines = breakLines(parts.join(" "), columns);
        expect(lines.join(" ")).toBe(parts.join(" "));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test.each([
    [{ unicode: true, linear: false }, "⠋ Running a/b 1.0 s"],
    [{ unicode: false, linear: false }, "| Running a/b 1.0 s"],
  ])("the line of the spinner, on %j", (look, shown) => {
    expect(progressLine({ text: "Running a/b", elapsed: "1.0 s", turn: 0 }, 80, look)).toBe(shown);
  });

  test("the line of the spinner never goes on in the next", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 2, max: 100 }),
        fc.boolean(),
        (text, columns, unicode) => {
          const line = progressLine({ text, elapsed: "2 min 5 s", turn: 3 }, columns, { unicode, linear: false });
          expect(stringWidth(line)).toBeLessThan(columns);
        },
      ),
    );
  });
});

describe("charts", () => {
  test.each([
    [0, "░░░░"],
    [0.001, "█░░░"],
    [0.5, "██░░"],
    [1, "████"],
    [7, "████"],
  ])("the bar of %j", (share, drawn) => {
    expect(bar(share, 4)).toBe(drawn);
  });

  test("a sparkline shows the last numbers, the highest as high as it goes", () => {
    expect(sparkline([90, 1, 4, 8], 3)).toBe("▂▅█");
    expect(sparkline([0, 0], 5)).toBe("▁▁");
    expect(sparkline([], 5)).toBe("");
  });
});

describe("words", () => {
  test.each([
    [0, "0 ms"],
    [12.4, "12 ms"],
    [999, "999 ms"],
    [1500, "1.5 s"],
    [59_960, "1 min 0 s"],
    [125_000, "2 min 5 s"],
    [12_000_000, "3 h 20 min"],
  ])("%d ms take %s", (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });

  test("what a run has cost by now: the share of its time where time is paid for, else nothing before its end", () => {
    const detail = {
      type: "METERED",
      amount: { value: 0.02, currency: "USD" as const },
      per: { unit: "MINUTE" as const, count: 1 },
    };
    const metered = { price: { type: "METERED", amount: 0.02, currency: "USD" as const, detail } };
    const perCall = { price: { type: "PER_CALL", amount: 0.02, currency: "USD" as const } };
    const startedAt = "2026-03-01T12:00:00Z";

    expect(costSoFar({ ...metered, startedAt }, Date.parse("2026-03-01T12:00:30Z"))).toBe(0.01);
    expect(costSoFar({ ...metered, startedAt }, Date.parse("2026-03-01T11:59:00Z"))).toBe(0);
    expect(costSoFar({ ...perCall, startedAt }, Date.parse("2026-03-01T12:00:30Z"))).toBeUndefined();
    expect(costSoFar({ ...perCall, cost: { value: 0.3, currency: "USD" } }, 0)).toBe(0.3);
  });
});

describe("what a run delivered", () => {
  const room = { columns: 80, linear: false, full: false };
  const rows = Array.from({ length: 25 }, (_, index) => ({ id: index, name: `row ${index}` }));

  test("is a table where it is a list of flat objects", () => {
    const shaped = shapeOutput(rows, room);

    expect(shaped).toMatchObject({ kind: "table", leftOut: "… 5 more rows" });
    if (shaped.kind !== "table") return expect.unreachable();
    expect(shaped.columns).toEqual([
      { name: "id", isNumeric: true },
      { name: "name", isNumeric: false },
    ]);
  });

  test("is a table where one member is such a list and all others are single values", () => {
    expect(shapeOutput({ total: 2, next: null, items: rows.slice(0, 2) }, room)).toMatchObject({
      kind: "table",
      tabular: {
        name: "items",
        others: [
          ["total", 2],
          ["next", null],
        ],
      },
    });
  });

  test.each<[string, unknown]>([
    ["a list of numbers", [1, 2, 3]],
    ["an empty list", []],
    ["objects in objects", [{ a: { b: 1 } }]],
    ["two lists", { a: [{ b: 1 }], c: [{ d: 1 }] }],
    ["one object", { a: 1 }],
    ["objects without members", [{}, {}]],
  ])("is JSON where it is no table: %s", (_what, output) => {
    expect(shapeOutput(output, room).kind).toBe("lines");
  });

  test("says which columns did not fit, and has them where it is read aloud or asked for in full", () => {
    const wide = [Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`column${index}`, "some words in it"]))];

    expect(shapeOutput(wide, room).leftOut).toMatch(/^… the columns column\d+, .*column11$/);
    expect(shapeOutput(wide, { ...room, linear: true }).leftOut).toBeUndefined();
    expect(shapeOutput(wide, { ...room, full: true }).leftOut).toBeUndefined();
  });

  test("is a text as it is, its first lines", () => {
    expect(shapeOutput("one\ntwo", room)).toEqual({ kind: "lines", lines: ["one", "two"] });
    expect(shapeOutput("line\n".repeat(100), room).leftOut).toBe("… 61 more lines");
  });

  test("is nothing where there is nothing", () => {
    expect(shapeOutput(null, room)).toEqual({ kind: "nothing" });
  });
});

describe("JSON, folded", () => {
  const limits = { columns: 40, items: 3, members: 4, characters: 10, depth: 3, lines: 40 };

  test("says of long lists how many more there are, and has short ones in one line", () => {
    const value = {
      many: Array.from({ length: 123 }, (_, index) => `item ${index}`),
      few: [1, 2],
      deep: { a: { b: { c: [1] } } },
      long: "0123456789".repeat(5),
    };

    expect(foldJson(value, limits).lines).toEqual([
      "{",
      '  "many": [',
      '    "item 0",',
      '    "item 1",',
      '    "item 2",',
      "    … 120 more",
      "  ],",
      '  "few": [1, 2],',
      '  "deep": { "a": { "b": { "c": [1] } } },',
      '  "long": "0123456789" … 40 more characters',
      "}",
    ]);
  });

  test("leaves nothing out of a text that would take less room than the words for it", () => {
    const value = { long: "0123456789 and a little" };

    expect(foldJson(value, limits)).toEqual({
      lines: ["{", '  "long": "0123456789 and a little"', "}"],
      isWhole: true,
    });
  });

  test("only counts what is too deep", () => {
    const value = { a: { b: { c: Array.from({ length: 30 }, (_, index) => index) } } };

    expect(foldJson(value, limits).lines.map((line) => line.trim())).toContain('"c": [… 30 more items]');
  });

  test("is the very JSON where nothing is too long, whatever it is", () => {
    const unlimited = {
      columns: 60,
      items: Infinity,
      members: Infinity,
      characters: Infinity,
      depth: Infinity,
      lines: Infinity,
    };

    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { lines, isWhole } = foldJson(value, unlimited);
        expect(isWhole).toBe(true);
        expect(JSON.parse(lines.join("\n"))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("stays small whatever comes, and in time", () => {
    const huge = Array.from({ length: 20_000 }, (_, index) => ({
      index,
      nested: { list: Array.from({ length: 20 }, () => "x".repeat(50)) },
    }));

    const { lines, isWhole } = foldJson(huge, limits);

    expect(lines.length).toBeLessThanOrEqual(limits.lines + 1);
    expect(isWhole).toBe(false);
  });
});
