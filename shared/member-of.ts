import { isRecord } from "./is-record.ts";

/** An own member of whatever a value is; undefined where it is no object, a list included, or has no such member. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
