import { type CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import { type CatalogText, lineAt, TextRefused } from "./catalog-text.ts";
import { parseJson } from "./parse-json.ts";

export type ParsedText = CatalogText | { readonly problems: readonly CatalogProblem[] };

/**
 * YAML or JSON (by the file's ending) → plain data with lines. Refused: syntax errors, keys that are used twice, custom
 * tags, `__proto__` and its like as keys, numbers that JSON cannot hold, more than 64 levels, aliases that expand too
 * much.
 */
export async function parseCatalogText(text: string, file: string): Promise<ParsedText> {
  try {
    if (file.toLowerCase().endsWith(".json")) return parseJson(text);
    // The YAML parser is much code; the files that come with the program are JSON after the build.
    const { parseYaml } = await import("./parse-yaml.ts");
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    const line = error.offset === undefined ? undefined : lineAt(text, error.offset);
    const problems = new ProblemList(file, () => line);
    problems.report(error.path, error.rule, error.message);
    return { problems: problems.list() };
  }
}
