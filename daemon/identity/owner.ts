import type { UserId, WorkspaceId } from "../base/ids.ts";
import type { MicroDollars } from "../../shared/micro-dollars.ts";
import { credit } from "../ledger/money/postings.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import { issueKey } from "./api-keys.ts";
import type { UserRecord, WorkspaceRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { newOwnerKeyRecord } from "./new-key-record.ts";

export interface OwnerParts {
  readonly store: IdentityStore & Committer;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface NewOwner {
  /** The whole key: stored nowhere, so this is the only time it is shown. */
  readonly key: string;
  readonly userId: UserId;
  readonly workspaceId: WorkspaceId;
}

export const OWNER_KEY_LABEL = "owner";

export interface NewOwnerOptions {
  readonly startingCredit: MicroDollars | "unlimited";
  /** Called with the key before it becomes valid, so that a crash never leaves a valid key that nobody has. */
  readonly keepKey?: (key: string) => Promise<void>;
}

/**
 * First start of a data folder: creates user, workspace, owner key with the operator grant, and starting credit, all or
 * nothing. Undefined when the folder has an owner. `unlimited` needs no credit.
 * docs/contract.md, "Operator" and "Credit".
 */
export async function ensureOwner(
  { store, clock, newId }: OwnerParts,
  { startingCredit, keepKey = async () => {} }: NewOwnerOptions,
): Promise<NewOwner | undefined> {
  if ((await store.listWorkspaces()).length > 0) {
    return undefined;
  }
  const at = isoNow(clock);
  const issued = issueKey();
  const user: UserRecord = { userId: newId(), username: "owner", createdAt: at, updatedAt: at };
  const workspace: WorkspaceRecord = {
    workspaceId: newId(),
    name: "Default",
    slug: "default",
    createdAt: at,
    updatedAt: at,
  };
  const key = newOwnerKeyRecord(issued, {
    keyId: newId(),
    workspaceId: workspace.workspaceId,
    label: OWNER_KEY_LABEL,
    userId: user.userId,
    at,
  });
  await keepKey(issued.key);
  const led = startingCredit === "unlimited" ? [] : credit(workspace.workspaceId, startingCredit);
  try {
    await store.commit({
      line: { t: "owner.created", v: 1, at, user, workspace, key, led },
      guards: [{ kind: "noOwner" }],
    });
  } catch (error) {
    if (error instanceof GuardFailed) {
      return undefined;
    }
    throw error;
  }
  return { key: issued.key, userId: user.userId, workspaceId: workspace.workspaceId };
}
