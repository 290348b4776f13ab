import type { UserId, WorkspaceId } from "../base/ids.ts";
import type { IssuedKey } from "./api-keys.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";

/** The record of a new key: what is stored of the key itself, and what its maker set. */
export function newKeyRecord(
  { hash, prefix, fingerprint }: IssuedKey,
  { keyId, workspaceId, label, ...others }: Omit<KeyRecord, "hash" | "prefix" | "fingerprint">,
): KeyRecord {
  return { keyId, workspaceId, label, hash, prefix, fingerprint, ...others };
}

export interface OwnerKeyFacts {
  readonly keyId: string;
  readonly workspaceId: WorkspaceId;
  readonly label: string;
  /** The owner of the key. */
  readonly userId: UserId;
  readonly at: string;
}

/** The record of an owner's key: all scopes and the operator grant. docs/contract.md, "Operator". */
export function newOwnerKeyRecord(issued: IssuedKey, { userId, at, ...places }: OwnerKeyFacts): KeyRecord {
  return newKeyRecord(issued, {
    ...places,
    owner: userId,
    createdBy: `USER#${userId}`,
    scopes: ["*"],
    operator: true,
    origin: "SYSTEM",
    createdAt: at,
  });
}
