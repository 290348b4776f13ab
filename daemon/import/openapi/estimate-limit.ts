import type { ManifestSchema } from "./convert-schema.ts";

export const LIMIT_NAMES =
  /^(?:limit|max_?items|max_?results|per_?page|page_?size|items_?per_?page|size|count|rows|top|\$top|first|num|max|take|n_?results|results_?per_?page|resultCount|maxRecords|hits_?per_?page)$/i;

export interface LimitField {
  /** `input:queryParams.limit`. */
  readonly extractor: string;
}

/** The field by which a caller says how many results at most, so that a price by the result could be estimated. */
export function findLimit(
  sections: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>,
): LimitField | undefined {
  for (const section of ["queryParams", "body"]) {
    for (const [name, schema] of Object.entries(sections[section] ?? {})) {
      if (!LIMIT_NAMES.test(name) || !isCount(schema as ManifestSchema)) continue;
      return { extractor: `input:${section}.${name}` };
    }
  }
  return undefined;
}

function isCount(schema: ManifestSchema): boolean {
  const type: unknown = schema["type"];
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.includes("integer") || types.includes("number");
}
