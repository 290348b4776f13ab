import type { EndpointInput } from "../../shared/contract/inspect.ts";
import type { RunInput } from "../../shared/contract/runs.ts";
import { refusedInput, usageError } from "../core/cli-error.ts";
import { coerceField, type GivenValue } from "./coerce-value.ts";
import { type FileForm, fileFormOf, filePathOf, withFiles } from "./file-values.ts";
import type { InputPlace, NamedValue } from "./named-value.ts";
import { parseGivenJson } from "./parse-given-json.ts";
import { memberSchemas } from "./json-schema-types.ts";
import { didYouMean } from "../core/near-misses.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { targetWords, type Target } from "../words/target.ts";
import type { CliIo } from "../core/cli-io.ts";

const places: readonly InputPlace[] = ["pathParams", "queryParams", "body"];
const flagOf: Readonly<Record<InputPlace, string>> = { pathParams: "--path", queryParams: "--query", body: "--body" };

/** The words of a command line that are input, by the place that a flag names, if one does. */
export interface InputWords {
  words: readonly string[];
  path?: readonly string[];
  query?: readonly string[];
  body?: readonly string[];
}

/** The parts of an endpoint that decide how words are read. */
export interface InputTarget extends Target {
  method?: string | undefined;
  input?: EndpointInput | undefined;
}

interface Field {
  name: string;
  place: InputPlace;
  given: GivenValue[];
}

export function hasInputWords({ words, path = [], query = [], body = [] }: InputWords): boolean {
  return words.length + path.length + query.length + body.length > 0;
}

/**
 * `key=value` read by the endpoint's input schema, `key:=json` taken literally, a repeated key as a list, each put
 * where the schema declares it. Rejects with the field, the rule and the value that came.
 * docs/command-line.md, "Input values".
 */
export function coerceInput(endpoint: InputTarget, words: InputWords): RunInput {
  return arrangeInput(endpoint, valuesOf(endpoint, words));
}

/** The same with the files that `field=@path` names, where the field takes a file; `@-` is standard input. */
export async function coerceInputWithFiles(
  endpoint: InputTarget,
  words: InputWords,
  io: Pick<CliIo, "stdin">,
): Promise<RunInput> {
  const values = valuesOf(endpoint, words);
  const formOf = (value: NamedValue) => fileFormIn(endpoint, value);
  return arrangeInput(endpoint, await withFiles(values, formOf, io));
}

function valuesOf(
  endpoint: InputTarget,
  { words, path = [], query = [], body = [] }: InputWords,
): readonly NamedValue[] {
  const read = (place?: InputPlace) => (word: string) => ({ ...parseWord(word, endpoint), place });
  return [
    ...words.map(read()),
    ...path.map(read("pathParams")),
    ...query.map(read("queryParams")),
    ...body.map(read("body")),
  ];
}

function fileFormIn(
  endpoint: InputTarget,
  { name, place = placeOf(name, endpoint) }: NamedValue,
): FileForm | undefined {
  const schema = endpoint.input?.[place];
  return fileFormOf(memberSchemas(schema).get(name), schema);
}

/** The input made of values by name. Rejects as `coerceInput`. */
export function arrangeInput(endpoint: InputTarget, values: readonly NamedValue[]): RunInput {
  const fields = new Map<string, Field>();
  for (const value of values) {
    refuseUnreadFile(endpoint, value);
    const { name, given, place } = value;
    const where = place ?? placeOf(name, endpoint);
    const known = fields.get(`${where} ${name}`);
    if (known) known.given.push(given);
    else fields.set(`${where} ${name}`, { name, place: where, given: [given] });
  }

  const input: RunInput = {};
  for (const place of places) {
    const schema = endpoint.input?.[place];
    const members = memberSchemas(schema);
    const entries = [...fields.values()]
      .filter((field) => field.place === place)
      .map(({ name, given }): [string, unknown] => [name, coerceField(name, given, members.get(name), schema)]);
    if (entries.length > 0) input[place] = Object.fromEntries(entries);
  }
  return input;
}

/** No base64 begins with @, and a file that nobody reads must not be taken for one. */
function refuseUnreadFile(endpoint: InputTarget, value: NamedValue): void {
  if (filePathOf(value) === undefined || fileFormIn(endpoint, value) === undefined) return;
  throw refusedInput(`Input "${value.name}" is a file, and none is read here: give its bytes in base64.`);
}

/** Reads `key=value`, and `key:=json`. Throws usage errors, and refused input for a value that is not JSON. */
export function parseWord(word: string, target: Target): { name: string; given: GivenValue } {
  const equals = word.indexOf("=");
  const isJson = equals > 0 && word[equals - 1] === ":";
  const name = word.slice(0, isJson ? equals - 1 : equals);
  if (equals < 1 || name === "" || word.startsWith("{")) {
    const whole = word.startsWith("{") ? " Pass input that is one JSON value with -i." : "";
    throw usageError(
      `"${word}" is not input: write key=value, or key:=json for a value that is JSON.${whole}`,
      shellLine("mkt", "inspect", targetWords(target)),
    );
  }
  const text = word.slice(equals + 1);
  if (!isJson) return { name, given: { text } };
  try {
    return { name, given: { json: parseGivenJson(text, `Input "${name}"`) } };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusedInput(`Input "${name}" must be JSON after ":=", but ${text === "" ? "nothing" : `"${text}"`} came.`);
  }
}

function placeOf(name: string, endpoint: InputTarget): InputPlace {
  const declaring = places.filter((place) => memberSchemas(endpoint.input?.[place]).has(name));
  const [only] = declaring;
  if (declaring.length === 1 && only !== undefined) return only;
  if (declaring.length > 1) {
    const flags = declaring.map((place) => `${flagOf[place]} ${name}=…`);
    throw refusedInput(`Input "${name}" exists in more than one place; choose one: ${flags.join(" or ")}.`);
  }
  if (takesUndeclaredBody(endpoint)) return "body";
  throw unknownInput(name, endpoint);
}

// As in the service: undeclared values go into the body, if there can be one.
function takesUndeclaredBody({ method, input }: InputTarget): boolean {
  if (input?.body?.["additionalProperties"] === false) return false;
  return input?.body !== undefined || (method !== undefined && ["POST", "PUT", "PATCH"].includes(method));
}

function unknownInput(name: string, endpoint: InputTarget): Error {
  const known = places.flatMap((place) => [...memberSchemas(endpoint.input?.[place]).keys()]);
  const takes = known.length === 0 ? "It takes no input." : `It takes ${known.join(", ")}.`;
  return refusedInput(
    `${targetWords(endpoint)} has no input "${name}".${didYouMean(name, known)} ${takes}`,
    shellLine("mkt", "inspect", targetWords(endpoint)),
  );
}
