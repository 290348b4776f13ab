import { hash } from "node:crypto";
import { canonicalJson } from "../base/canonical-json.ts";
import type { ApprovalRuleRecord, RunApproval } from "../ledger/records/approval-records.ts";
import type { MoneyReads } from "../ledger/transaction/money-reads.ts";
import type { MicroDollars } from "../../shared/micro-dollars.ts";

/** What a run is, as far as approval rules ask. */
export interface AskingRun {
  readonly caller: string;
  readonly keyId?: string;
  /** The most that it may cost. */
  readonly heldMicroDollars: MicroDollars;
}

/**
 * The rule that makes a run wait, the strictest first; undefined when nobody has to approve it. A rule for a key holds for
 * the keys that it made too, so that nobody can avoid it by making keys. docs/contract.md, "Approval rules".
 */
export function ruleFor(
  money: Pick<MoneyReads, "approvalRules" | "makers">,
  run: AskingRun,
): ApprovalRuleRecord | undefined {
  const { approvalRules } = money;
  if (approvalRules.length === 0) return undefined;
  return approvalRules
    .filter(({ status, limitMicroDollars }) => status === "ACTIVE" && run.heldMicroDollars > limitMicroDollars)
    .filter(
      ({ key, formerKeys = [] }) => key === undefined || [key, ...formerKeys].some((one) => isOfKey(one, money, run)),
    )
    .reduce<ApprovalRuleRecord | undefined>(
      (strictest, rule) => (isStricter(rule, strictest) ? rule : strictest),
      undefined,
    );
}

/** What is asked of a person about a run, from the moment `at` on (ISO 8601). */
export function askApproval(
  rule: ApprovalRuleRecord,
  facts: { readonly at: string; readonly estimateMicroDollars: MicroDollars; readonly input: unknown },
): RunApproval {
  return {
    ruleId: rule.ruleId,
    aboveMicroDollars: rule.limitMicroDollars,
    estimateMicroDollars: facts.estimateMicroDollars,
    inputDigest: digestOfInput(facts.input),
    expiresAt: new Date(Date.parse(facts.at) + rule.expiresInSeconds * 1_000).toISOString(),
  };
}

/** SHA-256 (hex) of an input in its composite form, whatever the order of its members. */
export function digestOfInput(input: unknown): string {
  return hash("sha256", canonicalJson(input), "hex");
}

function isOfKey(
  key: Pick<NonNullable<ApprovalRuleRecord["key"]>, "keyId" | "actor">,
  money: Pick<MoneyReads, "makers">,
  run: AskingRun,
): boolean {
  return run.keyId === key.keyId || money.makers().includes(key.actor);
}

function isStricter(rule: ApprovalRuleRecord, than: ApprovalRuleRecord | undefined): boolean {
  if (than === undefined) return true;
  if (rule.limitMicroDollars !== than.limitMicroDollars) return rule.limitMicroDollars < than.limitMicroDollars;
  return rule.expiresInSeconds < than.expiresInSeconds;
}
