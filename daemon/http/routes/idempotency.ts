import type { WorkspaceId } from "../../base/ids.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { RequestStamp } from "./request-stamp.ts";
import type { Reply } from "./route.ts";

/** A request that came with an Idempotency-Key. */
export interface KeyedRequest {
  /** As it was sent. */
  readonly key: string;
  /** The scope of idempotency keys: the workspace, and the API key of a caller that sees only its own things. */
  readonly workspaceId: WorkspaceId;
  readonly operationId: string;
  readonly params: unknown;
  readonly body: unknown;
}

/** Answers a repeated request with its first answer. docs/contract.md, "Idempotency". */
export interface Idempotency {
  /**
   * Returns the stored answer, with `Idempotent-Replayed`, or the answer of `handle`, which stores the stamp with what
   * it makes. Requests with the same key are handled one at a time. Throws conflict (409, with `runId` if there is a
   * run) while the first answer is not known, and unprocessable (422) if the key was used for another request.
   */
  answer(request: KeyedRequest, handle: (stamp: RequestStamp) => Promise<Reply>): Promise<Reply>;
}

/** The value of the header; throws 400 unless it is 1 to 255 visible ASCII characters. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new ApiError(
    "invalidInput",
    `Idempotency-Key: must be 1 to 255 visible ASCII characters (got ${header.length} characters)`,
  );
}
