import { InvalidArgumentError } from "commander";
import { type MicroDollars, parseDollars, toMoney } from "../../shared/micro-dollars.ts";
import type { Money, MoneyUnits } from "../../shared/contract/common.ts";
import { errorText } from "../../shared/error-text.ts";
import { type FieldPath, parseFieldPaths } from "../projection/field-path.ts";

/** Gathers a flag that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/**
 * What says which place, credential or workspace is meant. An empty one is a variable of a shell that was not set: it must not
 * mean the usual place, which is somebody else's.
 */
export function parseFilled(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must not be empty; leave the flag out for what holds without it.");
}

/** The same of a flag that may be repeated. */
export function collectFilled(value: string, before?: string[]): string[] {
  return collect(parseFilled(value), before);
}

/** The paths of `--fields`, which may be repeated. */
export function parseFields(value: string, before: FieldPath[] = []): FieldPath[] {
  try {
    return [...before, ...parseFieldPaths(value)];
  } catch (error) {
    throw new InvalidArgumentError(`${errorText(error)}.`);
  }
}

/** Names of states and the like are in capitals on the wire. */
export function toUpper(value: string): string {
  return value.toUpperCase();
}

/** A whole number above 0. */
export function parseCount(value: string): number {
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("It must be a whole number above 0.");
}

/** A whole number, 0 or more. */
export function parseOffset(value: string): number {
  if (/^\d+$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  throw new InvalidArgumentError("It must be a whole number, 0 or more.");
}

/** Any finite number. */
export function parseNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number.");
}

/** Seconds, at most a day. */
export function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (/^\d+(?:\.\d+)?$/.test(value) && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError("It must be a number of seconds, from 0 to 86400.");
}

/** Seconds that a run may take, at least 1; whole milliseconds. */
export function parseDeadline(value: string): number {
  const seconds = parseSeconds(value);
  if (seconds < 1) throw new InvalidArgumentError("It must be at least 1 second.");
  return Math.round(seconds * 1000) / 1000;
}

const SECONDS_IN = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const MOST_AGE_SECONDS = 31_536_000;

/** Seconds, as `90`, `90s`, `30m`, `1h` or `7d`; 0 too, at most a year. */
export function parseMaxAge(value: string): number {
  const [, count, unit = "s"] = /^(\d+)([smhd])?$/.exec(value) ?? [];
  const seconds = Number(count) * SECONDS_IN[unit as keyof typeof SECONDS_IN];
  if (seconds <= MOST_AGE_SECONDS) return seconds;
  throw new InvalidArgumentError("It must be an age such as 90s, 30m, 1h or 7d, at most 365d.");
}

/** An exact amount in dollars above 0, with or without `$`. */
export function parseAmount(value: string): Money {
  const amount = readDollars(value);
  if (amount <= 0) throw new InvalidArgumentError("It must be above 0 dollars.");
  return toMoney(amount);
}

/** As `parseAmount`, but 0 is allowed: only what is free. */
export function parsePriceCeiling(value: string): Money {
  const amount = readDollars(value);
  if (amount < 0) throw new InvalidArgumentError("It must be at least 0 dollars.");
  return toMoney(amount);
}

/** A score of discovery. */
export function parseScore(value: string): number {
  const score = parseNumber(value);
  if (score < 0 || score > 2) throw new InvalidArgumentError("It must be from 0 to 2.");
  return score;
}

/** As `parseAmount`, but 0 is allowed: a limit that lets nothing through. */
export function parseLimit(value: string): MoneyUnits {
  const amount = readDollars(value);
  if (amount < 0) throw new InvalidArgumentError("It must be at least 0 dollars.");
  return { value: amount, unit: "MICRO_DOLLAR", currency: "USD" };
}

function readDollars(value: string): MicroDollars {
  try {
    return parseDollars(value.replace(/^\$/, ""));
  } catch (error) {
    throw new InvalidArgumentError(`${errorText(error)}.`);
  }
}

/** `name=value`, gathered into one object. */
export function collectPairs(value: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = value.indexOf("=");
  if (equals < 1) throw new InvalidArgumentError("It must be name=value.");
  return { ...before, [value.slice(0, equals)]: value.slice(equals + 1) };
}
