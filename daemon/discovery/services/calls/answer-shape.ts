import { ServiceFailed } from "./service-failed.ts";

/** An answer that is not what the protocol says. */
export function nonsense(message: string): ServiceFailed {
  return new ServiceFailed("nonsense", message);
}

/** The place of a text among `count` that were sent, which no other part of the answer may be about. Throws ServiceFailed. */
export function placeOf(index: unknown, count: number, taken: ReadonlySet<number>): number {
  if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count && !taken.has(index))
    return index;
  throw nonsense("its answer does not say what is about which text");
}
