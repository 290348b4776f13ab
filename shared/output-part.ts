/** Which part of an output is asked for: items of its largest list, or characters of its largest text. */
export interface PartRequest {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** Where a part of an output stands in it. */
export interface PartPlace {
  /** The list or the text: `output`, `output.days`. */
  readonly of: string;
  readonly unit: "items" | "characters";
  readonly offset: number;
  readonly count: number;
  readonly total: number;
  /** The offset that goes on where this part ends; absent when it goes to the end. */
  readonly next?: number;
}

/** The list or text that is read in parts, and where it lies in the output. */
export interface LargestPart {
  readonly path: readonly string[];
  readonly value: readonly unknown[] | string;
  /** In characters of JSON. */
  readonly size: number;
}

/** Lists and texts that lie deeper are not read in parts. */
const MAX_DEPTH = 6;

/**
 * The output with the asked part of its largest list or text in place of the whole, and where that part stands; undefined
 * where it has neither. What is beside it stays. Service, command line and MCP go by this one rule. Pure. docs/contract.md,
 * "Large outputs".
 */
export function takeOutputPart(
  output: unknown,
  { offset = 0, limit = Infinity }: PartRequest,
): { readonly output: unknown; readonly part: PartPlace } | undefined {
  const target = largestPart(output);
  if (target === undefined) return undefined;
  const { path, value } = target;
  const isText = typeof value === "string";
  const taken = isText ? wholeCharacters(value, offset, limit) : value.slice(offset, offset + limit);
  const end = offset + taken.length;
  return {
    output: replaceAt(output, path, taken),
    part: {
      of: partName(target),
      unit: isText ? "characters" : "items",
      offset,
      count: taken.length,
      total: value.length,
      ...(end < value.length && taken.length > 0 && { next: end }),
    },
  };
}

/** Both halves of a character outside of the basic plane stay together, unless one half is all that is asked for. */
export function wholeCharacters(text: string, offset: number, limit: number): string {
  const taken = text.slice(offset, offset + limit);
  const isSplit = offset + taken.length < text.length && /[\uD800-\uDBFF]$/.test(taken);
  return isSplit && taken.length > 1 ? taken.slice(0, -1) : taken;
}

/** The list or text with most characters, searched through objects only, so that one offset has one meaning. */
export function largestPart(value: unknown, path: readonly string[] = []): LargestPart | undefined {
  if (Array.isArray(value) || typeof value === "string") return { path, value, size: sizeOf(value) };
  if (typeof value !== "object" || value === null || path.length >= MAX_DEPTH) return undefined;
  let largest: LargestPart | undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = largestPart(member, [...path, name]);
    if (found !== undefined && found.size > (largest?.size ?? 0)) largest = found;
  }
  return largest;
}

export function partName({ path }: Pick<LargestPart, "path">): string {
  return ["output", ...path].join(".");
}

/** The value with another one at the path. What was cut on the way there stays as it is. */
export function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [name, ...deeper] = path;
  if (name === undefined) return replacement;
  if (typeof value !== "object" || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return { ...members, [name]: replaceAt(members[name], deeper, replacement) };
}

/** In characters of JSON. */
export function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
