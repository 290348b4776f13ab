import { type Clock, isoNow } from "../clock.ts";
import { issueKey } from "../identity/api-keys.ts";
import type { KeyRecord } from "../identity/identity-records.ts";
import type { IdentityStore } from "../identity/identity-store.ts";
import { OWNER_KEY_LABEL } from "../identity/owner.ts";
import type { Committer } from "../transaction.ts";

export interface ResetOwnerKey {
  /** The whole new key: kept nowhere, so this is the only time it is seen. */
  readonly key: string;
  readonly label: string;
  readonly workspaceId: string;
  /** How many keys with the operator grant stopped working. */
  readonly revoked: number;
}

/** The data folder has never been started: there is no key to reset. */
export class NoOwnerYet extends Error {
  override readonly name = "NoOwnerYet";

  constructor(folder = "This data folder") {
    super(`${folder} has no owner yet: no daemon was ever started on it. Start one with: mkt daemon start`);
  }
}

export interface ResetOwnerKeyParts {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Keeps the key where its owner finds it, before it is valid; when it rejects, nothing was changed. */
  readonly keepKey?: (key: string) => Promise<void>;
}

/**
 * A new owner key for the first workspace of a stopped daemon's data folder; in the same line every other key with the
 * operator grant is revoked. Contract semantics, 17.
 */
export async function resetOwnerKey(
  store: IdentityStore & Committer,
  { clock, newId, keepKey }: ResetOwnerKeyParts,
): Promise<ResetOwnerKey> {
  const workspaces = await store.listWorkspaces();
  const all = (await Promise.all(workspaces.map(({ workspaceId }) => store.listKeys(workspaceId)))).flat();
  const [first] = workspaces;
  const firstKey = all.find((key) => key.workspaceId === first?.workspaceId);
  if (first === undefined || firstKey === undefined) {
    throw new NoOwnerYet();
  }
  const replaced = all.filter((key) => key.operator === true && key.revokedAt === undefined);
  const label = freeLabel(all.filter((key) => key.workspaceId === first.workspaceId && !replaced.includes(key)));
  const at = isoNow(clock);
  const issued = issueKey();
  const key: KeyRecord = {
    keyId: newId(),
    workspaceId: first.workspaceId,
    label,
    hash: issued.hash,
    prefix: issued.prefix,
    fingerprint: issued.fingerprint,
    owner: firstKey.owner,
    createdBy: `USER#${firstKey.owner}`,
    scopes: ["*"],
    operator: true,
    origin: "SYSTEM",
    createdAt: at,
  };
  await keepKey?.(issued.key);
  await store.commit({
    line: { t: "key.created", v: 1, at, key, replaces: replaced.map(({ keyId }) => keyId) },
  });
  return { key: issued.key, label, workspaceId: first.workspaceId, revoked: replaced.length };
}

function freeLabel(others: readonly KeyRecord[]): string {
  const taken = new Set(others.filter((key) => key.revokedAt === undefined).map((key) => key.label));
  let label = OWNER_KEY_LABEL;
  for (let suffix = 2; taken.has(label); suffix += 1) {
    label = `${OWNER_KEY_LABEL}-${suffix}`;
  }
  return label;
}
