import { z } from "zod";
import { DateTime, Money } from "./common.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

/** A run is at another state. */
export const LiveRun = z.object({
  runId: z.string(),
  status: z.string(),
  provider: z.string(),
  endpoint: z.string(),
  cost: Money.optional().meta({ description: "What was charged; of a run that has ended." }),
  at: DateTime,
});
export type LiveRun = z.infer<typeof LiveRun>;

/** The wallet as it is now. */
export const LiveWallet = z.object({ balance: Money, held: Money });
export type LiveWallet = z.infer<typeof LiveWallet>;

/** Something else has changed: what it is now is read where it is kept. */
export const LiveChange = z.object({
  id: z.string().optional(),
  kind: z.string().meta({ description: "created, changed, deleted, …" }),
  at: DateTime,
});
export type LiveChange = z.infer<typeof LiveChange>;

export const eventOperations = {
  followEvents: defineOperation({
    ...operationPaths.followEvents,
    tier: "mkt",
    tag: "Events",
    summary: "What happens in the workspace, as it happens",
    description:
      "Server-sent events, as far as the scopes of the credentials allow: run, wallet, control, approval, schedule, webhook, resource, secret, catalog and key, each with a small JSON text. The first one is `ready`; after `reset` events may have been missed, and what is shown has to be read again. An id is a position: Last-Event-ID goes on after it. It ends with its credentials.",
    auth: "workspace",
    query: z.object({
      after: z
        .string()
        .max(200)
        .optional()
        .meta({ description: "The id of the last event that was seen; Last-Event-ID has precedence." }),
    }),
    headers: z.object({ "last-event-id": z.string().max(200).optional() }),
    responses: { 200: z.string() },
    streams: ["text/event-stream"],
    errors: [400],
  }),
};
