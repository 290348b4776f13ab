import { grants } from "../../shared/contract/scope-grants.ts";
import type { WorkspaceId } from "../base/ids.ts";
import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import type { RunReuse } from "../ledger/records/reuse-record.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import { reuseKey } from "./reuse-key.ts";

/** A text that stands for the secrets, and the account of the workspace, that a provider is called with now. */
export type CredentialOf = (provider: CatalogProvider, workspaceId: WorkspaceId) => Promise<string>;

/** What of a run decides the key of its answer, beside the version of its endpoint. */
export type KeyedRun = Pick<RunRecord, "workspaceId" | "input" | "price" | "priceWithoutMarkup" | "maxPages">;

/** The key of the answer that a run would get if its endpoint, in this version, were called with what is set now. */
export async function keyOfCall(run: KeyedRun, entry: CatalogEntry, credentialOf: CredentialOf): Promise<string> {
  const { workspaceId, input, maxPages, price, priceWithoutMarkup } = run;
  const credential = await credentialOf(entry.provider, workspaceId);
  return reuseKey({ workspaceId, entry: { ...entry, price, priceWithoutMarkup }, credential, input, maxPages });
}

export interface ReusedRequest {
  readonly entry: CatalogEntry;
  readonly input: RunRecord["input"];
  readonly maxPages?: number | undefined;
  /** As the request has it, in seconds. */
  readonly maxAge: number | undefined;
}

/** The scope without which a key reads only its own runs. */
const READS_RUNS = "runs:read";

/**
 * How a run takes part in the reuse of answers; undefined if its endpoint's author does not allow that. A run without
 * `maxAge` gives an answer to later ones and takes none. Whoever may not read the runs of others does not get their
 * answers: from age and run id it would learn who asked what.
 */
export async function planReuse(
  caller: WorkspaceCaller,
  { entry, input, maxPages, maxAge = 0 }: ReusedRequest,
  credentialOf: CredentialOf | undefined,
): Promise<RunReuse | undefined> {
  if (entry.reuse === undefined || credentialOf === undefined) return undefined;
  const { workspaceId, key } = caller;
  const isOwnOnly = caller.ownOnly === true || !grants(caller.scopes, READS_RUNS);
  const mayTake = maxAge > 0 && (!isOwnOnly || key !== undefined);
  return {
    key: await keyOfCall(
      { ...entry, workspaceId, input, ...(maxPages !== undefined && { maxPages }) },
      entry,
      credentialOf,
    ),
    ...(mayTake && { maxAgeSeconds: Math.min(maxAge, entry.reuse.maxAgeSeconds) }),
    ...(mayTake && isOwnOnly && { ownKeyOnly: true as const }),
  };
}
