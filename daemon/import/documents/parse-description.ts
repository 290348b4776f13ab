import { lineAt, type TextLimits, TextRefused } from "../../catalog/parsing/catalog-text.ts";
import { parseJson } from "../../catalog/parsing/parse-json.ts";
import { formatDocumentPath } from "../../catalog/problems/catalog-problem.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";

export interface ParsedDescription {
  /** Plain data: no cycles, no keys with a special meaning in JavaScript. */
  readonly value: unknown;
  /** Notes for a person on how it was read. */
  readonly notes: readonly string[];
}

/** About ten times the size of the largest public descriptions. docs/security.md, T27. */
const LIMITS = {
  maxNodes: 2_000_000,
  maxDepth: 128,
  maxTokens: 2_000_000,
  maxAliases: 20_000,
  mergesMaps: true,
} as const;
const MAX_LEFT_OUT_TOLD = 5;
const MAX_SHOWN_CHARACTERS = 80;

/**
 * JSON or YAML, distinguished by content and not by name, → plain data. Duplicate keys and syntax errors are refused; a
 * key such as `__proto__` is left out and noted. Throws ImportRefused with the location.
 */
export async function parseDescription(text: string): Promise<ParsedDescription> {
  const leftOut = new Set<string>();
  const limits: TextLimits = { ...LIMITS, leaveOut: (_, path) => leftOut.add(formatDocumentPath(path)) };
  const beginning = text.slice(0, 1_000).trimStart();
  refuseMarkup(beginning);
  if (text.trim() === "") throw new ImportRefused("empty", "There is nothing in it.");
  const { value, notes } = await parse(text, beginning, limits);
  return { value, notes: [...notes, ...wordLeftOut([...leftOut])] };
}

async function parse(text: string, beginning: string, limits: TextLimits): Promise<ParsedDescription> {
  if (!/^[[{]/.test(beginning)) return { value: await readYaml(text, limits), notes: [] };
  try {
    return { value: parseJson(text, limits).value, notes: [] };
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    const refused = toImportRefused(error, text);
    if (refused.rule !== "syntax") throw refused;
    // Trailing commas and unquoted texts are still valid YAML.
    const value = await readYaml(text, limits).catch(() => {
      throw refused;
    });
    return { value, notes: [`It is not strict JSON, and was read as YAML. ${refused.message}`] };
  }
}

async function readYaml(text: string, limits: TextLimits): Promise<unknown> {
  const { parseYaml } = await import("../../catalog/parsing/parse-yaml.ts");
  try {
    return parseYaml(text, limits).value;
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    throw toImportRefused(error, text);
  }
}

function refuseMarkup(beginning: string): void {
  if (!beginning.startsWith("<")) return;
  const message = /^<\?xml/i.test(beginning)
    ? "This is XML (WSDL, WADL or a feed?). A description in OpenAPI, as JSON or YAML, is needed."
    : "This is a web page and no description of an API. The address of the raw document is meant: look for a link to openapi.json, swagger.json or openapi.yaml on that page.";
  throw new ImportRefused("web-page", message, 1);
}

/** With the line, the column and an excerpt. */
function toImportRefused(error: TextRefused, text: string): ImportRefused {
  const offset = error.offset ?? (error.message.includes("end of JSON") ? text.length : undefined);
  if (offset === undefined) return new ImportRefused(error.rule, error.message);
  const line = lineAt(text, offset);
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", begin);
  const column = offset - begin + 1;
  const shown = excerpt(text.slice(begin, end === -1 ? text.length : end), column);
  const place = `Line ${line}, column ${column}`;
  return new ImportRefused(error.rule, `${place}: ${error.message}${shown === "" ? "" : ` The line: ${shown}`}`, line);
}

/** Part of a line around a column, quoted, so that a tab or an escape in it is visible and harmless. */
function excerpt(line: string, column: number): string {
  const begin = Math.max(0, Math.min(column - 1, line.length) - MAX_SHOWN_CHARACTERS / 2);
  const part = line.slice(begin, begin + MAX_SHOWN_CHARACTERS);
  return part.trim() === "" && !part.includes("\t") ? "" : JSON.stringify(part);
}

function wordLeftOut(places: readonly string[]): string[] {
  if (places.length === 0) return [];
  const shown = places.slice(0, MAX_LEFT_OUT_TOLD).join(", ");
  const rest = places.length > MAX_LEFT_OUT_TOLD ? ` and ${places.length - MAX_LEFT_OUT_TOLD} more` : "";
  return [`Left out, because such a name has a meaning of its own in JavaScript: ${shown}${rest}.`];
}
