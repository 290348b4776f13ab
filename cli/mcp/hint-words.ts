import type { Hints } from "../../shared/contract/hints.ts";

/** A line for each hint: what it leads to, and the call; a service that sends it as data instead gets it shown as such. */
export function hintWords(label: string, hints: Hints | undefined): string[] {
  return Object.entries(hints ?? {}).map(
    ([what, hint]) => `${label}, ${what}: ${typeof hint === "string" ? hint : JSON.stringify(hint)}`,
  );
}
