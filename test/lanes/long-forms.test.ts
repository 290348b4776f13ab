import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { rows } from "../security/rows.ts";

/** CONTRIBUTING.md, "Setting up": each long form belongs to a script, which a workflow runs every week. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Readonly<Record<string, string>> };

/** Scripts that ask for the long form, with the words that choose files, as vitest takes them: a part of the path. */
const longScripts = Object.entries(scripts).flatMap(([name, script]) => {
  const [, words] = /MKT_TEST_EFFORT=\S+ vitest run (.*)/.exec(script) ?? [];
  if (words === undefined) return [];
  const files = words.split(" ").filter((word) => !word.startsWith("-"));
  return [
    { name, chosen: name === "test:security" ? rows.flatMap(({ tests }) => tests.map(({ file }) => file)) : files },
  ];
});

/** Files whose tests have a long form: by the helpers that tell which form is asked for. */
const withLongForm = readdirSync(`${root}test`, { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => /\.test\.tsx?$/.test(path))
  .filter((path) => /from "[^"]*\/support\/(effort|on-postgres|third-of-samples)\.ts"/.test(read(path)));

test("every test with a long form is run by a script that asks for it", () => {
  const chosen = longScripts.flatMap((script) => script.chosen);

  expect(withLongForm.length).toBeGreaterThan(30);
  expect(withLongForm.filter((path) => !chosen.some((word) => `/${path}`.includes(word)))).toEqual([]);
});

test("every such script is run every week, and stands in the table of scripts", () => {
  const { jobs } = parse(read(".github/workflows/long.yml"));
  const names = longScripts.map(({ name }) => name);

  expect(jobs.long.strategy.matrix.script).toEqual(expect.arrayContaining(names));
  const contributing = read("CONTRIBUTING.md");
  expect(names.filter((name) => !contributing.includes(`\`npm run ${name}\``))).toEqual([]);
});
