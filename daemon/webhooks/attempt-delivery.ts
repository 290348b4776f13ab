import { TEST_EVENT } from "../../shared/contract/event-types.ts";
import { linkSignals } from "../../shared/linked-signal.ts";
import { type Clock, isoNow, runningMs } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { StorageAway } from "../ledger/transaction/commit-errors.ts";
import type { RunStore } from "../ledger/stores/run-store.ts";
import type { AttemptOutcome, DeliveryRecord, WebhookRecord } from "../ledger/records/webhook-records.ts";
import { messageBody, runEventData } from "./message-body.ts";
import type { Post, Receipt, Receiver } from "./receiver.ts";
import { retryDelayMs } from "./retry-schedule.ts";
import type { SecretBox } from "./secret-box.ts";
import { signedHeaders } from "./signature.ts";
import { openAddress, openSecrets } from "./webhook-secrets.ts";

const GONE = 410;

export interface AttemptParts {
  readonly store: Pick<RunStore, "findRun">;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly userAgent: string;
  /** 0 to 1. */
  readonly random: () => number;
  readonly attemptTimeoutMs: number;
  readonly logger: Pick<Logger, "warn">;
}

/** One attempt with its outcome, as a line keeps it; `isGone`: the receiver wants nothing any more. */
export interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly isGone: boolean;
}

/**
 * Sends a delivery once. Undefined when it was interrupted by `closing`: then it is not known whether it arrived, and it is sent
 * again under the same id. Rejects with StorageAway alone: what it tells of could not be read, so nothing was sent.
 */
export async function attemptDelivery(
  parts: AttemptParts,
  { delivery, webhook }: { readonly delivery: DeliveryRecord; readonly webhook: WebhookRecord },
  { receiver, closing }: { readonly receiver: Receiver; readonly closing: AbortSignal },
): Promise<Attempted | undefined> {
  const { clock } = parts;
  const startedMs = runningMs(clock);
  const receipt = await post(parts, { delivery, webhook }, { receiver, closing });
  if (closing.aborted && receipt.status === undefined) return undefined;
  const { status, error } = receipt;
  const at = isoNow(clock);
  const isGone = status === GONE;
  const nextAt = isGone ? undefined : nextAttemptAt(parts, delivery, receipt);
  return {
    isGone,
    outcome: {
      webhook: delivery.webhookId,
      id: delivery.id,
      at,
      ms: Math.max(0, Math.round(runningMs(clock) - startedMs)),
      ...(status !== undefined && { status }),
      ...(error === undefined ? { delivered: true as const } : { error }),
      ...(nextAt !== undefined && { nextAt }),
    },
  };
}

async function post(
  parts: AttemptParts,
  { delivery, webhook }: { readonly delivery: DeliveryRecord; readonly webhook: WebhookRecord },
  { receiver, closing }: { readonly receiver: Receiver; readonly closing: AbortSignal },
): Promise<Receipt> {
  const { clock, attemptTimeoutMs, logger } = parts;
  const { signal, release } = linkSignals([closing], attemptTimeoutMs);
  try {
    const message = await messageOf(parts, { delivery, webhook });
    return "error" in message ? message : await receiver.post({ ...message, signal, nowMs: clock.now() });
  } catch (error) {
    // The receiver has no part in it: it must not lose one of its attempts.
    if (error instanceof StorageAway) throw error;
    // Its text may name files of the service, and the workspace sees it.
    logger.warn({ err: error, webhookId: delivery.webhookId, deliveryId: delivery.id }, "a message could not be made");
    return { error: "the message could not be made; the log of the service says why" };
  } finally {
    release();
  }
}

/** The signed message, or why there is none. */
async function messageOf(
  { store, box, clock, userAgent }: AttemptParts,
  { delivery, webhook }: { readonly delivery: DeliveryRecord; readonly webhook: WebhookRecord },
): Promise<Pick<Post, "url" | "headers" | "body"> | { readonly error: string }> {
  const url = await openAddress(box, webhook);
  const secrets = await openSecrets(box, webhook, isoNow(clock));
  if (url === undefined || secrets === undefined) return { error: UNREADABLE };
  const data = await dataOf(store, delivery);
  if (data === undefined) return { error: `run ${delivery.runId ?? ""} is not known` };
  const body = messageBody({ type: delivery.type, at: delivery.at, data }, webhook.format);
  const signed = signedHeaders({ id: delivery.id, timestamp: Math.floor(clock.now() / 1_000), body }, secrets);
  return { url, body, headers: { "content-type": "application/json", "user-agent": userAgent, ...signed } };
}

const UNREADABLE =
  "its address and secret cannot be read: their key is not on this machine. Delete the webhook and create it again";

async function dataOf(
  store: AttemptParts["store"],
  { data, runId, workspaceId }: DeliveryRecord,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (data !== undefined) return data;
  if (runId === undefined) return {};
  const run = await store.findRun(workspaceId, runId);
  return run === undefined ? undefined : runEventData(run);
}

function nextAttemptAt(
  { clock, random }: AttemptParts,
  { type, attempts }: DeliveryRecord,
  { error, retryAfterMs }: Receipt,
): string | undefined {
  // Whoever asked for a test looks at its answer now.
  if (error === undefined || type === TEST_EVENT) return undefined;
  const waitMs = retryDelayMs({ attempts: attempts + 1, retryAfterMs, random: random() });
  return waitMs === undefined ? undefined : new Date(clock.now() + waitMs).toISOString();
}
