import { Line } from "../../../ledger/transaction/transaction.ts";

/** Type of a line → its versions. */
const VERSIONS: ReadonlyMap<unknown, ReadonlySet<unknown>> = new Map(
  Line.options.flatMap(({ options }) => options.map(({ shape }) => [shape.t.value, shape.v.values] as const)),
);

/**
 * A line with a valid checksum was written by this program, so only its type and version are checked: checking every
 * member of a million lines takes longer than reading them. Throws if this version of mkt does not know the type or
 * version.
 */
export function knownLine(content: Readonly<Record<string, unknown>>): Line {
  const { t, v } = content;
  if (VERSIONS.get(t)?.has(v) !== true) throw unknownLine(content);
  return content as Line;
}

/** The same, but checks every member. */
export function checkedLine(content: Readonly<Record<string, unknown>>): Line {
  const line = knownLine(content);
  const { error } = Line.safeParse(line);
  if (error !== undefined) throw unknownLine(content, error);
  // Returns the line as written, not the parser's result, which leaves out names such as `__proto__`.
  return line;
}

function unknownLine({ t, v }: Readonly<Record<string, unknown>>, cause?: unknown): Error {
  return new Error(
    `a line of type ${JSON.stringify(t)}, version ${JSON.stringify(v)}, is not as this version of mkt knows it`,
    { cause },
  );
}
