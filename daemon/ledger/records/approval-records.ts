import { z } from "zod";
import { RecordedAmount, RecordedAmountFromZero } from "../money/recorded-amount.ts";
import { RecordedWorkspaceId } from "./recorded-ids.ts";

/**
 * From which maximum cost a run waits until somebody approves it: for a whole workspace, or for one key and the keys that
 * it made. docs/contract.md, "Approval rules".
 */
export const ApprovalRuleRecord = z.object({
  /** ULID. */
  ruleId: z.string(),
  workspaceId: RecordedWorkspaceId,
  /** A run that may cost more than this waits. */
  limitMicroDollars: RecordedAmountFromZero,
  /** The key that it applies to; absent: all of the workspace. */
  key: z.object({ keyId: z.string(), label: z.string(), actor: z.string() }).exactOptional(),
  /** The keys that it applied to before, the oldest first: the keys that they made are still held by it. */
  formerKeys: z.array(z.object({ keyId: z.string(), actor: z.string() })).exactOptional(),
  /** How long a run waits before it ends unapproved, in seconds. */
  expiresInSeconds: z.int(),
  /** A paused rule makes no run wait. */
  status: z.enum(["ACTIVE", "PAUSED"]),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ApprovalRuleRecord = z.infer<typeof ApprovalRuleRecord>;

/** What became of a run that had to wait for a person. */
export const ApprovalDecision = z.object({
  kind: z.enum(["approved", "denied", "expired"]),
  at: z.string(),
  /** Actor, and for a key its label at the time; absent when the time ran out. */
  by: z.string().exactOptional(),
  keyLabel: z.string().exactOptional(),
  /** By provider: the connected account that an approved run is made with. Absent: nothing that it may call has a login. */
  accounts: z.record(z.string(), z.string()).exactOptional(),
  /** Why it was denied. */
  reason: z.string().exactOptional(),
});
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;

/** What an approval is bound to. The rest of it is the run's own: its key, the version of its endpoint, its hold. */
export const RunApproval = z.object({
  ruleId: z.string(),
  aboveMicroDollars: RecordedAmount,
  estimateMicroDollars: RecordedAmount,
  /** SHA-256 (hex) of the input. */
  inputDigest: z.string(),
  expiresAt: z.string(),
  /** Absent while it waits. */
  decision: ApprovalDecision.exactOptional(),
});
export type RunApproval = z.infer<typeof RunApproval>;

/** Whether a run waits for a person's decision. */
export function waitsForApproval(run: {
  readonly status: string;
  readonly approval?: Pick<RunApproval, "decision">;
}): boolean {
  return run.status === "READY" && run.approval !== undefined && run.approval.decision === undefined;
}
