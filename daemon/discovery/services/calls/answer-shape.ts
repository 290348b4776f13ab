import { ServiceFailed } from "./service-failed.ts";

/** An answer that violates the protocol. */
export function nonsense(message: string): ServiceFailed {
  return new ServiceFailed("nonsense", message);
}

/** The index of a text among the `count` that were sent; it may occur only once in the answer. Throws ServiceFailed. */
export function placeOf(index: unknown, count: number, taken: ReadonlySet<number>): number {
  if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count && !taken.has(index))
    return index;
  throw nonsense("its answer does not say what is about which text");
}
