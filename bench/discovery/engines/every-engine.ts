import type { BuildEngine } from "./engine.ts";
import { buildFts5, buildFts5WithStopWords } from "./fts5.ts";
import { buildConfiguredMiniSearch, buildMiniSearch } from "./minisearch.ts";
import { buildOrama } from "./orama.ts";
import { buildOurs, type OursOptions, parts } from "./ours.ts";
import { buildPlainBm25 } from "./plain-bm25.ts";

/** What ours is held against, by the name in the tables. */
const others: Readonly<Record<string, BuildEngine>> = {
  "MiniSearch configured": buildConfiguredMiniSearch,
  "SQLite FTS5 + stop words": buildFts5WithStopWords,
  "SQLite FTS5": buildFts5,
  "plain BM25": buildPlainBm25,
  MiniSearch: buildMiniSearch,
  Orama: buildOrama,
};

export const OURS = "ours";
export const otherEngines: readonly string[] = Object.keys(others);
/** Ours, and ours without each of its parts. */
export const ourEngines: readonly string[] = [OURS, ...parts.map(without)];

/** The row of ours without a part. */
export function without(part: string): string {
  return `${OURS} without ${part}`;
}

/** The engine of that name. The options are for ours alone: the others have learned nothing. Throws for an unknown name. */
export function engineBuilder(
  name: string,
  { leaveOut, projectDir }: Pick<OursOptions, "leaveOut" | "projectDir"> = {},
): BuildEngine {
  const other = others[name];
  if (other !== undefined) return other;
  const partsOff = parts.filter((part) => name === without(part));
  if (name !== OURS && partsOff.length === 0) throw new Error(`there is no engine "${name}"`);
  return (documents) => buildOurs(documents, { partsOff, leaveOut, projectDir });
}
