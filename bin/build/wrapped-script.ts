import type { BuildOptions } from "esbuild";

/** Options for a file that `bin/compiled/load-compiled.ts` runs: CommonJS as one function. */
export const wrapped = {
  format: "cjs",
  banner: { js: "(function (require, module, moduleUrl, loader) {" },
  footer: { js: "})" },
  define: { "import.meta.url": "moduleUrl" },
} as const satisfies BuildOptions;

/**
 * One letter beyond Latin-1, and V8 keeps two bytes for each of the text. esbuild escapes them wherever they may stand
 * but in regular expressions, where the same escapes mean the same.
 */
export function toAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
