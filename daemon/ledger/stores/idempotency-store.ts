import type { RunId, WorkspaceId } from "../../base/ids.ts";
import type { IdempotentAnswer } from "../records/idempotency-record.ts";

/** The minimum time for which an Idempotency-Key is remembered, with a margin. docs/contract.md, "Idempotency". */
export const KEY_KEPT_MS = 25 * 3_600_000;

/** The result of the first request with a key. */
export type FoundIdempotency =
  | { readonly kind: "answer"; readonly answer: IdempotentAnswer }
  | {
      readonly kind: "run";
      readonly request: string;
      readonly workspaceId: WorkspaceId;
      readonly runId: RunId;
      /** True: the run ended without reaching its provider, so the key may be used again. */
      readonly neverReached: boolean;
    };

export interface IdempotencyStore {
  /** By `IdempotencyStamp.key`; only what is durable. Uses older than 24 hours may be forgotten. */
  findIdempotency(key: string): Promise<FoundIdempotency | undefined>;
}
