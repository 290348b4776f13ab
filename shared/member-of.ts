import { isRecord } from "./is-record.ts";

/** An own member of any value; undefined when it is not an object, or is a list, or has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
