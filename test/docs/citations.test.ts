import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/**
 * A rule is cited by the document and the heading that has it: `docs/contract.md, "Holds"`. A heading that begins with a number
 * is cited by that: `docs/security.md, T18`. Here every citation finds its heading, and no rule is cited from elsewhere.
 */

const root = new URL("../../", import.meta.url).pathname;
const read = (path: string) => readFileSync(`${root}${path}`, "utf8");

const folders = ["bench", "bin", "cli", "daemon", "docs", "shared", "test"];

const files = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true }).map((name) => `${folder}/${name}`),
  ),
]
  .filter((path) => /\.(?:ts|tsx|mjs|md)$/.test(path) && !path.includes("node_modules"))
  .filter((path) => path !== "test/docs/citations.test.ts");

const citation = /docs\/([\w-]+)\.md, ((?:"[^"]+"|[TP]\d+\b)(?:(?:,? and |, )(?:"[^"]+"|[TP]\d+\b))*)/g;

/** How rules were cited from documents that are not in the repository. */
const elsewhere = [
  /contract semantics/i,
  /manifest rules? \d/i,
  /storage design/i,
  /(?:security|settings|CLI) design\b/i,
  /Source: (?:provider )?manifest\b/i,
  /\bSpec: /,
  /specification, "/i,
  /provider manifest(?: design)?, "/i,
  /\bManifest, (?:"|top level)/,
  /\bCLI (?:design, )?rules? \d/,
  /[("]rule \d+[):]/,
];
/** The number of a threat, and of a promise, outside of a citation. */
const bareThreat = /(?<![\w"'`./-])T(?:[1-9]|[12]\d|3[01])(?![\w"'`-]|:\d)/;
const barePromise = /(?<![\w"'`./-])P[1-8](?![\w"'`-])/;
/** Where they are written down, and held to the tests that they name. */
const home = /^(?:docs\/security\.md|docs\/storage\.md|test\/security\/rows(?:\.test)?\.ts)$/;

describe("a citation", () => {
  test("names a heading that is there", () => {
    const cited = files.flatMap((file) =>
      [...textOf(file).matchAll(citation)].flatMap(([, name = "", headings = ""]) =>
        [...headings.matchAll(/"([^"]+)"|([TP]\d+)/g)].map(([, heading, number]) => ({
          file,
          document: `docs/${name}.md`,
          heading: heading ?? number ?? "",
        })),
      ),
    );

    const missing = cited
      .filter(({ document, heading }) => !headingsOf(document).has(heading))
      .map(({ file, document, heading }) => `${file}: ${document}, ${heading}`);

    expect(cited.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  test("names a document that is there", () => {
    const named = files.flatMap((file) =>
      [...textOf(file).matchAll(/(?<![\w"'/])docs\/[\w/-]+\.md\b/g)].map(([document]) => ({ file, document })),
    );

    expect(named.filter(({ document }) => !existsSync(`${root}${document}`))).toEqual([]);
  });

  test("is of a document of the repository", () => {
    const found = files.flatMap((file) => {
      const text = textOf(file);
      const rest = text.replaceAll(citation, "");
      const numbers = home.test(file) ? [] : [bareThreat, barePromise];
      return [...elsewhere.map((form) => form.exec(text)), ...numbers.map((form) => form.exec(rest))]
        .filter((match) => match !== null)
        .map((match) => `${file}: ${match.input.slice(match.index - 60, match.index + 30)}`);
    });

    expect(found).toEqual([]);
  });
});

describe("the headings that may be cited", () => {
  test.each(["command-line", "contract", "manifest", "security", "storage"])("are told apart in docs/%s.md", (name) => {
    const headings = [...read(`docs/${name}.md`).matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading);

    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
  });

  test("are there for every promise of docs/storage.md", () => {
    const promises = [...read("docs/storage.md").matchAll(/^\| (P\d+) /gm)].map(([, promise = ""]) => promise);

    expect(promises.length).toBeGreaterThan(0);
    expect(promises.filter((promise) => !headingsOf("docs/storage.md").has(promise))).toEqual([]);
  });

  test("are where links between documents lead", () => {
    const lost = files
      .filter((file) => /^docs\/[\w-]+\.md$/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/\]\(([\w-]+\.md)?#([\w-]+)\)/g)]
          .map(([, document = file.replace("docs/", ""), anchor = ""]) => ({ file, document, anchor }))
          .filter(({ document, anchor }) => ![...headingsOf(`docs/${document}`)].map(anchorOf).includes(anchor)),
      );

    expect(lost).toEqual([]);
  });
});

const known = new Map<string, ReadonlySet<string>>();

/** The headings of a document, and the numbers that some begin with. */
function headingsOf(document: string): ReadonlySet<string> {
  let headings = known.get(document);
  if (headings === undefined) {
    const text = existsSync(`${root}${document}`) ? read(document) : "";
    headings = new Set(
      [...text.matchAll(/^#+ (?:([TP]\d+)\. )?(.+)$/gm)].flatMap(([, number, rest = ""]) =>
        number === undefined ? [rest] : [number, `${number}. ${rest}`],
      ),
    );
    known.set(document, headings);
  }
  return headings;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
}

/** On one line, without what marks the lines of a comment. */
function textOf(file: string): string {
  return read(file)
    .split("\n")
    .map((line) => line.replace(/^\s*(?:\*(?!\*)|\/\/)?\s*/, "").trimEnd())
    .join(" ");
}
