import type { Webhook, WebhookDelivery } from "../../shared/contract/webhooks.ts";
import type { DeliveryRecord } from "../ledger/records/webhook-records.ts";
import type { WebhookView } from "./webhook-service.ts";

export function toWebhook({ webhook, waiting, dead }: WebhookView): Webhook {
  const { webhookId, name, origin, events, format, disabled, secrets, createdBy, createdAt, updatedAt } = webhook;
  const until = secrets.find(({ expiresAt }) => expiresAt !== undefined)?.expiresAt;
  return {
    webhookId,
    name,
    // Whoever knows the path of a receiver can often post to it.
    url: `${origin}/…`,
    events,
    format,
    status: disabled === undefined ? "ENABLED" : "DISABLED",
    ...(disabled !== undefined && { disabledReason: disabled.why, disabledAt: disabled.at }),
    ...(until !== undefined && { previousSecretUntil: until }),
    waiting,
    dead,
    createdBy,
    createdAt,
    updatedAt,
  };
}

export function toDelivery({
  id,
  webhookId,
  type,
  state,
  runId,
  at,
  attempts,
  nextAt,
  last,
}: DeliveryRecord): WebhookDelivery {
  return {
    deliveryId: id,
    webhookId,
    type,
    state,
    ...(runId !== undefined && { runId }),
    at,
    attempts,
    ...(state === "WAITING" && nextAt !== undefined && { nextAttemptAt: nextAt }),
    ...(last !== undefined && { lastAttempt: toLastAttempt(last) }),
  };
}

function toLastAttempt({ at, ms, status, error }: NonNullable<DeliveryRecord["last"]>) {
  return {
    at,
    ...(ms !== undefined && { durationMs: ms }),
    ...(status !== undefined && { httpStatus: status }),
    ...(error !== undefined && { error }),
  };
}
