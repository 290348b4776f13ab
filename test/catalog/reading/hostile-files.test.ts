import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogFolder, manifest } from "../catalog-folder.ts";

const HANG_MS = 20_000;

const billionLaughs = [
  'a: &a ["lol","lol","lol","lol","lol","lol","lol","lol","lol"]',
  ..."bcdefghij".split("").map((name, index) => {
    const before = "abcdefghi"[index];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
  }),
].join("\n");

const fewLaughs = [
  `a: &a [${Array.from({ length: 1_000 }, () => '"lol"').join(",")}]`,
  `b: &b [${Array.from({ length: 100 }, () => "*a").join(",")}]`,
  `c: [${Array.from({ length: 10 }, () => "*b").join(",")}]`,
].join("\n");

const manyKeys = Array.from({ length: 1_000_000 }, (_, index) => `k${index}: 1`);

test.each([
  ["a billion laughs", billionLaughs, /1000 aliases/],
  ["a million laughs from few aliases", fewLaughs, /too large once its aliases/],
  ["a million keys, one a line", manyKeys.join("\n"), /too many parts/],
  ["a million keys in one line", `{${manyKeys.join(", ")}}`, /too many parts/],
  ["two hundred thousand open brackets", "[".repeat(200_000), /more than 64 levels/],
  ["a hundred thousand lists in one line", "- ".repeat(100_000), /more than 64 levels/],
  [
    "seventy levels of keys",
    Array.from({ length: 70 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
    /more than 64 levels/,
  ],
  ["an alias to itself", "a: &a [*a]", /more than 64 levels|no anchor/],
  ["thousands of aliases", `a: &a 1\nb: [${Array.from({ length: 2_000 }, () => "*a").join(",")}]`, /1000 aliases/],
  ["a key __proto__", "mkt: 1\nprovider: shop\n__proto__: {polluted: true}\n", /"__proto__" cannot be a key/],
  ["a key constructor", "http:\n  constructor: {prototype: 1}\n", /"constructor" cannot be a key/],
  ["a key twice", "mkt: 1\nmkt: 1\n", /occurs here twice/],
  ["a custom tag", "mkt: !!js/function 'x'\n", /not readable YAML/],
  ["an infinite number", "mkt: .inf\n", /Infinity/],
])(
  "a YAML file with %s is refused in time",
  async (_title, text, message) => {
    using folder = catalogFolder();
    folder.write("shop.yaml", text);

    const catalog = await folder.load();

    expect(catalog.problems().map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  },
  HANG_MS,
);

test.each([
  ["200,000 levels", "[".repeat(200_000) + "]".repeat(200_000), /64 levels/],
  ["a key __proto__", '{"mkt": 1, "__proto__": {"polluted": true}}', /"__proto__" cannot be a key/],
  ["a key twice", '{"mkt": 1, "mkt": 1}', /occurs here twice/],
  ["a comma too many", '{"mkt": 1,}', /This is not JSON/],
])(
  "a JSON file with %s is refused in time",
  async (_title, text, message) => {
    using folder = catalogFolder();
    folder.write("shop.json", text);

    const catalog = await folder.load();

    expect(catalog.problems().map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  },
  HANG_MS,
);

test("a file over 16 MB is not read", async () => {
  using folder = catalogFolder();
  folder.write("shop.yaml", `mkt: 1 # ${"x".repeat(17 * 1024 * 1024)}`);

  const catalog = await folder.load();

  expect(catalog.problems()).toMatchObject([{ rule: "size" }]);
});

test(
  "a file that is not UTF-8, a pipe and a link to nowhere are told, and the others are served",
  async () => {
    using folder = catalogFolder();
    folder.write("shop", manifest());
    execFileSync("mkfifo", [join(folder.path, "pipe.yaml")]);
    symlinkSync(join(folder.path, "nowhere"), join(folder.path, "link.yaml"));
    execFileSync("sh", ["-c", `printf '\\377\\376m' > '${join(folder.path, "utf16.yaml")}'`]);

    const catalog = await folder.load();

    expect(catalog.problems().map(({ rule }) => rule)).toEqual(["file", "file", "encoding"]);
    expect(catalog.entries()).toHaveLength(1);
  },
  HANG_MS,
);
