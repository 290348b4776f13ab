import type { Webhook, WebhookDelivery } from "../../shared/contract/webhooks.ts";
import type { DeliveryRecord, WebhookRecord } from "../ledger/webhook-records.ts";
import type { WebhookView } from "./webhook-service.ts";

export function toWebhook({ webhook, url, waiting, dead }: WebhookView): Webhook {
  const { webhookId, name, events, format, disabled, secrets, createdBy, createdAt, updatedAt } = webhook;
  const until = secrets.find(({ expiresAt }) => expiresAt !== undefined)?.expiresAt;
  return {
    webhookId,
    name,
    url: shownAddress(webhook, url),
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

/** Without what may be a secret: the path of a chat service, and any query. */
function shownAddress({ origin, format }: WebhookRecord, url: URL | undefined): string {
  if (url === undefined || format === "slack") return `${origin}/…`;
  return `${origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
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
