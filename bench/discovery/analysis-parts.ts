/**
 * What of the analysis of texts can be switched off, by its name in the tables: a module of `daemon/text`, in whose place
 * that of the same name in `analysis-off` is bundled. Production has no switch for it.
 */
export const ANALYSIS_PARTS: Readonly<Record<string, string>> = {
  "identifiers split": "split-identifier.ts",
  stems: "stem-word.ts",
  "stop words": "stop-words.ts",
};
