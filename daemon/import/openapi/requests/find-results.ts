import { memberOf } from "../../../../shared/member-of.ts";
import type { ApiAnswer, ApiMedia } from "../operations/api-operation.ts";
import { isJson, isTextMedia } from "./convert-body.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, listOf, type Members } from "../../conversion/members.ts";
import type { Located, ReferenceResolver } from "../document/reference-resolver.ts";

/** What the schema of an answer says about its results. */
export interface FoundResults {
  /** The path of the items: `$`, `$.items`; absent when the answer is a single object. */
  readonly count?: string;
  /** The part that callers get instead of the whole answer; absent when that would hide the link to the next page. */
  readonly select?: string;
  /** How a non-JSON answer is returned. */
  readonly media?: "text" | "base64";
  /** The Accept header, if the vendor has several formats. */
  readonly accept?: string;
  /** Names of the first fields of the answer, or of an item of it. */
  readonly fields: readonly string[];
}

export interface ResultTools {
  readonly resolver: ReferenceResolver;
  readonly meter: ConversionMeter;
}

/** Common names for lists of results, most likely first. */
const LIST_NAMES =
  "data items results records entries list rows hits documents values content elements collection objects result".split(
    " ",
  );
const PAGING =
  /^(?:next|prev|previous|cursor|after|before|paging|pagination|page_?info|links|_links|meta|metadata|next_?(?:page|cursor|token|url|link|offset)(?:_?token|_?id|_?url)?|page_?token|continuation_?token|continue|has_?more|scroll_?id|offset)$/i;
const MAX_FIELDS_TOLD = 12;
const MAX_DEPTH = 6;

export function findResults(answer: ApiAnswer | undefined, tools: ResultTools): FoundResults {
  const [media] = [...(answer?.media ?? [])].sort((one, other) => order(one) - order(other));
  if (answer === undefined || media === undefined) return { fields: [] };
  // The daemon requests plain JSON by default.
  const mustAsk = media.type !== "application/json" && (answer.media.length > 1 || isJson(media.type));
  const accept = mustAsk && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(media.type) ? { accept: media.type } : {};
  if (!isJson(media.type) && media.type !== "*/*" && media.type !== "") {
    return { media: isTextMedia(media.type) ? "text" : "base64", fields: [], ...accept };
  }
  if (media.schema === undefined) return { fields: [], ...accept };
  return { ...findInSchema(media.schema, tools), ...accept };
}

function order({ type }: ApiMedia): number {
  if (type === "application/json") return 0;
  if (isJson(type)) return 1;
  if (type === "*/*" || type === "") return 2;
  return isTextMedia(type) && type !== "text/html" && type !== "text/event-stream" ? 3 : 4;
}

function findInSchema(located: Located, tools: ResultTools): Pick<FoundResults, "count" | "select" | "fields"> {
  const schema = look(located, tools);
  if (isList(schema)) return { count: "$", fields: fieldsOfItems(schema, tools) };
  const fields = propertiesOf(schema, tools, 0);
  const direct = listAmong(fields, tools);
  const wrapped = direct === undefined ? listWithin(fields, tools) : undefined;
  const found = direct ?? wrapped;
  if (found === undefined) return { fields: namesOf(fields) };
  const hidesPaging = [...fields.keys()].some((name) => PAGING.test(name));
  return {
    count: found.path,
    ...(!hidesPaging && wrapped === undefined && { select: found.path }),
    fields: fieldsOfItems(found.schema, tools),
  };
}

interface FoundList {
  readonly path: string;
  readonly schema: Located;
}

/** The only list among the fields, or the one with a common name for results. */
function listAmong(fields: ReadonlyMap<string, Located>, tools: ResultTools): FoundList | undefined {
  const lists = [...fields].filter(([, located]) => isList(look(located, tools)));
  const named = LIST_NAMES.flatMap((name) => lists.filter(([one]) => one.toLowerCase() === name));
  const [name, located] = named[0] ?? (lists.length === 1 ? (lists[0] ?? []) : []);
  if (name === undefined || located === undefined) return undefined;
  return { path: `$${step(name)}`, schema: look(located, tools) };
}

/** `data: {items: […]}`: one level deeper, under common names of wrappers. */
function listWithin(fields: ReadonlyMap<string, Located>, tools: ResultTools): FoundList | undefined {
  for (const name of ["data", "result", "results", "response", "_embedded"]) {
    const located = fields.get(name);
    if (located === undefined) continue;
    const inner = listAmong(propertiesOf(look(located, tools), tools, 0), tools);
    if (inner !== undefined) return { ...inner, path: `$${step(name)}${inner.path.slice(1)}` };
  }
  return undefined;
}

/** One step of a path in the manifest's extractors. */
export function step(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `.${name}`;
  return `['${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
}

/** Resolves references and removes wrappers with a single branch; `{}` when there is no target. */
function look(located: Located, { resolver, meter }: ResultTools): Located {
  meter.spend(1);
  try {
    const here = resolver.follow(located);
    const all = listOf(here.value, "allOf");
    if (all.length !== 1 || isRecord(memberOf(here.value, "properties"))) return here;
    return resolver.follow({ value: all[0], file: here.file });
  } catch {
    return { value: {}, file: located.file };
  }
}

function isList({ value }: Located): boolean {
  const type = memberOf(value, "type");
  if (type === "array" || (Array.isArray(type) && type.includes("array"))) return true;
  return type === undefined && isRecord(memberOf(value, "items"));
}

function fieldsOfItems(list: Located, tools: ResultTools): string[] {
  const items = memberOf(list.value, "items");
  return items === undefined ? [] : namesOf(propertiesOf(look({ value: items, file: list.file }, tools), tools, 0));
}

function namesOf(fields: ReadonlyMap<string, Located>): string[] {
  return [...fields.keys()].filter((name) => /^[\w.@ -]{1,40}$/.test(name)).slice(0, MAX_FIELDS_TOLD);
}

/** The properties of an object, including those of allOf and of the first alternative. */
function propertiesOf(located: Located, tools: ResultTools, depth: number): Map<string, Located> {
  const found = new Map<string, Located>();
  const { value, file } = located;
  for (const [name, schema] of entriesOf(memberOf(value, "properties"))) found.set(name, { value: schema, file });
  tools.meter.spend(1 + found.size);
  if (depth >= MAX_DEPTH) return found;
  const choice = [...listOf(value, "oneOf"), ...listOf(value, "anyOf")].slice(0, 1);
  for (const branch of [...listOf(value, "allOf").slice(0, 20), ...choice] as Members[]) {
    const inner = propertiesOf(look({ value: branch, file }, tools), tools, depth + 1);
    for (const [name, schema] of inner) if (!found.has(name)) found.set(name, schema);
  }
  return found;
}
