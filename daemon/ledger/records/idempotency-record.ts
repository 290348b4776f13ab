import { z } from "zod";
import { Hints } from "../../../shared/contract/hints.ts";
import { CLIENT_KINDS } from "../../../shared/hints/client-kind.ts";

/**
 * Which request an Idempotency-Key was used for. docs/contract.md, "Idempotency";
 * docs/storage.md, "Runs and money on the disk".
 */
export const IdempotencyStamp = z.object({
  /** SHA-256 (hex) of workspace and key. */
  key: z.string(),
  /** SHA-256 (hex) of operation, path parameters and body. */
  request: z.string(),
});
export type IdempotencyStamp = z.infer<typeof IdempotencyStamp>;

/** The answer to a request that created something, kept in the same line, so that both are stored or neither. */
export const IdempotentAnswer = IdempotencyStamp.extend({ status: z.int(), body: z.unknown() });
export type IdempotentAnswer = z.infer<typeof IdempotentAnswer>;

/**
 * What a run keeps of its request's key. The answer is not kept: it is computed from the run, with the request's wait
 * time and the form of its answer.
 */
export const RunIdempotency = IdempotencyStamp.extend({
  waitSeconds: z.number(),
  client: z.enum(CLIENT_KINDS).exactOptional(),
  mirrored: z.literal(true).exactOptional(),
  /** The earlier run with this key, which never reached its provider; this run repeats it. */
  retryOf: z.string().exactOptional(),
  /** The hints of the endpoint's author at that time; the manifest may have changed since. */
  hints: Hints.exactOptional(),
});
export type RunIdempotency = z.infer<typeof RunIdempotency>;
