import { createHash } from "node:crypto";
import type { WorkspaceId } from "../base/ids.ts";
import { canonicalJson } from "../base/canonical-json.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";

export interface ReuseKeyFacts {
  readonly workspaceId: WorkspaceId;
  readonly entry: CatalogEntry;
  /** Stands for the values of all secrets of the provider; another one when any of them is another. */
  readonly credential: string;
  /** Composite form, with its defaults. */
  readonly input: RunRecord["input"];
  /** The most pages that the run reads of a list; absent for an endpoint without pages. */
  readonly maxPages?: number | undefined;
}

/**
 * SHA-256 (hex) of all that decides an answer and its price: two runs with the same key would make the same call. The
 * order of members, and parts of the input without a member, make no difference. docs/decisions, "Answers of earlier
 * runs".
 */
export function reuseKey({ workspaceId, entry, credential, input, maxPages }: ReuseKeyFacts): string {
  const { provider, path, price, priceWithoutMarkup } = entry;
  const facts = {
    workspaceId,
    provider: provider.provider,
    path,
    manifestHash: provider.manifestHash,
    price,
    priceWithoutMarkup,
    credential,
    maxPages,
    input: { body: input.body, pathParams: given(input.pathParams), queryParams: given(input.queryParams) },
  };
  return createHash("sha256").update(canonicalJson(facts)).digest("hex");
}

/** A body without members may still be sent. */
function given(part: Readonly<Record<string, unknown>> | undefined): typeof part {
  return part === undefined || Object.keys(part).length === 0 ? undefined : part;
}
