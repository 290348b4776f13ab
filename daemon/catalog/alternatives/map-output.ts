import { isRecord } from "../../../shared/is-record.ts";
import { extract, parseExtractor } from "../../manifest/extract.ts";
import type { InputSections } from "../../manifest/input-sections.ts";

type Mapped = Readonly<Record<string, unknown>>;

/**
 * A member's output in the shape that its route gives, whichever member answered: each name of the map, with null where
 * the answer has nothing for it. Never throws. docs/routes.md, "One shape".
 */
export function mapOutput(map: Mapped, output: unknown, input: InputSections): Mapped {
  const names = Object.entries(map).map(([name, from]) => [name, readOne(from, output, input)] as const);
  return Object.fromEntries(names);
}

function readOne(from: unknown, output: unknown, input: InputSections): unknown {
  if (isRecord(from)) return mapOutput(from, output, input);
  if (typeof from !== "string" && typeof from !== "number") return null;
  const parsed = parseExtractor(from);
  return parsed.ok ? (extract(parsed.value, { body: output, input }) ?? null) : null;
}
