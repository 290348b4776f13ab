/** The values directly inside an object or a list; walks keep their own stack, because documents are deep. */
export function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.filter(isContainer);
  return isContainer(value) ? Object.values(value as object).filter(isContainer) : [];
}

/** The number of objects, lists, members and items in a value; stops counting after `most`. */
export function countParts(root: unknown, most: number): number {
  let parts = 0;
  const open: unknown[] = [root];
  for (let next = open.pop(); next !== undefined && parts <= most; next = open.pop()) {
    if (!isContainer(next)) continue;
    parts += Array.isArray(next) ? next.length : Object.keys(next).length;
    open.push(...childrenOf(next).slice(0, most));
  }
  return parts;
}

/** The nesting depth of a value; looks no deeper than `most`. */
export function depthOf(root: unknown, most: number): number {
  let deepest = 0;
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isContainer(next.value)) continue;
    deepest = Math.max(deepest, next.depth);
    if (deepest > most) return deepest;
    for (const value of childrenOf(next.value)) open.push({ value, depth: next.depth + 1 });
  }
  return deepest;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
