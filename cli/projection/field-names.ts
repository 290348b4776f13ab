/** The names of members below a path, lists gone through, in the order in which they come; none where it leads nowhere. */
export function fieldNames(value: unknown, path: readonly string[]): string[] {
  const names = new Set<string>();
  collect(value, path, names);
  return [...names];
}

function collect(value: unknown, path: readonly string[], names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, path, names);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const [name, ...deeper] = path;
  if (name === undefined) {
    for (const member of Object.keys(value)) names.add(member);
  } else if (Object.hasOwn(value, name)) {
    collect((value as Readonly<Record<string, unknown>>)[name], deeper, names);
  }
}
