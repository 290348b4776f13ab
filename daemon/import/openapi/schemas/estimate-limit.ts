import type { ManifestSchema } from "./manifest-schema.ts";

/** Names that are only used for a number of results. */
const SURE_NAMES =
  /^(?:limit|max_?items|max_?results|per_?page|page_?size|items_?per_?page|rows|\$top|n_?results|results_?per_?page|resultCount|maxRecords|hits_?per_?page)$/i;
/** Names with other meanings too: a price, a distance, the size of a picture. */
const MAYBE_NAMES = /^(?:size|count|top|first|num|max|take)$/i;
const ABOUT_RESULTS =
  /\b(?:results?|items?|records?|entries|rows?|hits?|elements?|objects?|documents?|matches|per page|returned?|to return|page size|how many|number of)\b/i;
const OTHER_UNITS =
  /\b(?:pixels?|px|bytes?|[kmg]i?b|characters?|words?|tokens?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|meters?|metres?|kilomet\w+|km|miles?|feet|degrees?|price|dollars?|usd|eur|percent\w*|radius|distance|age|score|rating|magnitude|temperature|width|height|zoom|depth)\b/i;

/** Whether the name of a field may mean the number of requested results. */
export function isLimitName(name: string): boolean {
  return SURE_NAMES.test(name) || MAYBE_NAMES.test(name);
}

export interface LimitField {
  /** `input:queryParams.limit`. */
  readonly extractor: string;
}

/** The field with which a caller limits the number of results, so that a price for each result can be estimated. */
export function findLimit(
  sections: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>,
): LimitField | undefined {
  for (const section of ["queryParams", "body"]) {
    for (const [name, schema] of Object.entries(sections[section] ?? {})) {
      if (!isCount(schema as ManifestSchema) || !limitsResults(name, schema as ManifestSchema)) continue;
      return { extractor: `input:${section}.${name}` };
    }
  }
  return undefined;
}

/** A limit in another unit does not limit results. */
function limitsResults(name: string, { description }: ManifestSchema): boolean {
  const words = typeof description === "string" ? description : "";
  const isOther = OTHER_UNITS.test(words) && !ABOUT_RESULTS.test(words);
  return SURE_NAMES.test(name)
    ? !isOther
    : MAYBE_NAMES.test(name) && ABOUT_RESULTS.test(words) && !OTHER_UNITS.test(words);
}

function isCount(schema: ManifestSchema): boolean {
  const type: unknown = schema["type"];
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.includes("integer") || types.includes("number");
}
