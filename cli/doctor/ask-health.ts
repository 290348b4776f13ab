import type { Client } from "../../shared/client/client.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { Health } from "../../shared/contract/service.ts";
import { isRecord } from "../../shared/is-record.ts";

const timeoutMs = 5_000;

/** The answer of the current service to `GET /health`. */
export interface HealthAnswer {
  /** Absent when it did not answer, or with an error. */
  health?: Health;
  /** Why there is no `health`. */
  error?: unknown;
  /** Headers of the answer; names in lower case. */
  headers?: Record<string, string>;
  /** This machine's time in the middle of the request, in milliseconds. */
  at: number;
}

/** An unhealthy service answers with 503. */
function healthIn(error: unknown): { health: Health } | undefined {
  if (!(error instanceof ServiceError) || error.status !== 503) return undefined;
  const { body } = error;
  const isHealth = isRecord(body) && "status" in body && "storage" in body;
  return isHealth ? { health: body as Health } : undefined;
}

/** Asks once, for all checks. Never rejects. */
export async function askHealth(client: Client): Promise<HealthAnswer> {
  const sentAt = Date.now();
  const heard: { headers?: Record<string, string> } = {};
  const onHeaders = (headers: Record<string, string>) => (heard.headers = headers);
  const answer = await client
    .getHealth({}, { signal: AbortSignal.timeout(timeoutMs), onHeaders })
    .then((health) => ({ health }))
    .catch((error: unknown) => healthIn(error) ?? { error });
  return { ...answer, ...heard, at: (sentAt + Date.now()) / 2 };
}
