import { fieldPathWords } from "../projection/field-path.ts";
import {
  type LargestPart,
  largestPart,
  partName,
  type PartRequest,
  replaceAt,
  sizeOf,
  wholeCharacters,
} from "../../shared/output-part.ts";
import { fitValue } from "./fit-value.ts";

/** A part of an output, small enough to read. */
export interface ValuePage {
  readonly value: unknown;
  /** Where something is missing: `output.days: 20 of 365 items`. Empty when it is the whole. */
  readonly cut: readonly string[];
  /** The offset that goes on where this part ends; absent when it goes to the end. */
  readonly nextOffset?: number;
  /** Some members that are there, as `fields` takes them. Empty when nothing was cut. */
  readonly fields: readonly string[];
}

const MAX_FIELDS = 3;

/**
 * The part of a value that was asked for, and no more of it than `maxCharacters` of JSON: whole items of its largest list,
 * or, if that is larger, characters of its largest text. What is beside it stays. Pure.
 */
export function pageValue(value: unknown, { offset = 0, limit }: PartRequest, maxCharacters: number): ValuePage {
  const isAsked = offset > 0 || limit !== undefined;
  const size = sizeOf(value);
  if (!isAsked && size <= maxCharacters) return { value, cut: [], fields: [] };
  const target = largestPart(value);
  if (target === undefined || (!isAsked && target.size < size / 2)) return fitted(value, maxCharacters);
  const beside = fitValue(replaceAt(value, target.path, emptyOf(target)), Math.ceil(maxCharacters / 2));
  const room = maxCharacters - sizeOf(beside.value);
  const part = takePart(target, { offset, limit: limit ?? Infinity }, room);
  const end = offset + part.length;
  const isWhole = offset === 0 && end >= target.value.length;
  const rangeWords = isWhole ? [] : [`${partName(target)}: ${partWords(target, part.length, offset)}`];
  return {
    value: replaceAt(beside.value, target.path, part.value),
    cut: [...rangeWords, ...part.cut, ...beside.cut],
    ...(end < target.value.length && { nextOffset: end }),
    fields: isWhole && part.cut.length === 0 && beside.cut.length === 0 ? [] : fieldsOf(target),
  };
}

function fitted(value: unknown, maxCharacters: number): ValuePage {
  const { value: smaller, cut } = fitValue(value, maxCharacters);
  const names = cut.length === 0 ? [] : fieldsOf({ path: [], value: [value], size: 0 });
  return { value: smaller, cut, fields: names };
}

interface Part {
  readonly value: readonly unknown[] | string;
  readonly length: number;
  readonly cut: readonly string[];
}

function takePart(target: LargestPart, { offset, limit }: { offset: number; limit: number }, room: number): Part {
  const { value } = target;
  return typeof value === "string"
    ? takeText(wholeCharacters(value, offset, limit), room)
    : takeItems(target, value.slice(offset, offset + limit), offset, room);
}

function takeItems(target: LargestPart, items: readonly unknown[], offset: number, room: number): Part {
  let [count, used] = [0, 0];
  for (const item of items) {
    used += sizeOf(item) + 1;
    if (used > room) break;
    count += 1;
  }
  const [first] = items;
  if (count > 0 || first === undefined) return { value: items.slice(0, count), length: count, cut: [] };
  // An item that is too long by itself is shortened: every page shows something.
  const { value, cut } = fitValue(first, Math.max(room - 2, 4), `${partName(target)}[${offset}]`);
  return { value: [value], length: 1, cut };
}

function takeText(text: string, room: number): Part {
  let taken = text.slice(0, room);
  while (taken.length > 1 && sizeOf(taken) > room + 2) taken = taken.slice(0, Math.floor(taken.length * 0.8));
  // Both halves of a character outside of the basic plane stay together.
  if (taken.length < text.length && taken.length > 1 && /[\uD800-\uDBFF]$/.test(taken)) taken = taken.slice(0, -1);
  return { value: taken, length: taken.length, cut: [] };
}

function partWords({ value }: LargestPart, count: number, offset: number): string {
  const words = `${count} of ${value.length} ${typeof value === "string" ? "characters" : "items"}`;
  return offset === 0 ? words : `${words}, from ${offset}`;
}

/** Members with small values first: they are what one looks through a list for. */
function fieldsOf({ path, value }: LargestPart): string[] {
  const first: unknown = typeof value === "string" ? undefined : value[0];
  if (typeof first !== "object" || first === null || Array.isArray(first)) return [];
  return Object.entries(first)
    .toSorted(([, a], [, b]) => sizeOf(a) - sizeOf(b))
    .slice(0, MAX_FIELDS)
    .map(([name]) => fieldPathWords([...path, name]));
}

function emptyOf({ value }: LargestPart): unknown {
  return typeof value === "string" ? "" : [];
}
