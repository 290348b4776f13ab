import type { InspectResponse } from "../../shared/contract/inspect.ts";
import { toPrintable } from "../../shared/hints/printable.ts";
import { fileFormOf } from "../input/file-values.ts";
import { isSchema, memberSchemas } from "../input/json-schema-types.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { shownExample } from "./example-words.ts";
import { targetWords } from "../words/target.ts";

const places = ["pathParams", "queryParams", "body"] as const;

/**
 * A `mkt run` line to paste: with the endpoint's own example where it has one, else with its required fields and a
 * sample or `<type>` for each.
 */
export function runLine(endpoint: InspectResponse): string {
  const example = shownExample(endpoint);
  const words = example ? exampleWords(endpoint, example.input) : requiredWords(endpoint);
  return shellLine("mkt", "run", targetWords(endpoint), ...words);
}

type Values = Readonly<Record<string, unknown>>;

function exampleWords(
  endpoint: InspectResponse,
  input: NonNullable<InspectResponse["examples"]>[number]["input"],
): string[] {
  const values: [string, unknown][] = places.flatMap((place) => Object.entries(input[place] ?? {}));
  const repeated = new Set(values.map(([name]) => name)).size < values.length;
  if (repeated || !values.every(([name]) => isDeclaredOnce(endpoint, name))) return ["-i", JSON.stringify(input)];
  return values.map(([name, value]) => inputWord(name, value));
}

function isDeclaredOnce(endpoint: InspectResponse, name: string): boolean {
  return places.filter((place) => memberSchemas(endpoint.input?.[place]).has(name)).length === 1;
}

/** `name=value` where the words of a shell can hold it, else `name:=json`. */
function inputWord(name: string, value: unknown): string {
  const isWord = typeof value === "string" && toPrintable(value) === value;
  return isWord || typeof value === "number" || typeof value === "boolean"
    ? `${name}=${String(value)}`
    : `${name}:=${JSON.stringify(value)}`;
}

function requiredWords(endpoint: InspectResponse): string[] {
  return places.flatMap((place) => {
    const schema = endpoint.input?.[place];
    const members = memberSchemas(schema);
    const required = schema?.["required"];
    const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
    return names.map((name) => {
      const member = members.get(name);
      return fileFormOf(member, schema) === undefined ? sampleWord(name, member) : `${name}=@<path>`;
    });
  });
}

function sampleWord(name: string, schema: unknown): string {
  const facts: Values = isSchema(schema) ? schema : {};
  const listed = [facts["default"], firstOf(facts["examples"]), facts["example"], firstOf(facts["enum"])];
  const sample = listed.find((value) => value !== undefined);
  if (sample === undefined) return `${name}=<${typeof facts["type"] === "string" ? facts["type"] : "value"}>`;
  return inputWord(name, sample);
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
