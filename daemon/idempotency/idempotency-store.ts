import type { IdempotentAnswer } from "./idempotency-record.ts";

/** What became of the request that used a key first. */
export type FoundIdempotency =
  | { readonly kind: "answer"; readonly answer: IdempotentAnswer }
  | { readonly kind: "run"; readonly request: string; readonly workspaceId: string; readonly runId: string };

export interface IdempotencyStore {
  /** By `IdempotencyStamp.key`; only what is durable. Uses older than 24 hours may be forgotten. */
  findIdempotency(key: string): Promise<FoundIdempotency | undefined>;
}
