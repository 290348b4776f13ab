/** Whether the next item may begin: now, when something ends, or never. */
export type Admission = "now" | "later" | "never";

/**
 * Works on items in their order, at most `concurrency` at the same time. Rejects with the first failure, after all that
 * was begun has ended; nothing more begins from then on. `admit` decides about each item; where it says `later` while
 * nothing is at work, or `never`, the rest is left.
 */
export async function inParallel<Item extends object>(
  items: AsyncIterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
  admit: (item: Item) => Admission = () => "now",
): Promise<void> {
  const atWork = new Set<Item>();
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  const ended = () => new Promise<void>((resolve) => (wake = resolve));
  const begin = async (item: Item) => {
    atWork.add(item);
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    } finally {
      atWork.delete(item);
      wake();
    }
  };

  const isAdmitted = async (item: Item) => {
    for (;;) {
      if (failure !== undefined) return false;
      if (atWork.size < concurrency) {
        const admission = admit(item);
        if (admission === "now") return true;
        if (admission === "never" || atWork.size === 0) return false;
      }
      await ended();
    }
  };

  try {
    for await (const item of items) {
      if (!(await isAdmitted(item))) break;
      void begin(item);
    }
  } catch (error) {
    failure ??= { error };
  }
  while (atWork.size > 0) await ended();
  if (failure !== undefined) throw failure.error;
}
