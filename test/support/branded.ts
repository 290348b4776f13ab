import type { $brand } from "zod";

/** The same with plain numbers and texts in the place of branded ones, as tests write them. */
export type Plain<T> = T extends number & $brand
  ? number
  : T extends string & $brand
    ? string
    : T extends (...args: never) => unknown
      ? T
      : T extends object
        ? { [Name in keyof T]: Plain<T[Name]> }
        : T;

/** What a test wrote in plain numbers and texts, taken at its word: nothing is checked. */
export function branded<T>(plain: Plain<T>): T {
  return plain as T;
}
