import { join } from "node:path";
import { loadThesaurusFiles } from "../../daemon/catalog/thesaurus/thesaurus-file.ts";
import type { Expand } from "../../daemon/discovery/ranking/query/ask.ts";
import { expansionsOf } from "../../daemon/discovery/ranking/query/expansions.ts";
import { compileThesaurus } from "../../daemon/discovery/thesaurus/compile-thesaurus.ts";

/** What the thesaurus that comes with the program adds to a query. */
export async function loadBundledExpansion(projectDir: string): Promise<Expand> {
  const { data } = await loadThesaurusFiles([join(projectDir, "catalog", "thesaurus.yaml")]);
  const thesaurus = compileThesaurus(data);
  return (query) => expansionsOf(query, thesaurus);
}
