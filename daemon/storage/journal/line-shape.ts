import { Line } from "../../ledger/transaction.ts";

/** Type of a line → its version. */
const VERSIONS: ReadonlyMap<unknown, number> = new Map(
  Line.options.flatMap(({ options }) => options.map(({ shape }) => [shape.t.value, shape.v.value] as const)),
);

/**
 * A line whose checksum fits is what this program wrote, so only its type and version are looked at: checking every member
 * of a million lines takes longer than reading them. Throws when this version of mkt does not know it.
 */
export function knownLine(content: Readonly<Record<string, unknown>>): Line {
  const { t, v } = content;
  if (VERSIONS.get(t) !== v) throw unknownLine(content);
  return content as Line;
}

/** The same, with every member looked at: for whoever wants to be sure. */
export function checkedLine(content: Readonly<Record<string, unknown>>): Line {
  const line = knownLine(content);
  const { error } = Line.safeParse(line);
  if (error !== undefined) throw unknownLine(content, error);
  // As it was written and as a store takes it: a parser leaves out names that it does not like, such as `__proto__`.
  return line;
}

function unknownLine({ t, v }: Readonly<Record<string, unknown>>, cause?: unknown): Error {
  return new Error(
    `a line of type ${JSON.stringify(t)}, version ${JSON.stringify(v)}, is not as this version of mkt knows it`,
    { cause },
  );
}
