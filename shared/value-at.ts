/**
 * The value at a path of names; undefined when a step is missing. Own members only, so that `constructor` finds
 * nothing. In a list a step is the index of an item, as a number or as text.
 */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value;
}

/** The same for a dotted name such as `filter.city`; a member whose own name contains the dots takes precedence. */
export function valueAtDottedName(root: unknown, path: readonly string[]): unknown {
  const whole = valueAt(root, [path.join(".")]);
  return whole === undefined ? valueAt(root, path) : whole;
}
