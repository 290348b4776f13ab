import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import { findLogin } from "../../manifest/login-auth.ts";
import { NoAnswerError } from "../../providers/protocol/provider.ts";
import type { AccountLookup } from "../admission/account-lookup.ts";

type DecidedRun = Pick<RunRecord, "workspaceId" | "approval">;

/**
 * The account that every call of an approved run is made with; undefined where any will do: nobody had to approve it, or the
 * endpoint has no login. Throws NoAnswerError when the yes came while no account was connected. docs/contract.md, "Waiting
 * for approval".
 */
export function approvedAccount(run: DecidedRun, entry: CatalogEntry): string | undefined {
  const accounts = accountsOfYes(run, entry);
  if (accounts === undefined) return undefined;
  const { provider } = entry.provider;
  const account = accounts[provider];
  if (account !== undefined) return account;
  throw new NoAnswerError(
    `The run was approved while no account was connected at ${provider}, so it uses none there; ask for it again`,
    { source: "mkt", maybeExecuted: false, attempts: [] },
  );
}

/** Whether the account that is connected now is the one of the yes. */
export function hasApprovedAccount(
  run: DecidedRun,
  entry: CatalogEntry,
  lookup: Pick<AccountLookup, "accountFor"> | undefined,
): boolean {
  const accounts = accountsOfYes(run, entry);
  if (accounts === undefined || lookup === undefined) return true;
  const account = accounts[entry.provider.provider];
  return account !== undefined && account === lookup.accountFor(run.workspaceId, entry);
}

/** Undefined also for approvals of versions that did not record accounts. */
function accountsOfYes({ approval }: DecidedRun, { http }: CatalogEntry): Readonly<Record<string, string>> | undefined {
  const accounts = approval?.decision?.accounts;
  return accounts === undefined || findLogin(http.auth) === undefined ? undefined : accounts;
}
