import { ApiError } from "../../shared/errors.ts";
import type { RequestStamp } from "./request-stamp.ts";
import type { Reply } from "./route.ts";

/** A request that came with an Idempotency-Key. */
export interface KeyedRequest {
  /** As it was sent. */
  readonly key: string;
  /** Within which keys are told apart: the workspace, and the key of a caller who sees its own things alone. */
  readonly workspaceId: string;
  readonly operationId: string;
  readonly params: unknown;
  readonly body: unknown;
}

/** What makes a request that is sent again find its first answer. docs/contract.md, "Idempotency". */
export interface Idempotency {
  /**
   * The stored answer, with `Idempotent-Replayed`, or that of `handle`, which keeps the stamp with what it makes. Of
   * requests with one key only one is handled at a time. Throws conflict (409, with `runId` where there is one) while the
   * first answer is not known, unprocessable (422) for a key of another request.
   */
  answer(request: KeyedRequest, handle: (stamp: RequestStamp) => Promise<Reply>): Promise<Reply>;
}

/** The value of the header; 400 when it is not 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new ApiError(
    "invalidInput",
    `Idempotency-Key: must be 1 to 255 visible ASCII characters (got ${header.length} characters)`,
  );
}
