import type { ApiKeyStatus } from "../../shared/contract/api-keys.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";

/** The status of a key; only ACTIVE authenticates. docs/contract.md, "Life of a key". */
export function statusOf(key: KeyRecord, nowMs: number): ApiKeyStatus {
  if (key.revokedAt !== undefined) {
    return "REVOKED";
  }
  return key.expiresAt !== undefined && Date.parse(key.expiresAt) <= nowMs ? "EXPIRED" : "ACTIVE";
}
