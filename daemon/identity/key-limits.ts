import { ApiError } from "../../shared/errors.ts";
import type { Clock } from "../clock.ts";
import type { WorkspaceCaller } from "./caller.ts";
import { findExcess } from "./scopes.ts";

/** The grants of a key to make: what is wanted, or all that the caller has. 403 for more than that. Contract semantics, 1. */
export function scopesWithin(caller: WorkspaceCaller, wanted: readonly string[] | undefined): string[] {
  if (wanted === undefined) {
    return [...caller.scopes];
  }
  const excess = findExcess(caller.scopes, wanted);
  if (excess !== undefined) {
    throw new ApiError("forbidden", `scopes: a key cannot hand on ${excess}, which it does not have itself`, {
      errorCode: "INSUFFICIENT_SCOPE",
    });
  }
  return [...new Set(wanted)];
}

/** The end of a key to make, in UTC; 400 unless it is in the future. A key that ends mints none that outlives it. */
export function expiryWithin(caller: WorkspaceCaller, wanted: string | undefined, clock: Clock): string | undefined {
  const own = caller.key?.expiresAt;
  if (wanted === undefined) {
    return own;
  }
  if (Date.parse(wanted) <= clock.now()) {
    throw new ApiError("invalidInput", `expiresAt: must be in the future (got "${wanted}")`);
  }
  if (own !== undefined && Date.parse(wanted) > Date.parse(own)) {
    throw new ApiError("invalidInput", `expiresAt: must not be after ${own}, when the key that makes it ends`);
  }
  return new Date(wanted).toISOString();
}

/** The operator grant is never inherited; only an operator hands it on. Contract semantics, 17. */
export function operatorGrant(caller: WorkspaceCaller, wanted: boolean | undefined): boolean {
  if (wanted === true && !caller.operator) {
    throw new ApiError("forbidden", "operator: only an operator hands on the operator grant");
  }
  return wanted === true;
}
