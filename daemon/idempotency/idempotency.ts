import type { RunId, WorkspaceId } from "../base/ids.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Idempotency } from "../http/routes/idempotency.ts";
import { type Reply, reply } from "../http/routes/route.ts";
import { IdempotencyKeyUsed } from "../ledger/transaction/commit-errors.ts";
import type { FoundIdempotency, IdempotencyStore } from "../ledger/stores/idempotency-store.ts";
import { stampRequest } from "./stamp-request.ts";

/** How often it is looked for who used a key. */
const MAX_TRIES = 3;

export interface IdempotencyParts {
  readonly store: IdempotencyStore;
  /** The answer to the request that made the run; undefined while it is not known. */
  readonly answerOfRun: (workspaceId: WorkspaceId, runId: RunId) => Promise<Reply | undefined>;
}

/**
 * Idempotency from durable data: the line that creates something names its request, so that after a crash both are
 * there or neither is. Only requests in progress are known in memory alone. A run that certainly never reached its
 * provider made nothing, so its key counts as unused. docs/contract.md, "Idempotency".
 */
export function createIdempotency({ store, answerOfRun }: IdempotencyParts): Idempotency {
  /** Hash of a key → hash of the request that is being handled. */
  const underWay = new Map<string, string>();

  async function replay(found: FoundIdempotency, request: string): Promise<Reply> {
    if (found.kind === "answer") {
      if (found.answer.request !== request) throw usedForAnother();
      return replayed(found.answer);
    }
    if (found.request !== request) throw usedForAnother();
    const answer = await answerOfRun(found.workspaceId, found.runId);
    if (answer === undefined) throw stillUnderWay(found.runId);
    return replayed(answer);
  }

  return {
    async answer(keyed, handle) {
      const stamp = stampRequest(keyed);
      const first = underWay.get(stamp.key);
      if (first !== undefined && first !== stamp.request) throw usedForAnother();
      // Set before the first await, so that the next request with this key finds it.
      if (first === undefined) underWay.set(stamp.key, stamp.request);
      try {
        for (let tries = 1; ; tries += 1) {
          const found = await store.findIdempotency(stamp.key);
          const earlier = found?.kind === "run" && found.neverReached ? found : undefined;
          if (found !== undefined && earlier === undefined) return await replay(found, stamp.request);
          if (first !== undefined) throw stillUnderWay();
          try {
            return await handle(earlier === undefined ? stamp : { ...stamp, retryOf: earlier.runId });
          } catch (error) {
            // Another daemon was quicker with the same key, and has the answer or works on it.
            if (!(error instanceof IdempotencyKeyUsed)) throw error;
            if (tries === MAX_TRIES) throw stillUnderWay();
          }
        }
      } finally {
        if (first === undefined) underWay.delete(stamp.key);
      }
    },
  };
}

function replayed({ status, body }: { readonly status: number; readonly body?: unknown }): Reply {
  return reply(status, body, { "idempotent-replayed": "true" });
}

function usedForAnother(): ApiError {
  return new ApiError(
    "unprocessable",
    "Idempotency-Key: this key was used for another request; send the same request again, or use a new key",
  );
}

function stillUnderWay(runId?: RunId): ApiError {
  const message = "The first request with this Idempotency-Key has no answer yet";
  if (runId === undefined) return new ApiError("conflict", `${message}; send it again in a moment`);
  return new ApiError("conflict", `${message}; GET /v1/runs/${runId} shows its run`, { extra: { runId } });
}
