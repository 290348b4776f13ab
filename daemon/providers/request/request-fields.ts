import type { InputSection } from "../../manifest/input-sections.ts";
import type { ArrayStyle, FieldStyle } from "../../manifest/manifest.ts";
import { unusableValue } from "../../manifest/request-error.ts";

/** One field of a query or a form: a value, or several in one text. */
export interface Field {
  readonly name: string;
  readonly items: readonly string[];
  /** Separates the items. */
  readonly separator: Separator;
}
type Separator = "," | "|" | " " | "\t";

/** The styles of a call's values: the field's own style, otherwise that of all lists. */
export interface FieldSpelling {
  readonly arrays: ArrayStyle;
  readonly styles: Readonly<Record<string, FieldStyle>>;
}

const SEPARATORS: Readonly<Partial<Record<FieldStyle, Separator>>> = {
  comma: ",",
  pipes: "|",
  spaces: " ",
  tabs: "\t",
};

export function styleOf({ styles }: Pick<FieldSpelling, "styles">, name: string): FieldStyle | undefined {
  return Object.hasOwn(styles, name) ? styles[name] : undefined;
}

/** A field with one value. */
export function fieldOf(name: string, value: string): Field {
  return { name, items: [value], separator: "," };
}

/** Named values as flat fields. Objects without a style become `a[b]=c`; null and undefined are left out. */
export function toFields(values: Readonly<Record<string, unknown>>, spelling: FieldSpelling): readonly Field[] {
  return Object.entries(values).flatMap(([name, value]) =>
    styledFields(name, value, styleOf(spelling, name), spelling.arrays),
  );
}

function styledFields(
  name: string,
  value: unknown,
  style: FieldStyle | undefined,
  arrays: ArrayStyle,
): readonly Field[] {
  if (!isThere(value)) return [];
  if (style === "json") return [fieldOf(name, JSON.stringify(value))];
  if (style === undefined || typeof value !== "object") return nestedFields(name, value, arrays);
  if (style === "flat" && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => nestedFields(key, inner, arrays));
  }
  const separator = SEPARATORS[style];
  if (separator === undefined) return nestedFields(name, value, style === "brackets" ? "brackets" : "repeat");
  const items = itemsOf(value).map(toItem);
  return items.length === 0 ? [] : [{ name, items, separator }];
}

/**
 * Refuses an object with the style `flat` that has a member with the name of another field: the vendor would get the
 * name twice, possibly that of a key, and use either. `taken`: names in addition to those of `values`. Throws ApiError
 * `invalidInput`.
 */
export function refuseTakenNames(
  section: InputSection,
  values: Readonly<Record<string, unknown>>,
  { spelling, taken = [] }: { readonly spelling: FieldSpelling; readonly taken?: readonly string[] },
): void {
  for (const [name, value] of Object.entries(values)) {
    if (styleOf(spelling, name) !== "flat" || typeof value !== "object" || value === null) continue;
    const names = new Set([...Object.keys(values), ...taken]);
    const clash = Array.isArray(value) ? undefined : Object.keys(value).find((key) => key !== name && names.has(key));
    if (clash === undefined) continue;
    throw unusableValue(
      { kind: "input", section, path: [name] },
      `has a member ${JSON.stringify(clash)}, which is the name of another field of this call`,
    );
  }
}

/** `[1, 2]` → 1, 2; `{R: 100, G: 200}` → R, 100, G, 200. */
export function itemsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value.filter(isThere);
  return Object.entries(value).flatMap(([key, inner]) => (isThere(inner) ? [key, inner] : []));
}

function toItem(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function nestedFields(name: string, value: unknown, arrays: ArrayStyle): readonly Field[] {
  if (!isThere(value)) return [];
  if (Array.isArray(value)) return listFields(name, value, arrays);
  if (typeof value === "object") {
    return Object.entries(value).flatMap(([key, inner]) => nestedFields(`${name}[${key}]`, inner, arrays));
  }
  return [fieldOf(name, String(value))];
}

function listFields(name: string, list: readonly unknown[], arrays: ArrayStyle): readonly Field[] {
  const items = list.filter(isThere);
  if (items.some((item) => typeof item === "object")) {
    return items.flatMap((item, index) => nestedFields(`${name}[${index}]`, item, arrays));
  }
  if (arrays === "comma") return items.length === 0 ? [] : [{ name, items: items.map(String), separator: "," }];
  const spelled = arrays === "brackets" ? `${name}[]` : name;
  return items.map((item) => fieldOf(spelled, String(item)));
}

function isThere<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

const ENCODED_SEPARATORS: Readonly<Record<Separator, string>> = { ",": ",", "|": "%7C", " ": "%20", "\t": "%09" };

/**
 * A query without the question mark. A space is `%20`, which every server decodes in the same way; of the separators
 * only the comma is left unencoded: the others are not allowed in a query (RFC 3986, 3.4), and strict servers refuse
 * them.
 */
export function toQueryString(fields: readonly Field[]): string {
  return fields
    .map(({ name, items, separator }) => `${encode(name)}=${items.map(encode).join(ENCODED_SEPARATORS[separator])}`)
    .join("&");
}

/** The text of a URL-encoded form. */
export function toFormText(fields: readonly Field[]): string {
  return new URLSearchParams(fields.map((field): [string, string] => [field.name, textOf(field)])).toString();
}

export function textOf({ items, separator }: Field): string {
  return items.join(separator);
}

function encode(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(wellFormed);
}
