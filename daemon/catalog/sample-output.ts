import type { Example } from "../manifest/manifest.ts";
import { shapeOutput } from "./entries/shape-output.ts";
import type { CatalogEntry } from "./entries/catalog-entry.ts";

const LIST_ITEMS = [3, 1];
const TEXT_CHARACTERS = 300;
/** A sample is for reading: a longer one tells a caller nothing new. */
const MAX_CHARACTERS = 8_000;

/**
 * The output of an example, taken from its recorded answer: shaped like every output, with long lists and texts cut.
 * Undefined when no good answer was recorded, when it is bytes or rows, and when even its beginning is too long.
 */
export function sampleOutput({ output }: Pick<CatalogEntry, "output">, example: Example): unknown {
  if (output.media !== "auto" && output.media !== "json" && output.media !== "text") return undefined;
  const recorded = [...(example.responses ?? [example.response])].findLast(
    (answer) => answer !== undefined && answer.status < 300,
  );
  const shaped = recorded === undefined ? undefined : shapeOutput(output, recorded.body);
  if (shaped === undefined || shaped === null) return undefined;
  return LIST_ITEMS.map((items) => cutLong(shaped, items)).find(
    (sample) => JSON.stringify(sample).length <= MAX_CHARACTERS,
  );
}

function cutLong(value: unknown, items: number): unknown {
  if (typeof value === "string") {
    return value.length <= TEXT_CHARACTERS
      ? value
      : `${value.slice(0, TEXT_CHARACTERS).replace(/[\ud800-\udbff]$/, "")}…`;
  }
  if (Array.isArray(value)) return value.slice(0, items).map((item) => cutLong(item, items));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutLong(member, items)]));
}
