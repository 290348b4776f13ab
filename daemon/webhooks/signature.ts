import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/** A new signing secret, as the Standard Webhooks specification writes it. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds of the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of one attempt: one signature for each secret, the newest first. Standard Webhooks, "Signature scheme":
 * HMAC-SHA256 of `id.timestamp.body`.
 */
export function signedHeaders(message: SignedMessage, secrets: readonly string[]): Readonly<Record<string, string>> {
  const { id, timestamp } = message;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => signatureOf(message, secret)).join(" "),
  };
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
