import type { TemplatePart } from "./template.ts";

/**
 * The parameter of a header whose template is only that parameter (`"${input.queryParams.X-Request-Id}"`). It is sent
 * in the header and not in the query; when the parameter is not given, there is no header. Undefined for every other
 * template.
 */
export function headerParameter(parts: readonly TemplatePart[]): string | undefined {
  const [only] = parts;
  if (parts.length !== 1 || only?.kind !== "input" || only.section !== "queryParams") return undefined;
  return only.path.join(".");
}
