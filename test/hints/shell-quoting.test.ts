import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toPrintable } from "../../shared/hints/printable.ts";
import { renderShell } from "../../shared/hints/shell.ts";
import { quoteWord } from "../../shared/hints/shell-words.ts";
import { anyText } from "../support/any-text.ts";

const awkward = fc.oneof(
  anyText(),
  fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "!", "#", " ", "*", "~", "-", "=", "\n", "a", "é", "😀"),
  }),
);

test("words come back out of a real shell as they went in", () => {
  fc.assert(
    fc.property(fc.array(awkward, { minLength: 1, maxLength: 20 }), (texts) => {
      const words = texts.map(toPrintable);

      const script = `printf '%s\\n' ${words.map((word) => quoteWord(word)).join(" ")}`;
      const printed = execFileSync("sh", ["-c", script], { encoding: "utf8" });

      expect(printed).toBe(words.map((word) => `${word}\n`).join(""));
    }),
    { numRuns: 100 },
  );
});

test("a rendered command runs mkt with the text given, and its comment runs nothing", () => {
  fc.assert(
    fc.property(awkward, awkward, (query, comment) => {
      const line = renderShell({ kind: "discover", query, comment });
      fc.pre(line !== undefined);

      const script = `mkt() { printf '%s\\n' "$@"; }\n${line}`;
      const printed = execFileSync("sh", ["-c", script], { encoding: "utf8" });

      const words = printed.slice(0, -1).split("\n");
      expect(words[0]).toBe("discover");
      expect(words.at(-1)).toBe(toPrintable(query).trim());
    }),
    { numRuns: 100 },
  );
});

test("printable text has no control characters", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(toPrintable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
    }),
  );
});
