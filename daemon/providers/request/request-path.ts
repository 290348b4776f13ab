import { LruCache } from "../../base/lru-cache.ts";
import type { FieldStyle } from "../../manifest/manifest.ts";
import type { Parsed } from "../../manifest/parsed.ts";
import { itemsOf, styleOf } from "./request-fields.ts";
import { RequestError, unusableValue } from "../../manifest/request-error.ts";
import {
  parseTemplate,
  resolveReference,
  type TemplatePart,
  type TemplateReference,
  type TemplateScope,
  toText,
  UnresolvedReferenceError,
} from "../../manifest/template.ts";

/** One segment of a path template, between slashes. */
export type PathSegment = readonly TemplatePart[];

const PLACEHOLDER = /\{([^{}/]+)\}/g;

/** Parses `/v3/forecast/{city}/${run.externalId}`; `{name}` stands for `pathParams.name`. */
export function parsePathTemplate(path: string): Parsed<readonly PathSegment[]> {
  if (!path.startsWith("/")) return { ok: false, message: `a path begins with "/": ${JSON.stringify(path)}` };
  if (/[?#\\]/.test(path)) {
    return {
      ok: false,
      message: `a path has no "?", "#" or "\\"; use queryParams for a query: ${JSON.stringify(path)}`,
    };
  }
  const segments: PathSegment[] = [];
  for (const text of path.slice(1).split("/")) {
    const segment = parseSegment(text);
    if (!segment.ok) return segment;
    segments.push(segment.value);
  }
  return { ok: true, value: segments };
}

function parseSegment(text: string): Parsed<PathSegment> {
  const template = parseTemplate(text);
  if (!template.ok) return template;
  const parts: TemplatePart[] = [];
  for (const part of template.value) {
    if (part.kind !== "text") {
      parts.push(part);
      continue;
    }
    const literals = part.text.split(PLACEHOLDER);
    for (const [index, literal] of literals.entries()) {
      if (index % 2 === 1) parts.push({ kind: "input", section: "pathParams", path: [literal] });
      else if (literal !== "") parts.push({ kind: "text", text: literal });
    }
  }
  return { ok: true, value: parts };
}

type Styles = Readonly<Record<string, FieldStyle>>;

/**
 * The path with every value encoded so that it stays within its segment. A caller's value that is empty, `.`, `..`, has
 * control characters or is nested is refused with a 400. Lists and objects are joined by commas, or by their style.
 * Source: docs/security.md, T7.
 */
export function renderPath(segments: readonly PathSegment[], scope: TemplateScope, styles: Styles = {}): string {
  return segments.map((segment) => `/${segment.map((part) => renderPart(part, scope, styles)).join("")}`).join("");
}

function renderPart(part: TemplatePart, scope: TemplateScope, styles: Styles): string {
  if (part.kind === "text") return encodeLiteral(part.text);
  const isParameter = part.kind === "input" && part.section === "pathParams";
  const style = isParameter ? styleOf({ styles }, part.path.join(".")) : undefined;
  return encodeSegmentValue(part, resolveOrExplain(part, scope), style);
}

export function resolveOrExplain(reference: TemplateReference, scope: TemplateScope): unknown {
  try {
    return resolveReference(reference, scope);
  } catch (error) {
    if (error instanceof UnresolvedReferenceError)
      throw unusableValue(reference, "is needed for this call; give a value");
    throw error;
  }
}

const CONTROL = /\p{Cc}/u;

/** One value as part of one segment: `a,b` for a list, `R,100,G,200` for an object, or with a style `R=100,G=200`. */
export function encodeSegmentValue(reference: TemplateReference, value: unknown, style?: FieldStyle): string {
  if (style === "json") return encodeScalar(reference, JSON.stringify(value));
  if (typeof value !== "object" || value === null) return encodeScalar(reference, value);
  const encode = (item: unknown) => encodeScalar(reference, item);
  const items =
    style === "pairs" && !Array.isArray(value)
      ? Object.entries(value).map(([name, member]) => `${encode(name)}=${encode(member)}`)
      : itemsOf(value).map(encode);
  if (items.length === 0) throw unusableValue(reference, "goes into the path and must not be empty");
  return items.join(",");
}

function encodeScalar(reference: TemplateReference, value: unknown): string {
  if (typeof value === "object") {
    throw unusableValue(reference, "goes into the path, where lists and objects hold text and numbers alone");
  }
  const text = toText(value);
  if (text === "" || text === "." || text === "..") {
    throw unusableValue(
      reference,
      `goes into the path and must not be empty, "." or ".." (got ${JSON.stringify(text)})`,
    );
  }
  if (CONTROL.test(text)) throw unusableValue(reference, "goes into the path and must not have control characters");
  try {
    return encodeURIComponent(text);
  } catch {
    throw unusableValue(reference, "is not valid Unicode text");
  }
}

function encodeLiteral(text: string): string {
  try {
    return encodeURI(text).replaceAll("%25", "%");
  } catch {
    throw new RequestError(`the path text ${JSON.stringify(text)} is not valid Unicode`);
  }
}

/**
 * The base address followed by the rendered path. Throws when a parser would give the address another origin, another
 * path or another number of segments: no segment may be resolved away.
 */
export function joinPath(baseUrl: string, path: string): URL {
  const base = readBase(baseUrl);
  const expected = base.path + path;
  const url = new URL(base.origin + expected);
  const sameSegments = url.pathname.split("/").length === expected.split("/").length;
  if (
    url.origin !== base.origin ||
    url.pathname !== expected ||
    !sameSegments ||
    url.search !== "" ||
    url.hash !== ""
  ) {
    throw new RequestError("the path of the request would leave the address that its provider declared");
  }
  for (const [name, value] of base.query) url.searchParams.append(name, value);
  return url;
}

/** The parts of a base address. */
export interface BaseAddress {
  readonly origin: string;
  /** Without slashes at its end. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Base addresses whose parts are kept: every call needs those of its provider. */
const MAX_BASES = 1_000;
let bases: LruCache<string, BaseAddress> | undefined;

/** Throws TypeError for what is no address. */
export function readBase(baseUrl: string): BaseAddress {
  bases ??= new LruCache(MAX_BASES);
  return bases.getOrMake(baseUrl, () => {
    const { origin, pathname, searchParams } = new URL(baseUrl);
    return { origin, path: pathname.replace(/\/+$/, ""), query: [...searchParams] };
  });
}
