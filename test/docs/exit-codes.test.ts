import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { daemonExitCodes, exitCodeMeanings } from "../../cli/core/exit-codes.ts";

const text = readFileSync(new URL("../../docs/command-line.md", import.meta.url), "utf8");

test("docs/command-line.md has every exit code in the words of the help", () => {
  const rows = [...text.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, code, meaning]) => ({
    code: Number(code),
    meaning,
  }));

  expect(rows).toEqual(exitCodeMeanings);
});

test("and those of the daemon", () => {
  const missing = Object.values(daemonExitCodes).filter((code) => !new RegExp(`\\b${code} \\(`).test(text));

  expect(missing).toEqual([]);
});
