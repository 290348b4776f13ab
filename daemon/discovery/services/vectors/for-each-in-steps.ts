import { setImmediate as nextTurn } from "node:timers/promises";

/** Items between two yields to other work in this thread. */
const STEP_ITEMS = 500;

/** Goes through many items while other work goes on. */
export async function forEachInSteps<Item>(
  items: readonly Item[],
  visit: (item: Item, place: number) => unknown,
): Promise<void> {
  for (const [place, item] of items.entries()) {
    visit(item, place);
    if (place % STEP_ITEMS === STEP_ITEMS - 1) await nextTurn();
  }
}
