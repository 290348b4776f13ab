import { hash } from "node:crypto";
import type { KeyedRequest } from "../http/routes/idempotency.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import type { IdempotencyStamp } from "../ledger/records/idempotency-record.ts";

/**
 * The same key is a different one in each workspace (docs/security.md, T24). The hashes reveal nothing of key or body.
 */
export function stampRequest({ key, workspaceId, operationId, params, body }: KeyedRequest): IdempotencyStamp {
  return {
    key: sha256(`${workspaceId}\0${key}`),
    request: sha256(canonicalJson([operationId, params, body])),
  };
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
