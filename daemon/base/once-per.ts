/**
 * Gives what `make` makes of an object: made by the first call, kept as long as the object lives, given again by every further
 * call. For objects that never change. When `make` throws, nothing is kept.
 */
export function oncePer<Source extends object, Made extends object>(
  make: (source: Source) => Made,
): (source: Source) => Made {
  const made = new WeakMap<Source, Made>();
  return (source) => {
    const known = made.get(source);
    if (known !== undefined) return known;
    const fresh = make(source);
    made.set(source, fresh);
    return fresh;
  };
}
