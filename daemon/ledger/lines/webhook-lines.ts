import { z } from "zod";
import { IdempotentAnswer } from "../records/idempotency-record.ts";
import { AttemptOutcome, RecordedEvents, WebhookRecord } from "../records/webhook-records.ts";

const common = { v: z.literal(1), at: z.string(), ws: z.string() };
const asked = { ...common, by: z.string() };

export const WebhookCreatedLine = z.object({
  t: z.literal("webhook.created"),
  ...asked,
  webhook: WebhookRecord,
  idem: IdempotentAnswer.exactOptional(),
});
/** The whole webhook after the change. */
export const WebhookChangedLine = z.object({ t: z.literal("webhook.changed"), ...asked, webhook: WebhookRecord });
export const WebhookDeletedLine = z.object({ t: z.literal("webhook.deleted"), ...asked, webhookId: z.string() });
/** Attempts of deliveries that ended, of any workspace; `gone`: webhooks that answered 410, which are disabled. */
export const WebhookTriedLine = z.object({
  t: z.literal("webhook.tried"),
  v: z.literal(1),
  at: z.string(),
  each: z.array(AttemptOutcome),
  gone: z.array(z.string()).exactOptional(),
});
/** A key's time is over: the webhooks that it made or enabled are disabled, as if it had been revoked. */
export const WebhookKeyExpiredLine = z.object({
  t: z.literal("webhook.keyExpired"),
  v: z.literal(1),
  at: z.string(),
  keyId: z.string(),
});
/** Deliveries that have ended wait again, with their ids. */
export const WebhookResentLine = z.object({
  t: z.literal("webhook.resent"),
  ...asked,
  webhookId: z.string(),
  ids: z.array(z.string()),
});
/** Events that no other line causes. */
export const WebhookEventLine = z.object({ t: z.literal("webhook.event"), ...common, events: RecordedEvents });
/**
 * Something that lasts (an outage, a secret that does not work) has begun or ended for a workspace, with its event. So it is told
 * once, also over restarts.
 */
export const WebhookConditionLine = z.object({
  t: z.literal("webhook.condition"),
  ...common,
  condition: z.string(),
  holds: z.boolean(),
  events: RecordedEvents,
});

export const WebhookLine = z.discriminatedUnion("t", [
  WebhookCreatedLine,
  WebhookChangedLine,
  WebhookDeletedLine,
  WebhookTriedLine,
  WebhookKeyExpiredLine,
  WebhookResentLine,
  WebhookEventLine,
  WebhookConditionLine,
]);
export type WebhookLine = z.infer<typeof WebhookLine>;
