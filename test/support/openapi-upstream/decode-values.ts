import type { Parameter } from "./api-document.ts";
import type { DocumentSchemas, Kind } from "./document-schemas.ts";

/** What is wrong with a request, in words. */
export class Complaint extends Error {
  override readonly name = "Complaint";
}

/** One `name=value` of a query or a form, as it came. */
export interface Pair {
  readonly name: string;
  /** Still encoded. */
  readonly raw: string;
  /** Whose it is, once somebody claimed it. */
  owner?: string;
}

export function readPairs(text: string): readonly Pair[] {
  return text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.indexOf("=");
      const [name, raw] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
      return { name: decodeQuery(name), raw };
    });
}

export function decodeQuery(raw: string): string {
  return decode(raw.replaceAll("+", " "));
}

export function decode(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new Complaint(`${JSON.stringify(raw)} is not encoded as addresses are`);
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Complaint(`${JSON.stringify(text.slice(0, 200))} is not JSON`);
  }
}

/** Texts in the structure that they were sent in; what is in them has no types yet. */
export type Texts = string | readonly string[] | Readonly<Record<string, unknown>>;

/**
 * A value in one place of a request, read in every kind that its schema allows; the first that the schema finds valid.
 * Undefined when it was not sent. Throws Complaint.
 */
export function readValue(schema: unknown, schemas: DocumentSchemas, read: (kind: Kind) => Texts | undefined): unknown {
  let first: Complaint | undefined;
  for (const kind of schemas.kindsOf(schema)) {
    try {
      const texts = read(kind);
      if (texts === undefined) continue;
      const value = typed(schema, schemas, texts);
      const [complaint] = schemas.complaints(schema, value);
      if (complaint === undefined) return value;
      throw new Complaint(`${JSON.stringify(value)}: ${complaint}`);
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      first ??= error;
    }
  }
  if (first !== undefined) throw first;
  return undefined;
}

function typed(schema: unknown, schemas: DocumentSchemas, texts: unknown): unknown {
  if (typeof texts === "string") return schemas.scalarOf(schema, texts);
  if (Array.isArray(texts)) return texts.map((text) => typed(schemas.itemsOf(schema), schemas, text));
  const members = Object.entries(texts as Readonly<Record<string, unknown>>);
  return Object.fromEntries(
    members.map(([name, text]) => [name, typed(schemas.propertyOf(schema, name), schemas, text)]),
  );
}

type Separators = Readonly<Record<string, RegExp>>;

const SEPARATORS: Separators = {
  form: /,/,
  spaceDelimited: /%20|\+/,
  pipeDelimited: /\||%7C/i,
  tabDelimited: /%09/,
};

/** Many servers decode a form before they split it, so that both ways of writing a comma arrive. */
export const SEPARATORS_OF_FORMS: Separators = { ...SEPARATORS, form: /,|%2C/i };

/** Spelled as a parameter of a query; a field of a form is spelled alike. */
export type Spelling = Pick<Parameter, "name" | "style" | "explode">;

/** The texts of one parameter among all pairs, which become its own. OpenAPI, "Style Values". Throws Complaint. */
export function readFromPairs(
  pairs: readonly Pair[],
  spelling: Spelling,
  kind: Kind,
  members: { readonly names: ReadonlySet<string>; readonly isOpen: boolean },
  separators = SEPARATORS,
): Texts | undefined {
  const { name, style, explode } = spelling;
  if (kind === "object" && style === "deepObject") return readDeepObject(pairs, name);
  if (kind === "object" && explode) return readMembers(pairs, name, members);
  const own = claim(pairs, name, (pair) => pair.name === name);
  if (kind === "array" && (explode || style === "deepObject")) {
    // Nothing defines a list in the style deepObject; the forms that servers take are repeated names and empty brackets.
    const listed = style === "deepObject" ? claim(pairs, name, (pair) => /^\[\d*\]$/.test(rest(pair, name))) : [];
    const all = [...own, ...listed];
    return all.length === 0 ? undefined : all.map(({ raw }) => decodeQuery(raw));
  }
  const [only] = own;
  if (only === undefined) return undefined;
  if (own.length > 1) throw new Complaint(`${name} was sent ${own.length} times`);
  if (kind === "scalar") return decodeQuery(only.raw);
  const separator = separators[style];
  if (separator === undefined) throw new Complaint(`${name} has the unknown style ${style}`);
  const items = only.raw.split(separator).map(decodeQuery);
  return kind === "array" ? items : pairUp(items, name);
}

function claim(pairs: readonly Pair[], owner: string, isOwn: (pair: Pair) => boolean): readonly Pair[] {
  const own = pairs.filter(isOwn);
  for (const pair of own) pair.owner = owner;
  return own;
}

function rest(pair: Pair, name: string): string {
  return pair.name.startsWith(name) ? pair.name.slice(name.length) : "";
}

/** `a[b]=c`, and `a[b][c]=d`, which nothing defines and everybody takes. */
function readDeepObject(pairs: readonly Pair[], name: string): Texts | undefined {
  const own = claim(pairs, name, (pair) => /^(?:\[[^[\]]+\])+(?:\[\])?$/.test(rest(pair, name)));
  if (own.length === 0) return undefined;
  const value: Record<string, unknown> = {};
  for (const pair of own) {
    const steps = [...rest(pair, name).matchAll(/\[([^[\]]*)\]/g)].map(([, step = ""]) => step);
    const isList = steps.at(-1) === "";
    const path = isList ? steps.slice(0, -1) : steps;
    const last = path.at(-1) ?? "";
    let here = value;
    for (const step of path.slice(0, -1)) here = (here[step] ??= {}) as Record<string, unknown>;
    const before = here[last];
    const text = decodeQuery(pair.raw);
    here[last] =
      isList || before !== undefined ? [...(Array.isArray(before) ? before : before ? [before] : []), text] : text;
  }
  return value;
}

/** The members of an exploded object stand beside the parameters, without its name. */
function readMembers(
  pairs: readonly Pair[],
  owner: string,
  { names, isOpen }: { readonly names: ReadonlySet<string>; readonly isOpen: boolean },
): Texts | undefined {
  const own = claim(pairs, owner, (pair) => names.has(pair.name) || (isOpen && pair.owner === undefined));
  if (own.length === 0) return undefined;
  const texts = new Map<string, string | string[]>();
  for (const { name, raw } of own) {
    const before = texts.get(name);
    texts.set(name, before === undefined ? decodeQuery(raw) : [before, decodeQuery(raw)].flat());
  }
  return Object.fromEntries(texts);
}

function pairUp(items: readonly string[], name: string): Readonly<Record<string, string>> {
  if (items.length % 2 === 1) throw new Complaint(`${name} is an object and has an odd number of parts`);
  const members = items.filter((_, index) => index % 2 === 0).map((key, index) => [key, items[2 * index + 1] ?? ""]);
  return Object.fromEntries(members) as Readonly<Record<string, string>>;
}

/** `R=100,G=200`, at any separator. */
function readAssignments(items: readonly string[], name: string): Readonly<Record<string, string>> {
  const members = items.map((item) => {
    const at = item.indexOf("=");
    if (at < 0) throw new Complaint(`${name} is an exploded object, and ${JSON.stringify(item)} has no "="`);
    return [item.slice(0, at), item.slice(at + 1)];
  });
  return Object.fromEntries(members) as Readonly<Record<string, string>>;
}

/** The texts of a path parameter, as its place in the path has it, still encoded. Throws Complaint. */
export function readFromPath(raw: string, { name, style, explode }: Spelling, kind: Kind): Texts {
  if (style === "matrix") return readMatrix(raw, { name, style, explode }, kind);
  if (style === "label" && !raw.startsWith("."))
    throw new Complaint(`${name} has the style label and no dot before it`);
  const text = style === "label" ? raw.slice(1) : raw;
  const separator = style === "label" && explode ? "." : ",";
  return readSimple(text, { name, separator, explode, decoded: decode }, kind);
}

function readMatrix(raw: string, { name, explode }: Spelling, kind: Kind): Texts {
  if (!raw.startsWith(";")) throw new Complaint(`${name} has the style matrix and no semicolon before it`);
  const parts = raw.slice(1).split(";");
  if (kind === "object" && explode) return decodeMembers(readAssignments(parts, name), decode);
  const values = parts.map((part) => {
    if (!part.startsWith(`${name}=`)) throw new Complaint(`${name} has the style matrix, and came as ${raw}`);
    return part.slice(name.length + 1);
  });
  if (kind === "array" && explode) return values.map(decode);
  if (values.length !== 1) throw new Complaint(`${name} came ${values.length} times`);
  return readSimple(values[0] ?? "", { name, separator: ",", explode: false, decoded: decode }, kind);
}

/** The texts of a header; nothing in it is encoded. */
export function readFromHeader(text: string, { name, explode }: Spelling, kind: Kind): Texts {
  return readSimple(text, { name, separator: ",", explode, decoded: (raw) => raw.trim() }, kind);
}

interface SimpleSpelling {
  readonly name: string;
  readonly separator: string;
  readonly explode: boolean;
  readonly decoded: (raw: string) => string;
}

function readSimple(raw: string, { name, separator, explode, decoded }: SimpleSpelling, kind: Kind): Texts {
  if (kind === "scalar") return decoded(raw);
  const items = raw.split(separator);
  if (kind === "array") return items.map(decoded);
  return explode ? decodeMembers(readAssignments(items, name), decoded) : pairUp(items.map(decoded), name);
}

function decodeMembers(members: Readonly<Record<string, string>>, decoded: (raw: string) => string) {
  return Object.fromEntries(Object.entries(members).map(([name, text]) => [decoded(name), decoded(text)]));
}
