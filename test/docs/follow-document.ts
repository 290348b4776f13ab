import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Block, blocksOf } from "./blocks.ts";
import { unknownWords } from "./known-commands.ts";
import { newReader, type Reader, syntaxErrors, type Typed } from "./play-document.ts";

const root = new URL("../..", import.meta.url).pathname;
const HANG_MS = 300_000;

/** Why this machine cannot follow the documents; undefined when it can. */
function whyNot(): string | undefined {
  // Elsewhere the configuration has another folder than the documents name.
  if (process.platform !== "linux") return "the documents are for Linux";
  const missing = ["bash", "jq", "curl"].find((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);
  return missing === undefined ? undefined : `${missing} is not installed`;
}

const reason = whyNot();
if (reason !== undefined) process.stderr.write(`tests of the documents skipped: ${reason}\n`);

export interface DocumentFacts {
  /** Words that what was typed must have brought to light, somewhere. */
  readonly shows?: readonly string[];
  /** Further tests of what typing came to. */
  readonly further?: (typed: () => readonly Typed[]) => void;
  /** The program that is on the reader's path; the build of this checkout unless another is named. */
  readonly mkt?: string;
}

/** Tests that a reader of the document can type what it says: a test for each block, named by its line. */
export function followDocument(path: string, { shows = [], further, mkt }: DocumentFacts = {}): void {
  const markdown = readFileSync(join(root, path), "utf8");
  const blocks = blocksOf(markdown);
  const ofKind = (kind: string) => blocks.filter(({ task }) => task.kind === kind);

  describe.skipIf(reason !== undefined)(`a reader of ${path}`, () => {
    let reader: Reader | undefined;
    let typed: readonly Typed[] = [];

    beforeAll(async () => {
      if (["type", "background", "save"].every((kind) => ofKind(kind).length === 0)) return;
      reader = await newReader(mkt);
      typed = await reader.follow(blocks);
    }, HANG_MS);

    afterAll(async () => await reader?.[Symbol.asyncDispose](), HANG_MS);

    for (const block of ofKind("type")) {
      test(`types line ${block.line}: ${firstLine(block)}`, () => {
        const outcome = typed.find((one) => one.block === block);

        expect(outcome?.code, outcome?.code === undefined ? "a block before it failed" : outcome.said).toBe(0);
      });
    }

    for (const block of ofKind("elsewhere")) {
      const why = block.task.kind === "elsewhere" ? block.task.reason : "";
      test(`leaves line ${block.line} to another machine (${why}): ${firstLine(block)}`, async () => {
        expect(syntaxErrors(block.text)).toBe("");
        expect(await unknownWords(block.text)).toEqual([]);
      });
    }

    test.each(shows)("sees %s", (words) => {
      expect(typed.some(({ said }) => said.includes(words))).toBe(true);
    });

    test("finds every link of it leading somewhere", () => {
      const links = [...markdown.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);

      for (const link of links) expect(existsSync(join(root, dirname(path), link)), link).toBe(true);
    });

    further?.(() => typed);
  });
}

function firstLine({ text }: Block): string {
  return text.split("\n")[0] ?? "";
}
