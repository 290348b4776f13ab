import type { IdempotentAnswer } from "./idempotency-record.ts";

/** How long the use of an Idempotency-Key is remembered at least; a margin is in it. docs/contract.md, "Idempotency". */
export const KEY_KEPT_MS = 25 * 3_600_000;

/** What became of the request that used a key first. */
export type FoundIdempotency =
  | { readonly kind: "answer"; readonly answer: IdempotentAnswer }
  | {
      readonly kind: "run";
      readonly request: string;
      readonly workspaceId: string;
      readonly runId: string;
      /** The run ended without reaching its provider: it does not bind the key, which may be used again. */
      readonly neverReached: boolean;
    };

export interface IdempotencyStore {
  /** By `IdempotencyStamp.key`; only what is durable. Uses older than 24 hours may be forgotten. */
  findIdempotency(key: string): Promise<FoundIdempotency | undefined>;
}
