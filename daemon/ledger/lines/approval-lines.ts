import { z } from "zod";
import { ApprovalRuleRecord } from "../records/approval-records.ts";
import { IdempotentAnswer } from "../records/idempotency-record.ts";

const common = { v: z.literal(1), at: z.string(), ws: z.string(), by: z.string() };

export const ApprovalRuleCreatedLine = z.object({
  t: z.literal("approval.ruleCreated"),
  ...common,
  rule: ApprovalRuleRecord,
  idem: IdempotentAnswer.exactOptional(),
});
/** The whole rule after the change. */
export const ApprovalRuleChangedLine = z.object({
  t: z.literal("approval.ruleChanged"),
  ...common,
  rule: ApprovalRuleRecord,
});
export const ApprovalRuleDeletedLine = z.object({
  t: z.literal("approval.ruleDeleted"),
  ...common,
  ruleId: z.string(),
});

/** Rules. That a run was approved or denied is a line of the run. */
export const ApprovalLine = z.discriminatedUnion("t", [
  ApprovalRuleCreatedLine,
  ApprovalRuleChangedLine,
  ApprovalRuleDeletedLine,
]);
export type ApprovalLine = z.infer<typeof ApprovalLine>;
