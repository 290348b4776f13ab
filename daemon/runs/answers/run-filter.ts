import { ApiError } from "../../../shared/errors.ts";
import { type Caller, onlyKeyOf } from "../../http/callers/caller.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { RunFilter } from "../../ledger/stores/run-store.ts";

/** The filters of a query, as `runFilters` of the contract reads them. */
export interface RunFilterQuery {
  readonly status?: readonly RunRecord["status"][] | undefined;
  readonly provider?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly tag?: string | undefined;
  readonly keyLabel?: string | undefined;
}

/** Throws invalidInput for a tag that is not `name:value`. */
export function toRunFilter(query: RunFilterQuery): RunFilter {
  return {
    ...(query.status !== undefined && { statuses: query.status }),
    ...(query.provider !== undefined && { provider: query.provider }),
    ...(query.endpoint !== undefined && { endpoint: withLeadingSlash(query.endpoint) }),
    ...(query.since !== undefined && { since: toUtc(query.since) }),
    ...(query.until !== undefined && { until: toUtc(query.until) }),
    ...(query.tag !== undefined && { tag: parseTag(query.tag) }),
    ...(query.keyLabel !== undefined && { keyLabel: query.keyLabel }),
  };
}

/** Narrows the filter to what the caller may see. */
export function ownOnly(caller: Pick<Caller, "ownOnly" | "key">, filter: RunFilter): RunFilter {
  const own = onlyKeyOf(caller);
  return own === undefined ? filter : { ...filter, keyId: own.keyId };
}

function withLeadingSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function toUtc(dateTime: string): string {
  return new Date(dateTime).toISOString();
}

function parseTag(text: string): { key: string; value: string } {
  const colon = text.indexOf(":");
  if (colon <= 0)
    throw new ApiError("invalidInput", `tag must be name:value, for example tag=job:nightly (got "${text}")`);
  return { key: text.slice(0, colon), value: text.slice(colon + 1) };
}
