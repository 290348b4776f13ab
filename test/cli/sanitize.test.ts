import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sanitizeText, sanitizeValue, toSafeJson } from "../../cli/terminal/sanitize.ts";
import { anyText } from "../support/any-text.ts";

/* oxlint-disable no-control-regex -- control characters are what this is about */
const harmful = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u009b",
        "\u009d",
        "\u0007",
        "\u001b\\",
        "\u009c",
        "\r",
        "\u202e",
      ),
      anyText({ maxLength: 4 }),
      fc.constantFrom("0;", "31m", "2J", "52;c;", "a", "\n", "\t"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("text of others", () => {
  test.each([
    ["colours", "\u001b[31mred\u001b[0m", "red"],
    ["clearing the screen", "a\u001b[2Jb", "ab"],
    ["a window title", "\u001b]0;pwned\u0007safe", "safe"],
    ["the clipboard (OSC 52)", "\u001b]52;c;ZXZpbA==\u001b\\x", "x"],
    ["links (OSC 8)", "\u001b]8;;https://evil\u001b\\text\u001b]8;;\u001b\\", "text"],
    ["a device control string", "\u001bP1$r\u001b\\ok", "ok"],
    ["one-character escapes", "a\u001bcb\u001b7c", "abc"],
    ["eight-bit sequences", "\u009b31mred", "red"],
    ["overwriting a line", "good\rbad", "goodbad"],
    ["backspace and bell", "a\b\u0007b", "ab"],
    ["turned text", "user\u202etxt.exe", "usertxt.exe"],
    ["a sequence inside a sequence", "\u001b\u001b[31m[31mx", "31mx"],
    ["a string inside a string that never ends", "\u009d0;one\u009d0;two\u0007x", "0;onex"],
    ["a string that never ends", "\u001b]0;title", "0;title"],
    ["what nobody sees", "pay\u200bpal\ufeff\u00ad\u{e0069}\u{e0067}", "paypal"],
    ["separators of lines, but not the lines", "a\u2028b\u2029c", "a\nb\nc"],
    ["a sequence that hides behind what nobody sees", "\u001b\u200b[31mx\u200d", "[31mx"],
  ])("loses %s", (_what, text, expected) => {
    expect(sanitizeText(text)).toBe(expected);
  });

  test.each([
    ["eight-bit strings", "\u009d"],
    ["eight-bit strings of several kinds", "\u0090\u0098\u009e\u009f"],
    ["strings", "\u001b]"],
    ["eight-bit sequences", "\u009b"],
    ["escapes", "\u001b"],
  ])(
    "loses 200,000 characters of %s that never end, in time",
    (_what, introducers) => {
      const text = introducers.repeat(200_000 / introducers.length);

      expect(sanitizeText(`${text}x`)).not.toMatch(harmful);
    },
    20_000,
  );

  test("keeps newlines, tabs and the scripts of the world", () => {
    const text = "a\tb\nעברית العربية 日本語 é 👩‍👧";

    expect(sanitizeText(text)).toBe(text);
  });

  test("never keeps a control character, whatever it is made of", () => {
    fc.assert(fc.property(hostile, (text) => !harmful.test(sanitizeText(text))));
  });

  test("is clean in every corner of a value", () => {
    const value = { "na\u001b[1mme": ["\u009b2J", { deep: "a\u202eb" }], n: 1, none: null };

    expect(sanitizeValue(value)).toEqual({ name: ["", { deep: "ab" }], n: 1, none: null });
  });

  test("keeps a member called __proto__ a member", () => {
    const value = JSON.parse('{"__proto__": "x"}') as object;

    expect(Object.entries(sanitizeValue(value))).toEqual([["__proto__", "x"]]);
  });
});

describe("JSON for a screen", () => {
  test("escapes what a terminal acts on", () => {
    expect(toSafeJson({ a: "\u001b[2J\u009b\u202e\u007f" })).toBe('{"a":"\\u001b[2J\\u009b\\u202e\\u007f"}');
  });

  test("escapes what nobody sees, and leaves emoji and joined letters as they are", () => {
    const value = { a: "pay\u200bpal\u00ad\ufeff\u2028\u{e0041}", b: "👩\u200d👧 می\u200cخواهم" };

    const json = toSafeJson(value);

    expect(json).toBe('{"a":"pay\\u200bpal\\u00ad\\ufeff\\u2028\\udb40\\udc41","b":"👩\u200d👧 می\u200cخواهم"}');
    expect(JSON.parse(json)).toEqual(value);
  });

  test("is the same data, and harmless", () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (value) => {
        const json = toSafeJson(value);
        expect(JSON.parse(json)).toEqual(value);
        expect(json).not.toMatch(harmful);
      }),
    );
  });
});
