import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { ANALYSIS_PARTS } from "../../../bench/discovery/analysis-parts.ts";
import type { buildOurs } from "../../../bench/discovery/engines/ours.ts";
import type { SearchDocument } from "../../../daemon/discovery/documents/search-document.ts";

type Bundle = (name: string, options?: { readonly without?: string | undefined }) => Promise<string>;

const { bundle } = (await import(new URL("../../../bench/bundle.mjs", import.meta.url).href)) as {
  readonly bundle: Bundle;
};

const projectDir = fileURLToPath(new URL("../../..", import.meta.url));

/** Words that nobody has a vector of: what is found is found by its words. */
const NAMES = ["getBlorfQuonk", "snirkl", "about"];
const QUERIES = ["blorf", "snirkls", "about"];

test.each([
  ["all parts", undefined, ["blorf", "snirkls"]],
  ["identifiers split", "identifiers split", ["snirkls"]],
  ["stems", "stems", ["blorf"]],
  ["stop words", "stop words", ["blorf", "snirkls", "about"]],
])(
  "what is found with or without the part: %s",
  async (_, part, expected) => {
    const program = await bundle("discovery/engines/ours", { without: part && ANALYSIS_PARTS[part] });
    const ours = (await import(pathToFileURL(program).href)) as { readonly buildOurs: typeof buildOurs };
    const engine = await ours.buildOurs(NAMES.map(documentOf), {
      projectDir,
      ...(part !== undefined && { partsOff: [part] }),
    });

    const found = QUERIES.filter((q) => engine.search(q, 3).length > 0);

    expect(found).toEqual(expected);
  },
  60_000,
);

function documentOf(name: string, number: number) {
  const fields: SearchDocument = {
    name,
    asks: "",
    path: "",
    tags: "",
    categories: "",
    description: "",
    provider: "",
    parameters: "",
  };
  return { provider: "shop", path: `/${number}`, fields };
}
