import type { WorkspaceId } from "../base/ids.ts";
import { NO_MONEY } from "../../shared/micro-dollars.ts";
import { controlIdsOf } from "../ledger/records/met-controls.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { RunFacts } from "../ledger/records/run-facts.ts";
import type { RunFilter } from "../ledger/stores/run-store.ts";

/** What an index knows of a run; `Where` says where a back end finds the line that ended it. */
export interface RunEntry<Where> extends RunFacts {
  readonly workspaceId: WorkspaceId;
  readonly controlIds?: readonly string[];
  /** Absent while the run is under way. */
  readonly where?: Where;
}

/** `seq` is the number of the line that made the run known. */
export function entryOf<Where>(run: RunRecord, seq: number, where?: Where): RunEntry<Where> {
  const controlIds = controlIdsOf(run);
  return {
    seq,
    runId: run.runId,
    workspaceId: run.workspaceId,
    status: run.status,
    provider: run.provider,
    endpoint: run.endpoint,
    createdAtMs: Date.parse(run.createdAt),
    ...keyOf(run),
    ...(run.keyLabel !== undefined && { keyLabel: run.keyLabel }),
    ...(run.tags !== undefined && { tags: run.tags }),
    ...(controlIds.length > 0 && { controlIds }),
    charged: run.billing?.reported ?? NO_MONEY,
    cost: run.billing?.actual ?? NO_MONEY,
    overrun: run.overrunMicroDollars ?? NO_MONEY,
    ...(run.answeredFrom !== undefined && { saved: run.answeredFrom.savedMicroDollars }),
    ...(where !== undefined && { where }),
  };
}

/** Milliseconds since the epoch: `from` inclusive, `to` exclusive. */
export interface CreatedRange {
  readonly from: number;
  readonly to: number;
}

export function createdRangeOf(filter: RunFilter): CreatedRange {
  return {
    from: filter.since === undefined ? -Infinity : Date.parse(filter.since),
    to: filter.until === undefined ? Infinity : Date.parse(filter.until),
  };
}

/** Runs of the first version name their key by its fingerprint alone, in `caller`. */
function keyOf({ keyId, keyLabel, caller }: KeyedRun): { keyId?: string } {
  if (keyId !== undefined) return { keyId };
  return keyLabel === undefined ? {} : { keyId: caller };
}

type KeyedRun = Pick<RunRecord, "keyId" | "keyLabel" | "caller">;

/** What a key is called now; undefined for one that is not known. Runs belong to keys, which may be renamed. */
export type LabelOf = (keyId: string) => string | undefined;

/** The entry with its key's label of today in the place of the one that its run was made under. */
export function relabelled<Entry extends Pick<RunFacts, "keyId" | "keyLabel">>(entry: Entry, labelOf: LabelOf): Entry {
  const keyLabel = entry.keyId === undefined ? undefined : labelOf(entry.keyId);
  return keyLabel === undefined || keyLabel === entry.keyLabel ? entry : { ...entry, keyLabel };
}

/** As `relabelled`, of a run's record. */
export function relabelledRun<Run extends KeyedRun>(run: Run, labelOf: LabelOf): Run {
  const { keyLabel } = relabelled(
    { ...keyOf(run), ...(run.keyLabel !== undefined && { keyLabel: run.keyLabel }) },
    labelOf,
  );
  return keyLabel === undefined || keyLabel === run.keyLabel ? run : { ...run, keyLabel };
}

export function matcherOf(filter: RunFilter, labelOf: LabelOf): (entry: RunEntry<unknown>) => boolean {
  const { from, to } = createdRangeOf(filter);
  const { statuses, tag, controlId } = filter;
  const matchesShared = sharedMatcherOf(filter, labelOf);
  return (entry) =>
    (statuses === undefined || statuses.includes(entry.status)) &&
    matchesShared(entry) &&
    (controlId === undefined || entry.controlIds?.includes(controlId) === true) &&
    (tag === undefined || hasTag(entry, tag)) &&
    entry.createdAtMs >= from &&
    entry.createdAtMs < to;
}

/** Only what many runs share, endpoint and key; the rest of the filter is not looked at. */
export function sharedMatcherOf(
  { provider, endpoint, keyLabel, keyId }: RunFilter,
  labelOf: LabelOf,
): (shared: Pick<RunFacts, "provider" | "endpoint" | "keyId" | "keyLabel">) => boolean {
  return (shared) =>
    (provider === undefined || shared.provider === provider) &&
    (endpoint === undefined || shared.endpoint === endpoint) &&
    (keyLabel === undefined || relabelled(shared, labelOf).keyLabel === keyLabel) &&
    (keyId === undefined || shared.keyId === keyId);
}

function hasTag(entry: RunEntry<unknown>, tag: { readonly key: string; readonly value: string }): boolean {
  // Told apart by their text alone: a name may have the colon in it that a filter ends it with.
  const wanted = `${tag.key}:${tag.value}`;
  return Object.entries(entry.tags ?? {}).some(([name, value]) => `${name}:${value}` === wanted);
}
