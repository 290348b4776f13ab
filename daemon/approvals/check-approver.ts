import { roleScopes } from "../../shared/contract/role-scopes.ts";
import { ApiError } from "../../shared/errors.ts";
import { formatDollars } from "../../shared/micro-dollars.ts";
import { mayRunEndpoint, type WorkspaceCaller } from "../http/callers/caller.ts";
import { findExcess } from "../identity/scopes.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";

/** Who wants to approve a run, and who asked for it. */
export interface ApproverFacts {
  readonly approver: WorkspaceCaller;
  /** Actors that made the approver's key, directly or through others. */
  readonly approverMakers: readonly string[];
  /** The key that asked; undefined for a person with an access token. */
  readonly asker: Pick<KeyRecord, "scopes" | "label"> | undefined;
  readonly run: Pick<RunRecord, "runId" | "caller" | "provider" | "endpoint" | "heldMicroDollars"> &
    Partial<Pick<RunRecord, "route">>;
}

/**
 * Throws 403 unless the approver is somebody else than the one who asked, and may do no less: not the same key or user, no
 * key that they made, no key of fewer rights. The same person may approve with another key that they did not make with the
 * first: the rule is between keys, since a program has one and a person may hold several. docs/contract.md, "Who approves".
 */
export function checkApprover({ approver, approverMakers, asker, run }: ApproverFacts): void {
  if (approver.actor === run.caller) throw ownRun(run, approver);
  if (approverMakers.includes(run.caller)) {
    throw refused(run, "this key was made by the one that asked for it");
  }
  const { key } = approver;
  // All scopes are what a manager has: the operator's grant is about the service and not about a workspace.
  const askers = asker === undefined || asker.scopes.includes("*") ? roleScopes.manager : asker.scopes;
  const lacking = findExcess(approver.scopes, askers);
  if (lacking !== undefined) throw refused(run, `the one that asked for it may ${lacking}, and this key may not`);
  for (const { provider, endpoint } of [run, ...(run.route?.next ?? [])]) {
    if (mayRunEndpoint(approver, provider, endpoint)) continue;
    throw refused(run, `this key may not run ${provider}${endpoint} itself`);
  }
  const limit = key?.spendLimit;
  if (limit !== undefined && limit.microDollars < run.heldMicroDollars) {
    const most = `${formatDollars(limit.microDollars)} a ${limit.period.toLowerCase()}`;
    throw refused(
      run,
      `this key may spend ${most} itself, and the run may cost ${formatDollars(run.heldMicroDollars)}`,
    );
  }
}

/** Somebody who is alone is told how to be two. */
function ownRun(run: ApproverFacts["run"], { key }: WorkspaceCaller): ApiError {
  const who = key === undefined ? "you asked for it yourself" : `this key, "${key.label}", asked for it`;
  const alone =
    key === undefined
      ? "Somebody else of the workspace has to"
      : "Another key has to. If there is only you: have programs run with a member's key (mkt keys create --label <name> --role member) and approve with this one";
  return refused(run, who, `${alone}; to take the run back: mkt stop ${run.runId}`);
}

function refused({ runId }: ApproverFacts["run"], why: string, next = "Approve it with another key"): ApiError {
  return new ApiError("forbidden", `Run ${runId} cannot be approved with this key: ${why}. ${next}`);
}
