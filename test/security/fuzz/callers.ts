import fc from "fast-check";
import type { Endpoint } from "./document.ts";

/**
 * Who asks:
 *
 *   payer      buys at `stall` like somebody who means it; nobody changes prices, controls or keys there
 *   ours       may do everything in its workspace, and does
 *   reader     of the same workspace, may read runs
 *   minted     a key that a request made; nth of them, with whatever limits it has
 *   neighbour  of another workspace; what it buys is marked
 *   operator   the owner
 *   revoked, stranger, nobody   get in nowhere: a revoked key, a key that never was, none
 */
export type Caller =
  | "payer"
  | "ours"
  | "reader"
  | "minted"
  | "neighbour"
  | "operator"
  | "revoked"
  | "stranger"
  | "nobody";

/** Whose ids a caller gets to know. */
export const homes: Readonly<Record<Caller, string>> = {
  payer: "payer",
  ours: "ours",
  reader: "ours",
  minted: "ours",
  neighbour: "neighbour",
  operator: "default",
  revoked: "ours",
  stranger: "ours",
  nobody: "ours",
};

/** Who calls the operation, mostly those who may. */
export function callersOf({ open, path }: Endpoint): fc.Arbitrary<Caller> {
  if (open) return weighted({ nobody: 8, ours: 1, stranger: 1 });
  if (path.startsWith("/v1/admin/")) return weighted({ operator: 8, ours: 1, neighbour: 1, nobody: 1 });
  return weighted({ ours: 20, neighbour: 4, operator: 3, minted: 3, reader: 2, nobody: 1, stranger: 1, revoked: 1 });
}

function weighted(weights: Partial<Record<Caller, number>>): fc.Arbitrary<Caller> {
  return fc.oneof(
    ...Object.entries(weights).map(([caller, weight]) => ({ arbitrary: fc.constant(caller as Caller), weight })),
  );
}
