import { z } from "zod";
import { DateTime, Money } from "./common.ts";
import { WorkspaceBudget } from "./controls.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";
import { RunListItem } from "./runs.ts";

/** Something that a person should look at. */
export const Attention = z.object({
  kind: z.string().meta({
    "x-known-values": [
      "approvalWaiting",
      "budgetNearlySpent",
      "catalogProblem",
      "connectionFailing",
      "providerFailing",
      "schedulePaused",
      "secretFailing",
      "secretMissing",
      "webhookDisabled",
      "webhookFailing",
    ],
  }),
  subject: z.string().meta({ description: "What it is about: a provider, a run, a webhook, a file." }),
  text: z.string(),
  since: DateTime.optional(),
  next: z.string().optional().meta({ description: "The command of mkt that mends it, or shows more." }),
});
export type Attention = z.infer<typeof Attention>;

export const Overview = z
  .object({
    workspace: z.object({ workspaceId: z.string(), name: z.string(), slug: z.string() }),
    wallet: z.object({ balance: Money, held: Money, unlimited: z.literal(true).optional() }).optional(),
    spent: z
      .object({ today: Money, month: Money })
      .optional()
      .meta({ description: "Charged to the workspace since the beginning of the day and of the month, UTC." }),
    budgets: z.array(WorkspaceBudget).optional(),
    inFlight: z
      .object({
        count: z.int().min(0).meta({ description: "At most 100." }),
        more: z.literal(true).optional().meta({ description: "There are more than count." }),
        runs: z.array(RunListItem).max(10).meta({ description: "The newest." }),
      })
      .optional(),
    attention: z.array(Attention),
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof Overview>;

export const overviewOperations = {
  getOverview: defineOperation({
    ...operationPaths.getOverview,
    tier: "mkt",
    tag: "Console",
    summary: "The state of the workspace at a glance",
    description: "Parts that the credentials may not read are absent.",
    auth: "workspace",
    responses: { 200: Overview },
  }),
};
