import { isRecord } from "../../../shared/is-record.ts";
import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { Covers } from "../../manifest/parts/covers.ts";

/** A kind of thing that an endpoint takes and that a query may bring: how it is written tells it from others. */
export type TakenKind =
  | "coordinates"
  | "ip"
  | "address"
  | "email"
  | "url"
  | "code"
  | "expression"
  | "currencies"
  | "text";

/** What an endpoint takes, does and covers: what ranking compares with what a query brings and wants. */
export interface EndpointShape {
  /** Kinds of things that it takes, required or not. */
  readonly takes: ReadonlySet<TakenKind>;
  /** Whether it answers only for an identifier that nobody knows by heart. */
  readonly needsId: boolean;
  /** Whether it answers only for a title, with the one thing that has it. */
  readonly needsTitle: boolean;
  /** Whether it answers only for coordinates. */
  readonly needsCoordinates: boolean;
  readonly effect: EndpointEffect;
  /** The part of it that the method alone tells. */
  readonly byMethod?: "updates" | "deletes";
  readonly covers: Covers;
}

/** What a call does; `any`: neither the method nor the name tells. */
export type EndpointEffect = "reads" | "creates" | "updates" | "deletes" | "any";

const known = new WeakMap<CatalogEntry, EndpointShape>();

/** Read once for each entry. */
export function shapeOfEntry(entry: CatalogEntry): EndpointShape {
  const before = known.get(entry);
  if (before !== undefined) return before;
  const shape = readShape(entry);
  known.set(entry, shape);
  return shape;
}

const BY_METHOD: Readonly<Record<string, "updates" | "deletes">> = {
  PUT: "updates",
  PATCH: "updates",
  DELETE: "deletes",
};

function readShape({ input, request, displayName, path, covers = {} }: CatalogEntry): EndpointShape {
  const byMethod = BY_METHOD[request.method ?? "POST"];
  const parameters = [input.pathParams, input.queryParams, input.body].flatMap(parametersOf);
  const required = parameters.filter(({ isRequired }) => isRequired);
  return {
    takes: new Set(parameters.flatMap(kindsOf)),
    needsId: required.some(isOpaque),
    needsTitle: required.some(isTitle),
    needsCoordinates: required.some((parameter) => kindsOf(parameter).includes("coordinates")),
    effect: effectOf(request.method ?? "POST", [displayName, lastSegment(path)]),
    ...(byMethod !== undefined && { byMethod }),
    covers,
  };
}

interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

function parametersOf(schema: Readonly<Record<string, unknown>> | undefined): Parameter[] {
  const properties = schema?.["properties"];
  if (!isRecord(properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, property]) => {
    const description = isRecord(property) ? property["description"] : undefined;
    return {
      name,
      description: typeof description === "string" ? description : "",
      isRequired: required.includes(name),
    };
  });
}

const KINDS: readonly (readonly [kind: TakenKind, name: RegExp])[] = [
  ["coordinates", /^(?:lat|lon|lng|latitude|longitude|lat_?l(?:on|ng)|coordinates?)$/i],
  ["ip", /^ip(?:_?address|s)?$/i],
  ["email", /^e?_?mail(?:_?address)?$/i],
  ["url", /^(?:(?:start|site|page|web)?_?ur[li]s?|domains?|websites?|hosts?|hostname)$/i],
  ["expression", /^(?:expr|expression|formula)$/i],
  ["currencies", /^(?:(?:base|quotes?|counter)_?(?:currency|currencies)?|(?:from|to|source|target)_?currency)$/i],
  ["code", /^(?:barcode|gtin|ean|upc|isbn|issn|doi|orcid|code)$/i],
  ["address", /^(?:address(?:es)?|street|textQuery)$/i],
  ["text", /^(?:q|query|search|searchterm|term|terms|keywords?|text|textquery|phrase|prompt|topic|title|name)$/i],
];

function kindsOf({ name, description }: Parameter): TakenKind[] {
  const kinds = KINDS.flatMap(([kind, pattern]) => (pattern.test(name) ? kind : []));
  if (kinds.includes("text") && /\baddress(?:es)?\b/i.test(description)) kinds.push("address");
  if (kinds.includes("text") && /\bcoordinates\b/i.test(description)) kinds.push("coordinates");
  if (MAY_BE_CURRENCY.test(name) && /\bcurrenc(?:y|ies)\b/i.test(description)) kinds.push("currencies");
  return kinds;
}

/** Dates and stocks are called so as well. */
const MAY_BE_CURRENCY = /^(?:from|to|source|target|pairs?|symbols?)$/i;

/** Numbers and keys of a provider's own; not a code that people know, and not one that may be a name too. */
function isOpaque({ name, description }: Parameter): boolean {
  const isId = /(?:^|[_-])(?:id|ids|sid|key|uuid|guid|sha|doi|cik|fips)$|[a-z](?:Id|ID|Sid|Key)$/.test(name);
  return isId && !/\bnames?\b/i.test(description);
}

/** "Title, or most of it", "The full title"; words of a title are searched for. */
function isTitle(parameter: Parameter): boolean {
  return (
    kindsOf(parameter).includes("text") && /^(?:the )?(?:full |exact |whole )?title\b/i.test(parameter.description)
  );
}

/** Verbs that begin the name of a call by POST: "delete_file", "Send a message". None such as post, order and set. */
const VERBS: Readonly<Record<Exclude<EndpointEffect, "any">, RegExp>> = {
  deletes: /^(?:delete|remove|erase|purge|cancel|revoke)$/,
  updates: /^(?:update|edit|modify|rename|replace|stop|move|enable|disable)$/,
  creates: /^(?:create|add|insert|send|upload|publish|submit|register|start|invite)$/,
  reads: /^(?:get|list|find|search|fetch|read|show|view|describe|retrieve|count)$/,
};

/** Many vendors read by POST, and tools are all called by it: only there the name decides, for "Stop and searches" is a GET. */
function effectOf(method: string, names: readonly string[]): EndpointEffect {
  if (method !== "POST") return BY_METHOD[method] ?? "reads";
  const firstWords = names.map(
    (name) => /^[^A-Za-z]*([A-Z]?[a-z]+|[A-Z]+(?![a-z]))/.exec(name)?.[1]?.toLowerCase() ?? "",
  );
  const found = Object.entries(VERBS).find(([, verb]) => firstWords.some((word) => verb.test(word)));
  return found === undefined ? "any" : (found[0] as EndpointEffect);
}

/** "send" of "/messages/{id}/send". */
function lastSegment(path: string): string {
  return (
    path
      .replaceAll(/\{[^}]*\}/g, "")
      .split("/")
      .findLast((segment) => segment !== "") ?? ""
  );
}
