import type { SecretCheck } from "../catalog/entries/catalog-entry.ts";
import type { ConversationParts } from "./conversation.ts";
import { NoAnswerError, type ProviderCallOptions } from "./protocol/provider.ts";

/** What a provider's answer says of its secrets. `unknown`: nothing, as with 429, 5xx, and no answer. */
export type SecretProof = "works" | "refused" | "unknown";

/** Longest time for one check, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** Makes the call that proves a provider's secrets, once; it carries nothing of a caller. Never throws for want of an answer. */
export async function verifySecrets(
  { caller, secretsOf }: Pick<ConversationParts, "caller" | "secretsOf">,
  { provider, http, errors, call, refusedIf }: SecretCheck,
  { signal }: ProviderCallOptions,
): Promise<{ readonly proof: SecretProof; readonly httpStatus?: number }> {
  try {
    const { exchange } = await caller.make({
      entry: { provider, http, errors, input: {} },
      call,
      templates: { secrets: secretsOf(provider), input: {}, runId: "verify" },
      facts: {},
      media: "auto",
      repeatable: true,
      retries: false,
      exchangeTimeoutMs: Math.min(http.timeoutMs, TIMEOUT_MS),
      maxResponseBytes: http.maxResponseBytes,
      signal,
      attempts: [],
    });
    return { proof: proofOf(exchange.status, refusedIf), httpStatus: exchange.status };
  } catch (error) {
    if (error instanceof NoAnswerError) return { proof: "unknown" };
    throw error;
  }
}

export function proofOf(httpStatus: number, refusedIf: readonly number[]): SecretProof {
  if (httpStatus >= 200 && httpStatus < 300) return "works";
  return refusedIf.includes(httpStatus) ? "refused" : "unknown";
}
