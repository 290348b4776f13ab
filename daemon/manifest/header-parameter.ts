import type { TemplatePart } from "./template.ts";

/**
 * The parameter that a header is nothing but (`"${input.queryParams.X-Request-Id}"`): it is sent in the header and not in
 * the query, and where it is not given there is no header. Undefined for every other template.
 */
export function headerParameter(parts: readonly TemplatePart[]): string | undefined {
  const [only] = parts;
  if (parts.length !== 1 || only?.kind !== "input" || only.section !== "queryParams") return undefined;
  return only.path.join(".");
}
