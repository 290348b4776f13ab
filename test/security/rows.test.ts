import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rows, type Tests } from "./rows.ts";

/** What `npm run test:security` and docs/security.md say is tried is tried. */

const root = new URL("../..", import.meta.url).pathname;
const read = (path: string) => readFileSync(`${root}/${path}`, "utf8");

describe("the list of what is feared", () => {
  test("has the rows T1 to T36, each once and each with a test", () => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 36 }, (_, index) => `T${index + 1}`));
    expect(rows.filter(({ tests }) => tests.length === 0).map(({ id }) => id)).toEqual([]);
  });

  test.each(rows.map(({ id, tests }) => [id, tests] as const))("%s names files that have those tests", (_id, tests) => {
    for (const { file } of tests) expect(existsSync(`${root}/${file}`), `${file} is not there`).toBe(true);
    expect(tests.flatMap(missing)).toEqual([]);
  });
});

/** Of the titles that are named, those that no text in the file begins. The runner holds the whole title to it. */
function missing({ file, named = [] }: Tests): string[] {
  const source = read(file);
  if (!/\b(?:test|it)(?:\.\w+(?:\([^)]*\))?)*\(/.test(source)) return [`${file} has no test`];
  const texts = [...source.matchAll(/(["`])((?:(?!\1|\n).){4,})\1/g)].map(([, , text = ""]) => text);
  return named
    .filter((title) => !texts.some((text) => title.startsWith(text) || text.startsWith(title)))
    .map((title) => `${file} has nothing that begins with "${title}"`);
}

describe("the table in docs/security.md", () => {
  const lines = read("docs/security.md")
    .split("\n")
    .filter((line) => /^\| T\d+ /.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));

  test("has the same rows", () => {
    expect(lines.map(([, id, threat]) => `${id} ${threat}`)).toEqual(rows.map(({ id, threat }) => `${id} ${threat}`));
  });

  test("is followed by a heading for each row, by which it is cited", () => {
    const headings = [...read("docs/security.md").matchAll(/^### (T\d+\. .+)$/gm)].map(([, heading]) => heading);

    expect(headings).toEqual(
      rows.map(({ id, threat }) => `${id}. ${threat.charAt(0).toUpperCase()}${threat.slice(1)}`),
    );
  });

  test("names the files of each row's tests, and says what the daemon does", () => {
    for (const [index, { id, tests }] of rows.entries()) {
      const [, , , does = "", files = ""] = lines[index] ?? [];
      const listed = [...new Set(tests.map(({ file }) => file))];
      expect([id, ...files.replaceAll("`", "").split(", ")]).toEqual([id, ...listed]);
      expect(does.length).toBeGreaterThan(20);
    }
  });
});
