import { createHash } from "node:crypto";
import { z } from "zod";
import { createIdSource } from "../../base/new-id.ts";

const JobContent = z.strictObject({ kind: z.string(), input: z.unknown(), nonce: z.string().max(64) });

/**
 * The content of a job id: the kind of report, its settled input, and a nonce that distinguishes equal jobs. The nonce
 * is a ULID, so it also has the start time of the job; or it is derived from the caller's idempotency key.
 *
 * An id contains everything that is needed to repeat the job, so it remains valid when atlas is restarted.
 */
export type JobContent = z.infer<typeof JobContent>;

/** Makes nonces; an idempotency key always gives the same one. */
export function createNonceSource(): (idempotencyKey: string | undefined) => string {
  const newId = createIdSource();
  return (idempotencyKey) =>
    idempotencyKey === undefined
      ? newId()
      : createHash("sha256").update(idempotencyKey).digest("base64url").slice(0, 22);
}

/** URL-safe text, a few hundred characters long. */
export function encodeJobId(content: JobContent): string {
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/** Undefined for an invalid job id. Its input is not checked yet: ids come from outside. */
export function decodeJobId(id: string): JobContent | undefined {
  try {
    return JobContent.safeParse(JSON.parse(Buffer.from(id, "base64url").toString())).data;
  } catch {
    return undefined;
  }
}
