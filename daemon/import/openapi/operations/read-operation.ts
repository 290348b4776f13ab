import { memberOf } from "../../../../shared/member-of.ts";
import type { ApiAnswer, ApiBody, ApiMedia, ApiOperation, ApiParameter, OperationPlace } from "./api-operation.ts";
import { cleanText } from "../../conversion/clean-text.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, type Members, textOf, wordOf } from "../../conversion/members.ts";
import type { Located, ReferenceResolver } from "../document/reference-resolver.ts";
import { fromSwaggerBody, fromSwaggerForm, fromSwaggerMedia, fromSwaggerParameter } from "./swagger-words.ts";

export interface OperationReader {
  readonly root: Members;
  readonly resolver: ReferenceResolver;
  readonly notes: ImportNotes;
  readonly isSwagger: boolean;
  /** What was read before: the operations of a path share its parameters, and references lead to the same ones. */
  readonly parameters: WeakMap<object, ApiParameter>;
}

const PLACES: ReadonlySet<unknown> = new Set(["path", "query", "header", "cookie"]);
const MAX_DESCRIPTION = 500;

/** One operation with its references resolved. Throws UnusableReference when a required part cannot be found. */
export function readOperation(place: OperationPlace, reader: OperationReader): ApiOperation {
  const parts = parametersOf(place, reader);
  const parameters = parts
    .filter(({ value }) => PLACES.has(memberOf(value, "in")))
    .map((part) => knownParameter(part, reader));
  return {
    place,
    parameters,
    body: reader.isSwagger ? readSwaggerBody(place, parts, reader) : readBody(place, reader),
    answer: readAnswer(place, reader),
  };
}

/** The path's parameters and the operation's own, which win when name and place are the same. The path's come first. */
function parametersOf({ item, operation, file, path, method }: OperationPlace, reader: OperationReader): Located[] {
  const found = new Map<string, Located>();
  for (const [owner, value] of [
    ["path", memberOf(item, "parameters")],
    ["operation", memberOf(operation, "parameters")],
  ] as const) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) {
      reader.notes.add(`parameters that are no list were left out (of the ${owner})`, `${method} ${path.slice(0, 80)}`);
      continue;
    }
    for (const one of value as readonly unknown[]) {
      const part = reader.resolver.followWithSiblings({ value: one, file });
      const name = wordOf(memberOf(part.value, "name"));
      const where = memberOf(part.value, "in");
      if (isRecord(part.value)) found.set(`${wordOf(where)} ${where === "body" ? "" : name}`, part);
    }
  }
  return [...found.values()];
}

function knownParameter(part: Located, reader: OperationReader): ApiParameter {
  if (!isRecord(part.value)) return readParameter(part, reader);
  const known = reader.parameters.get(part.value) ?? readParameter(part, reader);
  reader.parameters.set(part.value, known);
  return known;
}

function readParameter({ value, file }: Located, reader: OperationReader): ApiParameter {
  const place = memberOf(value, "in") as ApiParameter["in"];
  const named = memberOf(value, "name");
  const words = reader.isSwagger ? fromSwaggerParameter(value) : undefined;
  const [json] = entriesOf(memberOf(value, "content"));
  const schema = words?.schema ?? memberOf(json?.[1], "schema") ?? memberOf(value, "schema");
  const style = words?.style ?? textOf(value, "style") ?? defaultStyle(place);
  const explode = words?.explode ?? memberOf(value, "explode") ?? style === "form";
  return {
    name: wordOf(named),
    in: place,
    required: memberOf(value, "required") === true || place === "path",
    description: cleanText(memberOf(value, "description"), MAX_DESCRIPTION),
    schema: schema === undefined ? undefined : { value: schema, file },
    style,
    explode: explode === true,
    isJson: json !== undefined && /json/i.test(json[0]),
    example: exampleOf({ value, file }, reader) ?? exampleOf({ value: json?.[1], file }, reader),
  };
}

function defaultStyle(place: ApiParameter["in"]): string {
  return place === "path" || place === "header" ? "simple" : "form";
}

function readBody({ operation, file }: OperationPlace, reader: OperationReader): ApiBody | undefined {
  const written = memberOf(operation, "requestBody");
  if (written === undefined || written === null) return undefined;
  const body = reader.resolver.followWithSiblings({ value: written, file });
  const media = readContent(memberOf(body.value, "content"), body.file, reader);
  if (media.length === 0) return undefined;
  return {
    required: memberOf(body.value, "required") === true,
    description: cleanText(memberOf(body.value, "description"), MAX_DESCRIPTION),
    media,
  };
}

function readContent(content: unknown, file: string, reader: OperationReader): ApiMedia[] {
  return entriesOf(content).flatMap(([type, written]) => {
    const media = reader.resolver.followWithSiblings({ value: written, file });
    const schema = memberOf(media.value, "schema") ?? memberOf(media.value, "itemSchema");
    const encoding = memberOf(media.value, "encoding");
    return [
      {
        type: bareMedia(type),
        schema: schema === undefined ? undefined : { value: schema, file: media.file },
        encoding: isRecord(encoding) ? encoding : {},
        example: exampleOf(media, reader),
      },
    ];
  });
}

function bareMedia(type: string): string {
  return (type.split(";", 1)[0] ?? "").trim().toLowerCase().slice(0, 200);
}

/** The first example, in any of the forms that the versions have. */
function exampleOf({ value, file }: Located, { resolver }: OperationReader): unknown {
  const single = memberOf(value, "example") ?? memberOf(value, "x-example");
  if (single !== undefined) return single;
  const several = memberOf(value, "examples");
  const first: unknown = Array.isArray(several) ? several[0] : entriesOf(several)[0]?.[1];
  if (first === undefined) return undefined;
  if (!isRecord(first)) return first;
  try {
    const example = resolver.follow({ value: first, file }).value;
    return memberOf(example, "value") ?? memberOf(example, "dataValue");
  } catch {
    // An example that cannot be resolved does not affect the operation.
    return undefined;
  }
}

function readSwaggerBody(
  { operation, method }: OperationPlace,
  parts: readonly Located[],
  { root }: OperationReader,
): ApiBody | undefined {
  const consumes = mediaList(operation, root, "consumes");
  const whole = parts.find(({ value }) => memberOf(value, "in") === "body");
  if (whole !== undefined) return fromSwaggerBody(whole, consumes);
  const fields = parts.filter(({ value }) => memberOf(value, "in") === "formData");
  return fields.length === 0 || method === "GET" || method === "HEAD" ? undefined : fromSwaggerForm(fields, consumes);
}

function mediaList(operation: Members, root: Members, word: "consumes" | "produces"): string[] {
  const own = memberOf(operation, word) ?? memberOf(root, word);
  const list: unknown[] = Array.isArray(own) ? own : [own];
  return list.filter((type): type is string => typeof type === "string").map(bareMedia);
}

/** The answer of a successful call: the lowest 2xx that has a body, otherwise the lowest 2xx, 2XX or default. */
function readAnswer({ operation, file }: OperationPlace, reader: OperationReader): ApiAnswer | undefined {
  const answers = entriesOf(memberOf(operation, "responses"))
    .filter(([status]) => /^(?:2\d\d|2xx|default)$/i.test(status))
    .sort(([one], [other]) => orderOfStatus(one) - orderOfStatus(other));
  const read = answers.flatMap(([status, written]): ApiAnswer[] => {
    const found = followLoosely({ value: written, file }, reader);
    if (found === undefined) return [];
    const media = reader.isSwagger
      ? fromSwaggerMedia(found, mediaList(operation, reader.root, "produces"))
      : readContentLoosely(memberOf(found.value, "content"), found.file, reader);
    return [
      {
        status: /^2\d\d$/.test(status) ? Number(status) : 200,
        description: cleanText(
          memberOf(found.value, "description") ?? memberOf(found.value, "summary"),
          MAX_DESCRIPTION,
        ),
        media,
      },
    ];
  });
  return read.find(({ media }) => media.length > 0) ?? read[0];
}

function orderOfStatus(status: string): number {
  if (/^\d+$/.test(status)) return Number(status);
  return status.toLowerCase() === "2xx" ? 300 : 400;
}

/** Answers are used for searching and counting; one that cannot be resolved does not affect the operation. */
function followLoosely(located: Located, { resolver, notes }: OperationReader): Located | undefined {
  try {
    return resolver.followWithSiblings(located);
  } catch (error) {
    notes.add("answers that are described elsewhere could not be read", (error as Error).message);
    return undefined;
  }
}

function readContentLoosely(content: unknown, file: string, reader: OperationReader): ApiMedia[] {
  try {
    return readContent(content, file, reader);
  } catch {
    return [];
  }
}
