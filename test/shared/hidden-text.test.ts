import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { visibleText, withoutHiddenText } from "../../shared/hidden-text.ts";
import { anyText } from "../support/any-text.ts";

describe("what writing needs of hidden characters", () => {
  test.each([
    ["a family", "👩\u200d👧"],
    ["a rainbow flag", "🏳\ufe0f\u200d🌈"],
    ["a pirate flag", "🏴\u200d☠\ufe0f"],
    ["an astronaut with a skin", "👩🏽\u200d🚀"],
    ["a judge", "👨\u200d⚖\ufe0f"],
    ["a heart on fire", "❤\ufe0f\u200d🔥"],
    ["a keycap", "1\ufe0f\u20e3"],
    ["a sign as text", "☎\ufe0e"],
    ["the flag of Portugal", "🇵🇹"],
    ["the flag of Scotland", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["the flag of England", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
    ["Persian", "می\u200cخواهم"],
    ["Hindi", "क्\u200dष क्\u200cष"],
    ["Malayalam at a word's end", "അവന്\u200d വന്നു"],
    ["Bengali at a word's end", "হঠাত্\u200d"],
    ["Sinhala", "ශ්\u200dරී ලංකා"],
    ["Mongolian", "ᠠ\u180b"],
    ["a name in Japanese", "葛\u{e0100}城"],
    ["a formula", "A ∩\ufe00 B"],
    ["Hebrew, Arabic and accents", "שלום العربية é é 日本語"],
  ])("stays in %s", (_what, text) => {
    expect(visibleText(text)).toBe(text);
  });
});

describe("what nobody sees", () => {
  test.each([
    ["a zero-width space", "pay\u200bpal", "paypal"],
    ["a joiner between Latin letters", "pay\u200dpal\u200c", "paypal"],
    ["a soft hyphen", "pay\u00adpal", "paypal"],
    ["a byte order mark", "\ufeffpay\ufeffpal", "paypal"],
    ["a word joiner", "pay\u2060pal", "paypal"],
    ["invisible operators", "a\u2062\u2064\u2061b", "ab"],
    ["tag characters", "Weather\u{e0020}\u{e0069}\u{e0067}\u{e006e}\u{e007f}", "Weather"],
    ["words in a flag that no screen has", "🏴\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e007f}!", "🏴!"],
    ["a flag that does not end", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}", "🏴"],
    ["bytes as variation selectors", "😀\ufe0f\ufe01\u{e0152}\u{e0153}\ufe0f", "😀\ufe0f"],
    ["a variation of a letter", "a\ufe0fb\u{e0100}", "ab"],
    ["joiners in a row in Persian", "می\u200c\u200d\u200c\u200cخواهم", "میخواهم"],
    ["fillers of Hangul", "\u3164a\u115f\u1160\uffa0", "a"],
    ["a grapheme joiner", "a\u034fb", "ab"],
    ["interlinear marks", "a\ufff9b\ufffbc", "abc"],
    ["marks of music and shorthand", "a\u{1d173}\u{1bca0}b", "ab"],
    ["a joiner after an emoji and nothing", "👩\u200d", "👩"],
    ["marks that turn text", "user\u202etxt\u2066\u200f.exe", "usertxt.exe"],
  ])("%s goes", (_what, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  test("line and paragraph separators break lines as plain ones do", () => {
    expect(visibleText("one\u2028two\u2029three")).toBe("one\ntwo\nthree");
  });

  test("is gone from every corner of a value", () => {
    const value = { "na\u200bme": ["a\u{e0041}", { deep: "b\u00ad" }], n: 1, none: null };

    expect(withoutHiddenText(value)).toEqual({ name: ["a", { deep: "b" }], n: 1, none: null });
  });

  test("is gone for good from any text, and no two of what stays are in a row", () => {
    const piece = fc.constantFrom(
      ..."a🏴😀👩क\u094dم葛1∩ ",
      "\u200b",
      "\u200c",
      "\u200d",
      "\ufe0f",
      "\u{e0100}",
      "\u{e0067}",
    );
    const text = fc.array(fc.oneof(piece, anyText({ maxLength: 2 }))).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, (hostile) => {
        const seen = visibleText(hostile);

        expect(visibleText(seen)).toBe(seen);
        expect(seen).not.toMatch(/[\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff]/u);
        // No two of them after one another, in which bytes would be hidden.
        expect(seen).not.toMatch(/(?:\u200c|\u200d|[\u{fe00}-\u{fe0f}]|[\u{e0100}-\u{e01ef}]){2}(?<!\ufe0f\u200d)/u);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["joiners", "a\u200d"],
    ["viramas with joiners", "क\u094d\u200d"],
    ["flags that do not end", "🏴\u{e0067}\u{e0062}\u{e0065}"],
    ["selectors", "\ufe0f"],
    ["plain words", "word "],
  ])(
    "goes in time from a megabyte of %s",
    (_what, piece) => {
      const text = piece.repeat(1_000_000 / piece.length);

      expect(visibleText(text).length).toBeLessThanOrEqual(text.length);
    },
    20_000,
  );
});
