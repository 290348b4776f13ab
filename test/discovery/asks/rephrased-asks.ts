import { readFileSync } from "node:fs";
import { z } from "zod";
import type { JudgedAsk, OffTopicAsk } from "./ask-collection.ts";

const Rephrasings = z.object({ id: z.string(), also: z.array(z.string()).min(1) });

/** The rephrasings of an ask by its id. How they were written: README.md here. */
export function loadRephrasings(): Map<string, readonly string[]> {
  const lines = readFileSync(new URL("rephrasings.ndjson", import.meta.url), "utf8").split("\n");
  const parsed = lines.filter((line) => line !== "").map((line) => Rephrasings.parse(JSON.parse(line)));
  return new Map(parsed.map(({ id, also }) => [id, also]));
}

/** Those of the asks that have rephrasings, with them. */
export function withRephrasings<Ask extends JudgedAsk | OffTopicAsk>(
  asks: readonly Ask[],
  rephrasings: ReadonlyMap<string, readonly string[]>,
): (Ask & { readonly also: readonly string[] })[] {
  return asks.flatMap((ask) => {
    const also = rephrasings.get(ask.id);
    return also === undefined ? [] : [{ ...ask, also }];
  });
}
