import { setImmediate as othersWere } from "node:timers/promises";
import { literalAt, namePlaces, parseQuoting, pathsOf } from "../../../shared/json/parse-exactly.ts";
import { type JsonFacts, JsonScanner, type ScanOptions } from "../../../shared/json/scan-json.ts";
import { UnreadableAnswerError } from "./read-body.ts";

/** How deep a provider's JSON may nest; deeper text breaks what reads it later. Source: docs/security.md, T14. */
const MAX_DEPTH = 256;

/**
 * How many values a provider's JSON may hold: what it costs to build, redact and write an answer goes by them rather than
 * by its bytes. 10,000 rows of 20 fields are 210,001; at the limit each step takes up to 0.4 s of one core for the
 * worst of them (objects whose names nobody else has), and a tenth of it for ordinary rows.
 */
export const MAX_ANSWER_VALUES = 500_000;

/** In maps, where each name costs as much as ten values do: a map of names that nobody else has, at worst. */
const MAX_MAP_MEMBERS = 60_000;

/** What of a JSON text is looked at before anybody else gets a turn, in characters and in milliseconds. */
const SLICE_CHARACTERS = 65_536;
const SLICE_MS = 10;
/** From here on (bytes, or characters) each step with an answer is one turn of the event loop by itself, so that others get theirs between. */
const LARGE = 262_144;

export interface JsonLimits {
  readonly maxValues?: number;
  /** For numbers that were doubles where they came from: the nearest one is what was meant. */
  readonly numbers?: "exact" | "nearest";
}

/** A body as a value, and what is to be known of it. */
export interface JsonAnswer {
  readonly value: unknown;
  readonly values: number;
  /** For people. */
  readonly notes: readonly string[];
  /** The numbers that became texts, as they were written. */
  readonly numbersAsText?: ReadonlySet<string>;
}

/**
 * JSON text as a value. Numbers that JavaScript would change (64-bit ids, 1e400) become texts, digit for digit, and a note
 * says where. With `orText` what is no JSON is the text itself. Rejects with UnreadableAnswerError for what is no JSON, nests
 * too deep or holds too many values; of that nothing is built.
 */
export async function readJson(
  text: string,
  { orText, maxValues = MAX_ANSWER_VALUES, numbers = "exact" }: JsonLimits & { readonly orText: boolean },
): Promise<JsonAnswer> {
  const { values, mapMembers, depth, unheld } = await scan(text, { maxValues, skipsNumbers: numbers === "nearest" });
  if (depth > MAX_DEPTH) {
    throw new UnreadableAnswerError(`the answer's JSON nests deeper than ${MAX_DEPTH} levels`);
  }
  if (values > maxValues) throw tooManyValues(values, maxValues);
  if (mapMembers > MAX_MAP_MEMBERS) {
    throw new UnreadableAnswerError(
      `the answer's JSON holds ${mapMembers} names in objects of more than 1000 each, and at most ${MAX_MAP_MEMBERS} are taken`,
    );
  }
  await giveWay(text.length);
  let value: unknown;
  try {
    value = parseQuoting(text, unheld);
  } catch {
    if (orText) return { value: text, values: 1, notes: [] };
    throw new UnreadableAnswerError("the answer is not valid JSON");
  }
  await giveWay(text.length);
  if (unheld.length === 0) return { value, values, notes: [] };
  return {
    value,
    values,
    notes: [toNote(namePlaces(pathsOf(text, unheld), unheld.length))],
    numbersAsText: new Set(unheld.map((place) => literalAt(text, place))),
  };
}

export function tooManyValues(values: number, maxValues: number): UnreadableAnswerError {
  return new UnreadableAnswerError(
    `the answer's JSON holds ${values} values, and at most ${maxValues} are taken; ask for less at a time`,
  );
}

/** Between two steps that take time with the size of an answer, in bytes or in characters. */
export async function giveWay(size: number): Promise<void> {
  if (size >= LARGE) await othersWere();
}

async function scan(text: string, options: ScanOptions): Promise<JsonFacts> {
  const scanner = new JsonScanner(text, options);
  let begun = performance.now();
  while (!scanner.isDone) {
    scanner.advance(SLICE_CHARACTERS);
    if (scanner.isDone || performance.now() - begun < SLICE_MS) continue;
    await othersWere();
    begun = performance.now();
  }
  return scanner.facts;
}

function toNote(places: string): string {
  return `Numbers of the answer that JavaScript would change are given as text, as the provider wrote them: ${places}`;
}
