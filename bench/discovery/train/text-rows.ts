import { FIELD_REPEATS } from "../../../daemon/discovery/vectors/field-repeats.ts";
import { searchFields, type SearchField } from "../../../daemon/discovery/documents/search-document.ts";
import type { ToolStems } from "./examples.ts";
import { toSparseRows, type SparseRows } from "./sparse-rows.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Requests: each word once. */
export function requestRows(requests: readonly (readonly string[])[], { rowOf }: Vocabulary): SparseRows {
  return toSparseRows(
    requests.map(
      (stems) =>
        new Map(
          stems
            .map(rowOf)
            .filter(isKnown)
            .map((row) => [row, 1]),
        ),
    ),
  );
}

/** Tools: log(1 + how often each word occurs), an occurrence counting by its field; of some fields alone where they are named. */
export function toolRows(
  tools: readonly ToolStems[],
  vocabulary: Vocabulary,
  fields: readonly SearchField[] = searchFields,
): SparseRows {
  return toSparseRows(
    tools.map((tool) => {
      const counts = new Map<number, number>();
      for (const field of fields) {
        for (const row of (tool[field] ?? []).map(vocabulary.rowOf).filter(isKnown)) {
          counts.set(row, (counts.get(row) ?? 0) + FIELD_REPEATS[field]);
        }
      }
      return new Map([...counts].map(([row, count]) => [row, Math.log1p(count)]));
    }),
  );
}

function isKnown(row: number): boolean {
  return row >= 0;
}
