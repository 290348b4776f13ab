import type { LiveEventType } from "../../../shared/contract/live-event-types.ts";
import type { LiveEvent } from "./events-of-line.ts";

/** Operations that change what is in no line of the store. */
const CHANGES: Readonly<Record<string, LiveEventType>> = {
  putSecret: "secret",
  deleteSecret: "secret",
  testSecrets: "secret",
  createGrant: "catalog",
  deleteGrant: "catalog",
  putPrice: "catalog",
  deletePrice: "catalog",
};

/** What an answered operation of an operator has changed; undefined for all others. `at`: ISO 8601. */
export function changeOfAnswer(
  { operation, status }: { readonly operation: string; readonly status: number },
  at: string,
): LiveEvent | undefined {
  const type = status < 300 ? CHANGES[operation] : undefined;
  return type === undefined ? undefined : { type, scope: "operator", data: { kind: operation, at } };
}
