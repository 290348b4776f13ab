import { z } from "zod";
import { closedObject } from "./closed-object.ts";
import { DateTime, Money, MoneyUnits, NextCursor, textOfLength } from "./common.ts";
import { ControlStatus } from "./controls.ts";
import { RunPrice } from "./price.ts";
import { RouteOfRun } from "./route-members.ts";

const MOST_SECONDS = 30 * 86_400;

/** How a run stands that needs a person's approval. docs/contract.md, "Waiting for approval". */
export const ApprovalStatus = z.enum(["WAITING", "APPROVED", "DENIED", "EXPIRED", "WITHDRAWN"]).meta({
  id: "ApprovalStatus",
  description: "WITHDRAWN: the run was stopped, or ended otherwise, before anybody decided.",
});
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;

const runApproval = {
  status: ApprovalStatus,
  above: Money.meta({ description: "What a run may cost without approval." }),
  maximum: Money.meta({ description: "What this one may cost at most, which is what it holds." }),
  expiresAt: DateTime.meta({ description: "Not approved until then, it ends BLOCKED." }),
  decidedAt: DateTime.optional(),
};

/** The approval that a run needs, as the run shows it. */
export const RunApproval = z
  .object({
    ...runApproval,
    decidedBy: z.string().optional().meta({ description: "Actor: API_KEY#<fingerprint> or USER#<id>." }),
    decidedByKey: z.string().optional().meta({ description: "Label of the key at that time." }),
    reason: z.string().optional().meta({ description: "Why it was denied." }),
  })
  .meta({ id: "RunApproval" });
export type RunApproval = z.infer<typeof RunApproval>;

/** What is to be approved. docs/contract.md, "Waiting for approval". */
export const Approval = z
  .object({
    ...RunApproval.shape,
    runId: z.string(),
    provider: z.string(),
    providerName: z.string(),
    endpoint: z.string(),
    input: z.record(z.string(), z.unknown()).meta({ description: "Composite form." }),
    inputDigest: z.string().meta({ description: "SHA-256 of the input; the approval is for this input only." }),
    manifestHash: z
      .string()
      .meta({ description: "Version of the provider's file; the approval is for this one only." }),
    route: RouteOfRun.optional().meta({ description: "If a route was asked for." }),
    goesOnTo: z
      .array(
        z.object({
          provider: z.string(),
          endpoint: z.string(),
          manifestHash: z.string(),
          input: z
            .record(z.string(), z.unknown())
            .optional()
            .meta({ description: "What this member would be sent, in composite form; not in lists." }),
          price: RunPrice,
          maximum: Money,
        }),
      )
      .optional()
      .meta({ description: "The members of the route that the run may go on to, in their order; approved with it." }),
    price: RunPrice,
    estimate: Money.meta({ description: "What the run is likely to cost." }),
    caller: z.string().meta({ description: "Who asked: API_KEY#<fingerprint> or USER#<id>." }),
    keyLabel: z.string().optional(),
    ruleId: z.string(),
    tags: z.record(z.string(), z.string()).optional(),
    createdAt: DateTime,
  })
  .meta({ id: "Approval" });
export type Approval = z.infer<typeof Approval>;

export const ApprovalPage = z
  .object({
    items: z.array(Approval.omit({ input: true })),
    cursor: NextCursor,
  })
  .meta({ id: "ApprovalPage" });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

export const DenyRequest = closedObject({
  reason: textOfLength(1, 500).optional().meta({ description: "Shown to the caller of the run." }),
}).meta({ id: "DenyRequest" });
export type DenyRequest = z.infer<typeof DenyRequest>;

const ExpiresInSeconds = z
  .int()
  .min(60)
  .max(MOST_SECONDS)
  .meta({ description: "How long a run waits before it ends BLOCKED." });

/** Above which amount runs wait for a person. docs/contract.md, "Approval rules". */
export const ApprovalRule = z
  .object({
    ruleId: z.string(),
    workspaceId: z.string(),
    limitAmount: z.number().meta({ description: "Dollars: a run that may cost more waits." }),
    currency: z.enum(["USD"]),
    keyLabel: z.string().optional().meta({
      description: "The key that it is for, and those that it made; absent: all of the workspace.",
    }),
    expiresInSeconds: ExpiresInSeconds,
    status: ControlStatus,
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "ApprovalRule" });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

export const ApprovalRulePage = z
  .object({ items: z.array(ApprovalRule), cursor: NextCursor })
  .meta({ id: "ApprovalRulePage" });
export type ApprovalRulePage = z.infer<typeof ApprovalRulePage>;

export const ApprovalRuleCreateRequest = closedObject({
  limitAmount: MoneyUnits,
  keyLabel: z.string().min(1).optional().meta({ description: "Only for this key; left out: for all." }),
  expiresInSeconds: ExpiresInSeconds.optional(),
}).meta({ id: "ApprovalRuleCreateRequest" });
export type ApprovalRuleCreateRequest = z.infer<typeof ApprovalRuleCreateRequest>;

export const ApprovalRulePatchRequest = closedObject({
  limitAmount: MoneyUnits.optional(),
  expiresInSeconds: ExpiresInSeconds.optional(),
  status: ControlStatus.optional(),
})
  .refine((change) => Object.values(change).some((member) => member !== undefined), {
    error: "name what is to change: limitAmount, expiresInSeconds or status",
  })
  .meta({ id: "ApprovalRulePatchRequest", minProperties: 1 });
export type ApprovalRulePatchRequest = z.infer<typeof ApprovalRulePatchRequest>;
