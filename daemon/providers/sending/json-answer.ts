import { setImmediate as othersWere } from "node:timers/promises";
import { literalAt, namePlaces, parseQuoting, pathsOf } from "../../../shared/json/parse-exactly.ts";
import { JsonScanner } from "../../../shared/json/scan-json.ts";
import { UnreadableAnswerError } from "./read-body.ts";

/** The maximum nesting of a provider's JSON; deeper text breaks later readers. Source: docs/security.md, T14. */
const MAX_DEPTH = 256;

/**
 * The maximum number of values in a provider's JSON: the cost of building, redacting and writing an answer depends on
 * them rather than on its bytes. 10,000 rows of 20 fields are 210,001; at the limit each step takes up to 0.4 s of one
 * core in the worst case (objects with unique names), and a tenth of it for ordinary rows.
 */
export const MAX_ANSWER_VALUES = 500_000;

/** In maps, where each name costs as much as ten values: in the worst case a map with unique names. */
const MAX_MAP_MEMBERS = 60_000;

/** How much of a JSON text is read before other work continues, in characters and in milliseconds. */
const SLICE_CHARACTERS = 65_536;
const SLICE_MS = 10;
/**
 * From this size on (bytes, or characters) each step for an answer gets its own turn of the event loop, so that other
 * work runs in between.
 */
const LARGE = 262_144;

export interface JsonLimits {
  readonly maxValues?: number;
  /** For numbers that were doubles at their source: the nearest one is the original. */
  readonly numbers?: "exact" | "nearest";
}

/** A body as a value, with its notes. */
export interface JsonAnswer {
  readonly value: unknown;
  readonly values: number;
  /** For people. */
  readonly notes: readonly string[];
  /** The numbers that became texts, in their original form. */
  readonly numbersAsText?: ReadonlySet<string>;
}

/**
 * Parses JSON text. Numbers that JavaScript would change (64-bit ids, 1e400) become texts, digit for digit, and a note
 * lists their places. With `orText` a text that is not JSON is returned itself. Rejects with UnreadableAnswerError for
 * text that is not JSON, nests too deep or has too many values; nothing is built from it.
 */
export async function readJson(
  text: string,
  { orText, maxValues = MAX_ANSWER_VALUES, numbers = "exact" }: JsonLimits & { readonly orText: boolean },
): Promise<JsonAnswer> {
  const scanner = new JsonScanner(text, { maxValues, skipsNumbers: numbers === "nearest" });
  const begun = performance.now();
  scanner.advance(SLICE_CHARACTERS);
  if (!scanner.isDone) await scanOn(scanner, begun);
  const { values, mapMembers, depth, unheld } = scanner.facts;
  if (depth > MAX_DEPTH) {
    throw new UnreadableAnswerError(`the answer's JSON nests deeper than ${MAX_DEPTH} levels`);
  }
  if (values > maxValues) throw tooManyValues(values, maxValues);
  if (mapMembers > MAX_MAP_MEMBERS) {
    throw new UnreadableAnswerError(
      `the answer's JSON holds ${mapMembers} names in objects of more than 1000 each, and at most ${MAX_MAP_MEMBERS} are taken`,
    );
  }
  if (isLarge(text.length)) await giveWay();
  let value: unknown;
  try {
    value = parseQuoting(text, unheld);
  } catch {
    if (orText) return { value: text, values: 1, notes: [] };
    throw new UnreadableAnswerError("the answer is not valid JSON");
  }
  if (isLarge(text.length)) await giveWay();
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

/** Whether other work runs between two steps whose time depends on the size of an answer, in bytes or in characters. */
export function isLarge(size: number): boolean {
  return size >= LARGE;
}

export async function giveWay(): Promise<void> {
  await othersWere();
}

async function scanOn(scanner: JsonScanner, sinceMs: number): Promise<void> {
  let begun = sinceMs;
  while (!scanner.isDone) {
    if (performance.now() - begun >= SLICE_MS) {
      await othersWere();
      begun = performance.now();
    }
    scanner.advance(SLICE_CHARACTERS);
  }
}

function toNote(places: string): string {
  return `Numbers of the answer that JavaScript would change are given as text, as the provider wrote them: ${places}`;
}
