import { z } from "zod";
import { atMost } from "./at-most.ts";
import { closedObject } from "./closed-object.ts";
import { DateTime, NextCursor, textOfLength } from "./common.ts";
import { eventFilters } from "./event-types.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { Cursor, Limit100 } from "./query-values.ts";

const EventFilters = atMost(50, z.array(z.enum(eventFilters as [string, ...string[]])).min(1)).meta({
  description: "Types of events, groups such as run.*, or * for all.",
});
const WebhookName = textOfLength(1, 100).meta({ description: "For people." });

export const WebhookFormat = z.enum(["standard", "slack"]).meta({
  description: 'standard: {type, timestamp, data}, as Standard Webhooks have it; slack: {"text"}, for chat services.',
});
export type WebhookFormat = z.infer<typeof WebhookFormat>;

/** A receiver of events. docs/contract.md, "Webhooks". */
export const Webhook = z
  .object({
    webhookId: z.string().meta({ description: "ULID." }),
    name: z.string(),
    url: z.string().meta({
      description: "Scheme, host and port of its address; its path and query may be secrets, and are shown to nobody.",
    }),
    events: z.array(z.string()),
    format: WebhookFormat,
    status: z.enum(["ENABLED", "DISABLED"]),
    disabledReason: z.enum(["ASKED", "GONE", "KEY_REVOKED", "KEY_EXPIRED"]).optional().meta({
      description:
        "ASKED: somebody did it; GONE: it answered 410; KEY_REVOKED, KEY_EXPIRED: the key that made or enabled it ended so.",
    }),
    disabledAt: DateTime.optional(),
    previousSecretUntil: DateTime.optional().meta({ description: "Until then the secret before signs too." }),
    waiting: z.int().meta({ description: "Deliveries that wait for their next attempt." }),
    dead: z.int().meta({ description: "Deliveries that were given up, of those that are still listed." }),
    createdBy: z.string().meta({ description: "Actor id, for example API_KEY#<fingerprint>." }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

const secret = z.string().meta({ description: "Shown now and never again: whsec_ and base64." });

export const CreatedWebhook = Webhook.extend({
  secret: secret.optional().meta({ description: "Shown once; absent in an answer that is repeated for its key." }),
}).meta({ id: "CreatedWebhook" });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const WebhookList = z.object({ items: z.array(Webhook) }).meta({ id: "WebhookList" });
export type WebhookList = z.infer<typeof WebhookList>;

export const CreateWebhookRequest = closedObject({
  url: z.string().min(1).max(2_000).meta({ description: "https; http only for a private host of the operator's." }),
  events: EventFilters.optional().meta({ description: "All when absent." }),
  name: WebhookName.optional().meta({ description: "Its host when absent." }),
  format: WebhookFormat.optional(),
}).meta({ id: "CreateWebhookRequest" });
export type CreateWebhookRequest = z.infer<typeof CreateWebhookRequest>;

export const UpdateWebhookRequest = closedObject({
  name: WebhookName.optional(),
  events: EventFilters.optional(),
  status: z.enum(["ENABLED", "DISABLED"]).optional(),
})
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "name what is to change: name, events or status",
  })
  .meta({ id: "UpdateWebhookRequest", minProperties: 1 });
export type UpdateWebhookRequest = z.infer<typeof UpdateWebhookRequest>;

export const RotateWebhookRequest = closedObject({
  overlapHours: z.int().min(0).max(168).optional().meta({
    description:
      "How long the secret before signs too; 24 when absent, 0 when it must not be trusted any more. Above 0 it is a conflict while an earlier one still signs.",
  }),
}).meta({ id: "RotateWebhookRequest" });
export type RotateWebhookRequest = z.infer<typeof RotateWebhookRequest>;

export const RotatedWebhook = Webhook.extend({ secret }).meta({ id: "RotatedWebhook" });
export type RotatedWebhook = z.infer<typeof RotatedWebhook>;

/** One event on its way to one webhook. */
export const WebhookDelivery = z
  .object({
    deliveryId: z.string().meta({ description: "The webhook-id of its message, the same at every attempt." }),
    webhookId: z.string(),
    type: z.string(),
    state: z.enum(["WAITING", "DELIVERED", "DEAD"]),
    runId: z.string().optional(),
    at: DateTime.meta({ description: "When the event happened." }),
    attempts: z.int(),
    nextAttemptAt: DateTime.optional(),
    lastAttempt: z
      .object({
        at: DateTime,
        durationMs: z.int().optional(),
        httpStatus: z.int().optional(),
        error: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryPage = z
  .object({ items: z.array(WebhookDelivery), cursor: NextCursor })
  .meta({ id: "WebhookDeliveryPage" });
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>;

export const ResendDeliveriesRequest = closedObject({
  ids: atMost(100, z.array(z.string().min(1)).min(1))
    .optional()
    .meta({ description: "Deliveries that have ended." }),
  since: DateTime.optional().meta({ description: "All dead ones of events since then." }),
})
  .refine(({ ids, since }) => (ids === undefined) !== (since === undefined), {
    error: "name the deliveries: either ids or since",
  })
  .meta({ id: "ResendDeliveriesRequest" });
export type ResendDeliveriesRequest = z.infer<typeof ResendDeliveriesRequest>;

export const ResentDeliveries = z
  .object({ ids: z.array(z.string()).meta({ description: "Those that wait again." }) })
  .meta({ id: "ResentDeliveries" });
export type ResentDeliveries = z.infer<typeof ResentDeliveries>;

const webhooks = { tier: "mkt", tag: "Webhooks", auth: "workspace" } as const;
const params = z.object({ webhookId: z.string().meta({ description: "ULID." }) });

/** Receivers of events, and what was sent to them. docs/contract.md, "Webhooks". */
export const webhookOperations = {
  listWebhooks: defineOperation({
    ...operationPaths.listWebhooks,
    ...webhooks,
    summary: "List webhooks, oldest first",
    scope: "controls:read",
    responses: { 200: WebhookList },
  }),
  createWebhook: defineOperation({
    ...operationPaths.createWebhook,
    ...webhooks,
    summary: "Create a webhook",
    description:
      "The answer has its signing secret, which is shown once. Besides its scope the caller must be able to read all runs.",
    scope: "controls:create",
    idempotent: true,
    body: CreateWebhookRequest,
    responses: { 201: CreatedWebhook },
    errors: [400, 409],
  }),
  getWebhook: defineOperation({
    ...operationPaths.getWebhook,
    ...webhooks,
    summary: "Get a webhook",
    scope: "controls:read",
    params,
    responses: { 200: Webhook },
    errors: [400, 404],
  }),
  updateWebhook: defineOperation({
    ...operationPaths.updateWebhook,
    ...webhooks,
    summary: "Change, disable or enable a webhook",
    description: "What waits for a webhook that is disabled is dead, and can be sent again when it is enabled.",
    scope: "controls:update",
    params,
    body: UpdateWebhookRequest,
    responses: { 200: Webhook },
    errors: [400, 404],
  }),
  deleteWebhook: defineOperation({
    ...operationPaths.deleteWebhook,
    ...webhooks,
    summary: "Delete a webhook with its deliveries",
    scope: "controls:delete",
    params,
    responses: { 204: null },
    errors: [400, 404],
  }),
  rotateWebhookSecret: defineOperation({
    ...operationPaths.rotateWebhookSecret,
    ...webhooks,
    summary: "Give a webhook a new signing secret",
    description: "Messages carry the signatures of both secrets until the old one expires.",
    scope: "controls:update",
    params,
    body: RotateWebhookRequest,
    responses: { 200: RotatedWebhook },
    errors: [400, 404],
  }),
  testWebhook: defineOperation({
    ...operationPaths.testWebhook,
    ...webhooks,
    summary: "Send a test message, and wait for the answer of the receiver",
    scope: "controls:update",
    params,
    responses: { 200: WebhookDelivery },
    errors: [400, 404, 409],
  }),
  listWebhookDeliveries: defineOperation({
    ...operationPaths.listWebhookDeliveries,
    ...webhooks,
    summary: "List what was and is to be sent to a webhook, newest first",
    description: "All that wait, and the newest that have ended.",
    scope: "controls:read",
    params,
    query: z.object({
      state: z.enum(["WAITING", "DELIVERED", "DEAD"]).optional(),
      limit: Limit100.optional(),
      cursor: Cursor.optional(),
    }),
    responses: { 200: WebhookDeliveryPage },
    errors: [400, 404],
  }),
  resendWebhookDeliveries: defineOperation({
    ...operationPaths.resendWebhookDeliveries,
    ...webhooks,
    summary: "Send deliveries again that have ended",
    description: "Under their ids: a receiver that had one already knows it.",
    scope: "controls:update",
    params,
    body: ResendDeliveriesRequest,
    responses: { 200: ResentDeliveries },
    errors: [400, 404, 409],
  }),
};
