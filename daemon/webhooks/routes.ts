import { operations } from "../../shared/contract/index.ts";
import { decodeCursor, encodeCursor } from "../http/cursors/cursor.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { keepAnswer } from "../idempotency/keep-answer.ts";
import type { WebhookService } from "./webhook-service.ts";
import { toDelivery, toWebhook } from "./webhook-wire.ts";

const CURSOR = "webhook-deliveries";

/** Webhooks and their deliveries. docs/contract.md, "Webhooks". */
export function webhookRoutes({ webhooks }: { readonly webhooks: WebhookService }): Route[] {
  return [
    route(operations.listWebhooks, async ({ caller }) =>
      reply(200, { items: (await webhooks.list(caller)).map(toWebhook) }),
    ),
    route(operations.createWebhook, async ({ caller, body, idempotency }) => {
      const { secret, ...made } = await webhooks.create(caller, body, keepAnswer(idempotency, 201, toWebhook));
      return reply(201, { ...toWebhook(made), secret });
    }),
    route(operations.getWebhook, async ({ caller, params }) =>
      reply(200, toWebhook(await webhooks.get(caller, params.webhookId))),
    ),
    route(operations.updateWebhook, async ({ caller, params, body }) =>
      reply(200, toWebhook(await webhooks.change(caller, params.webhookId, body))),
    ),
    route(operations.deleteWebhook, async ({ caller, params }) => {
      await webhooks.delete(caller, params.webhookId);
      return reply(204, undefined);
    }),
    route(operations.rotateWebhookSecret, async ({ caller, params, body }) => {
      const { secret, ...rotated } = await webhooks.rotate(caller, params.webhookId, body.overlapHours);
      return reply(200, { ...toWebhook(rotated), secret });
    }),
    route(operations.testWebhook, async ({ caller, params }) =>
      reply(200, toDelivery(await webhooks.test(caller, params.webhookId))),
    ),
    route(operations.listWebhookDeliveries, async ({ caller, params, query: { cursor, ...filter } }) => {
      const after = cursor === undefined ? {} : { after: String(decodeCursor(CURSOR, cursor)) };
      const { items, next } = await webhooks.listDeliveries(caller, params.webhookId, { ...filter, ...after });
      return reply(200, {
        items: items.map(toDelivery),
        ...(next !== undefined && { cursor: encodeCursor(CURSOR, next) }),
      });
    }),
    route(operations.resendWebhookDeliveries, async ({ caller, params, body }) =>
      reply(200, { ids: [...(await webhooks.resend(caller, params.webhookId, body))] }),
    ),
  ];
}
