/** Of sorted items, how many are below something: they come first. */
export function countBelow<Item>(sorted: readonly Item[], isBelow: (item: Item) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(sorted[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
