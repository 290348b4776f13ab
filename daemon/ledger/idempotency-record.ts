import { z } from "zod";
import { Hints } from "../../shared/contract/hints.ts";
import { CLIENT_KINDS } from "../../shared/hints/client-kind.ts";

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

/** The answer that a creating request gave, kept in the line that made the thing: both are there or neither. */
export const IdempotentAnswer = IdempotencyStamp.extend({ status: z.int(), body: z.unknown() });
export type IdempotentAnswer = z.infer<typeof IdempotentAnswer>;

/**
 * What a run keeps of its request's key. Its answer is not kept: it follows from the run, as long as it is known what the
 * caller asked to wait for and in which words it is answered.
 */
export const RunIdempotency = IdempotencyStamp.extend({
  waitSeconds: z.number(),
  client: z.enum(CLIENT_KINDS).exactOptional(),
  mirrored: z.literal(true).exactOptional(),
  /** The run that used the key before and never reached its provider: this one tried again. */
  retryOf: z.string().exactOptional(),
  /** What the endpoint's author advised then: its manifest may say something else by now. */
  hints: Hints.exactOptional(),
});
export type RunIdempotency = z.infer<typeof RunIdempotency>;
