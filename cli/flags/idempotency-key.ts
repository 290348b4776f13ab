import { InvalidArgumentError } from "commander";
import type { CallOptions } from "../../shared/client/client.ts";
import { newId } from "../core/new-id.ts";

/** A call that takes effect at most once, however often it arrives. Without a given key, a new one is made. */
export function idempotent(key: string = newId()): CallOptions {
  return { headers: { "idempotency-key": key } };
}

/** What may travel as an Idempotency-Key. docs/contract.md, "Idempotency". */
export function parseIdempotencyKey(value: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new InvalidArgumentError("It must be 1 to 255 visible ASCII characters, without spaces.");
}
