import { FORBIDDEN_HEADERS } from "../../manifest/forbidden-headers.ts";
import type { FieldStyle } from "../../manifest/manifest.ts";
import type { Parsed } from "../../manifest/parsed.ts";
import { oncePer } from "../../base/once-per.ts";
import { headerParameter } from "../../manifest/header-parameter.ts";
import { RequestError, requireParsed, unusableValue } from "../../manifest/request-error.ts";
import { itemsOf } from "./request-fields.ts";
import { resolveOrExplain } from "./request-path.ts";
import { parseTemplate, referencesOf, type TemplatePart, type TemplateScope, toText } from "../../manifest/template.ts";

/** Headers that identify the caller: never made from a caller's input. */
const IDENTITY_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie"]);

/** A header of a provider's file with its template parsed. */
export interface CompiledHeader {
  /** In lower case. */
  readonly name: string;
  readonly parts: readonly TemplatePart[];
  readonly namesSecret: boolean;
  /** The query parameter that the whole header consists of. */
  readonly parameter: string | undefined;
}

/** Throws RequestError for a header that a file may not set. */
export const compiledHeaders = oncePer((headers: Readonly<Record<string, string>>): readonly CompiledHeader[] =>
  Object.entries(headers).map(([name, template]) => {
    const parts = requireParsed(parseHeader(name, template));
    return {
      name: name.toLowerCase(),
      parts,
      namesSecret: referencesOf(parts).some(({ kind }) => kind === "secret"),
      parameter: headerParameter(parts),
    };
  }),
);

function parseHeader(name: string, text: string): Parsed<readonly TemplatePart[]> {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    return { ok: false, message: `${JSON.stringify(name)} is not a header name` };
  }
  if (FORBIDDEN_HEADERS.has(name.toLowerCase())) {
    return { ok: false, message: `the header ${name} belongs to the connection and cannot be set; remove it` };
  }
  const template = parseTemplate(text);
  if (!template.ok) return template;
  if (IDENTITY_HEADERS.has(name.toLowerCase()) && referencesOf(template.value).some((part) => part.kind === "input")) {
    return { ok: false, message: `the header ${name} cannot be made from a caller's input` };
  }
  return template;
}

/** A header parameter's value as text: lists and objects joined by commas, or `R=100,G=200` or JSON by its style. */
export function headerText(value: unknown, style: FieldStyle | undefined): string {
  if (style === "json") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return toText(value);
  if (style === "pairs" && !Array.isArray(value)) {
    return Object.entries(value)
      .map(([name, member]) => `${name}=${toText(member)}`)
      .join(",");
  }
  return itemsOf(value).map(toText).join(",");
}

const VISIBLE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/**
 * The header's value; a caller's value that is not allowed in a header (line breaks, other control characters) is a
 * 400.
 */
export function renderHeader(
  parts: readonly TemplatePart[],
  scope: TemplateScope,
  spell: (value: unknown) => string = toText,
): string {
  return parts.map((part) => renderHeaderPart(part, scope, spell)).join("");
}

function renderHeaderPart(part: TemplatePart, scope: TemplateScope, spell: (value: unknown) => string): string {
  if (part.kind === "text") {
    if (!VISIBLE.test(part.text))
      throw new RequestError("a header of the provider's file has characters that headers cannot carry");
    return part.text;
  }
  const text = spell(resolveOrExplain(part, scope));
  if (!VISIBLE.test(text))
    throw unusableValue(part, "goes into a header, which cannot carry line breaks or such characters");
  return text;
}
