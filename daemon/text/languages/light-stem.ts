import type { QueryLanguage } from "./query-languages.ts";

/*
 * Words without the endings of their plurals and cases, so that "Wechselkurse" and "Wechselkurs" are one word. Stems are
 * only compared with stems of the same language, so they need not be words; but words of different meaning must stay
 * apart, which is why verbs and derivations keep their endings.
 */

type Rule = readonly [ending: RegExp, becomes: string];

/** Of each step the first rule that fits and leaves enough letters is applied. */
const STEPS: Readonly<Record<QueryLanguage, readonly (readonly Rule[])[]>> = {
  German: [
    [
      [/(?:ern|em|en|er|es)$/, ""],
      [/(?<=[bdfghklmnt])s$/, ""],
      [/[en]$/, ""],
    ],
  ],
  French: [
    [
      [/aux$/, "al"],
      [/[sx]$/, ""],
    ],
    [[/e$/, ""]],
  ],
  Spanish: [[[/s$/, ""]], [[/e$/, ""]], [[/z$/, "c"]]],
  Portuguese: [
    [
      [/oes$/, "ao"],
      [/ais$/, "al"],
      [/eis$/, "el"],
      [/ns$/, "m"],
      [/s$/, ""],
    ],
    [[/e$/, ""]],
  ],
  Italian: [
    [
      [/(?<=[cg])h[ei]$/, ""],
      [/[aeio]$/, ""],
    ],
    [[/i$/, ""]],
  ],
  Dutch: [
    [
      [/en$/, ""],
      [/e$/, ""],
    ],
    [[/s$/, ""]],
    [
      [/z$/, "s"],
      [/v$/, "f"],
      [/([bdfgklmnprst])\1$/, "$1"],
    ],
    [[/([aeou])\1(?=[^aeiou]$)/, "$1"]],
  ],
};

/** A stem keeps at least this many letters. */
const LEAST_LETTERS = 3;

/** `word`: folded, see `foldWord`. */
export function lightStem(word: string, language: QueryLanguage): string {
  if (!/^[a-z]+$/.test(word)) return word;
  return STEPS[language].reduce((stem, rules) => {
    for (const [ending, becomes] of rules) {
      const shorter = stem.replace(ending, becomes);
      if (shorter !== stem && shorter.length >= LEAST_LETTERS) return shorter;
    }
    return stem;
  }, word);
}
