import type { FieldPath } from "./field-path.ts";

/** What `selectFields` gives. */
export interface Selection {
  readonly value: unknown;
  /** The paths that lead nowhere in it, in the order in which they were asked for. */
  readonly unmatched: readonly FieldPath[];
}

/**
 * The members that the paths name, in the order of the paths and in the shape of the answer: `price.amount` of
 * `{price: {amount, type}}` gives `{price: {amount}}`. A list on the way is gone through, and stays as long as it is. What
 * lies below null is null: whether it would have been there cannot be known.
 */
export function selectFields(value: unknown, paths: readonly FieldPath[]): Selection {
  const matched = new Set<FieldPath>();
  const selected = select(
    value,
    paths.map((path) => ({ rest: path, path })),
    matched,
  );
  return {
    value: selected === NOTHING ? emptyFor(value) : selected,
    unmatched: paths.filter((path) => !matched.has(path)),
  };
}

/** What is left of a path below the value that is looked at, and the whole of it. */
interface Wanted {
  readonly rest: readonly string[];
  readonly path: FieldPath;
}

const NOTHING = Symbol("nothing matches here");

function select(value: unknown, wanted: readonly Wanted[], matched: Set<FieldPath>): unknown {
  const whole = wanted.filter(({ rest }) => rest.length === 0);
  if (whole.length > 0 || value === null) {
    for (const { path } of value === null ? wanted : whole) matched.add(path);
    // A path through what is taken whole leads somewhere, or not, as ever.
    if (value !== null)
      select(
        value,
        wanted.filter(({ rest }) => rest.length > 0),
        matched,
      );
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => {
      const selected = select(item, wanted, matched);
      return selected === NOTHING ? emptyFor(item) : selected;
    });
  }
  return typeof value === "object"
    ? selectMembers(value as Readonly<Record<string, unknown>>, wanted, matched)
    : NOTHING;
}

function selectMembers(
  value: Readonly<Record<string, unknown>>,
  wanted: readonly Wanted[],
  matched: Set<FieldPath>,
): unknown {
  const byName = new Map<string, Wanted[]>();
  for (const { rest, path } of wanted) {
    const [name, ...deeper] = rest;
    if (name === undefined || !Object.hasOwn(value, name)) continue;
    byName.set(name, [...(byName.get(name) ?? []), { rest: deeper, path }]);
  }
  const members = [...byName]
    .map(([name, below]) => [name, select(value[name], below, matched)] as const)
    .filter(([, member]) => member !== NOTHING);
  return members.length === 0 ? NOTHING : Object.fromEntries(members);
}

function emptyFor(value: unknown): unknown {
  return typeof value === "object" && value !== null ? {} : null;
}
