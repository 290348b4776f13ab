import type { ApprovalRuleCreateRequest, ApprovalRulePatchRequest } from "../../shared/contract/approvals.ts";
import { ApiError } from "../../shared/errors.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { readLimit } from "../controls/read-limit.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import type { ApprovalRuleRecord } from "../ledger/records/approval-records.ts";
import type { ApprovalStore } from "../ledger/stores/approval-store.ts";
import { askedHeading, commitAsked } from "../ledger/transaction/asked-change.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";

/** Limited, because every run checks all rules. */
const MAX_RULES = 100;
const DEFAULT_EXPIRY_SECONDS = 86_400;

/** Manages from which amount runs of a workspace wait for a person; the gates of a run apply it. */
export interface ApprovalRules {
  /** Newest first. `after`: `next` of the page before. */
  list(
    caller: WorkspaceCaller,
    page: { readonly limit: number; readonly after?: string },
  ): Promise<{ readonly items: readonly ApprovalRuleRecord[]; readonly next?: string }>;
  /**
   * Throws 400 for an invalid limit, 404 for a label that no key has, 409 if the workspace has the maximum number. Durable
   * and in force when it resolves.
   */
  create(
    caller: WorkspaceCaller,
    wanted: ApprovalRuleCreateRequest,
    keep?: KeepAnswer<ApprovalRuleRecord>,
  ): Promise<ApprovalRuleRecord>;
  /** Throws 404 for an id that is unknown or of another workspace. */
  get(caller: WorkspaceCaller, ruleId: string): Promise<ApprovalRuleRecord>;
  /** As `get`; runs that wait are not affected. */
  change(caller: WorkspaceCaller, ruleId: string, change: ApprovalRulePatchRequest): Promise<ApprovalRuleRecord>;
  /** As `change`. */
  delete(caller: WorkspaceCaller, ruleId: string): Promise<void>;
  /** The present label of the rule's key; undefined for a rule for all. */
  labelOf(rule: ApprovalRuleRecord): Promise<string | undefined>;
}

export interface ApprovalRulesParts {
  readonly store: ApprovalStore & Pick<IdentityStore, "listKeys" | "findKey"> & Committer;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createApprovalRules(parts: ApprovalRulesParts): ApprovalRules {
  return { ...ruleReads(parts), ...ruleWrites(parts) };
}

function ruleReads({ store }: ApprovalRulesParts): Pick<ApprovalRules, "list" | "get" | "labelOf"> {
  return {
    async list({ workspaceId }, { limit, after }) {
      const newestFirst = [...(await store.listApprovalRules(workspaceId))].reverse();
      const rest = after === undefined ? newestFirst : newestFirst.filter(({ ruleId }) => ruleId < after);
      const items = rest.slice(0, limit);
      const last = items.at(-1);
      return rest.length > limit && last !== undefined ? { items, next: last.ruleId } : { items };
    },
    get: async ({ workspaceId }, ruleId) => pick(await store.listApprovalRules(workspaceId), ruleId),
    labelOf: async ({ key }) => key && ((await store.findKey(key.keyId))?.label ?? key.label),
  };
}

function ruleWrites({ store, clock, newId }: ApprovalRulesParts): Pick<ApprovalRules, "create" | "change" | "delete"> {
  return {
    async create(caller, { limitAmount, keyLabel, expiresInSeconds }, keep = keepNothing) {
      const at = isoNow(clock);
      const key = keyLabel === undefined ? undefined : await findKey(store, caller, keyLabel);
      const rule: ApprovalRuleRecord = {
        ruleId: newId(),
        workspaceId: caller.workspaceId,
        limitMicroDollars: readLimit(limitAmount),
        ...(key !== undefined && { key }),
        expiresInSeconds: expiresInSeconds ?? DEFAULT_EXPIRY_SECONDS,
        status: "ACTIVE",
        createdAt: at,
        updatedAt: at,
      };
      await commitAsked(store, caller, ({ approvalRules }) => {
        checkRoom(approvalRules);
        return { line: { t: "approval.ruleCreated" as const, ...askedHeading(caller, at), rule, ...keep(rule) } };
      });
      return rule;
    },
    async change(caller, ruleId, { limitAmount, expiresInSeconds, status }) {
      const at = isoNow(clock);
      const limit = limitAmount === undefined ? undefined : readLimit(limitAmount);
      const changed = await commitAsked(store, caller, ({ approvalRules }) => {
        const rule = {
          ...pick(approvalRules, ruleId),
          ...(limit !== undefined && { limitMicroDollars: limit }),
          ...(expiresInSeconds !== undefined && { expiresInSeconds }),
          ...(status !== undefined && { status }),
          updatedAt: at,
        };
        return { rule, line: { t: "approval.ruleChanged" as const, ...askedHeading(caller, at), rule } };
      });
      return changed.rule;
    },
    async delete(caller, ruleId) {
      await commitAsked(store, caller, ({ approvalRules }) => {
        pick(approvalRules, ruleId);
        return { line: { t: "approval.ruleDeleted" as const, ...askedHeading(caller, isoNow(clock)), ruleId } };
      });
    },
  };
}

async function findKey(
  store: Pick<IdentityStore, "listKeys">,
  { workspaceId }: WorkspaceCaller,
  wanted: string,
): Promise<NonNullable<ApprovalRuleRecord["key"]>> {
  const keys = await store.listKeys(workspaceId);
  const found = keys.find(({ label, revokedAt }) => label === wanted && revokedAt === undefined);
  if (found === undefined) {
    throw new ApiError(
      "notFound",
      `keyLabel: no key of this workspace is called "${wanted}"; GET /v1/api-keys lists them`,
    );
  }
  return { keyId: found.keyId, label: found.label, actor: `API_KEY#${found.fingerprint}` };
}

function pick(rules: readonly ApprovalRuleRecord[], ruleId: string): ApprovalRuleRecord {
  const found = rules.find((rule) => rule.ruleId === ruleId);
  if (found !== undefined) return found;
  throw new ApiError("notFound", `Approval rule ${ruleId} not found; GET /v1/controls/approval-rules lists them`);
}

function checkRoom(rules: readonly ApprovalRuleRecord[]): void {
  if (rules.length < MAX_RULES) return;
  throw new ApiError("conflict", `This workspace has ${MAX_RULES} approval rules, which is the maximum`);
}
