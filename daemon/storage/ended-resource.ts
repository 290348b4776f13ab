import type { WorkspaceId } from "../base/ids.ts";
import { isLive, type ResourceRecord } from "../ledger/records/resource-record.ts";
import type { ResourceFilter } from "../ledger/stores/resource-store.ts";
import type { Line } from "../ledger/transaction/transaction.ts";

/** What an index knows of a resource that has ended, so that lists read only the lines of what they show. */
export interface EndedFacts extends Pick<
  ResourceRecord,
  "resourceId" | "provider" | "resourceType" | "state" | "provisionedBy"
> {
  readonly workspaceId: WorkspaceId;
  /** Number of its last paid period; 0 without rent. */
  readonly cycle: number;
  /** Of its last change or event, whichever is later, as a clock may have been set back between them; ISO 8601. */
  readonly endedAt: string;
}

/** `where` is the line that ended it, which has its record. */
export interface EndedResource<Where> extends EndedFacts {
  readonly where: Where;
}

/** Which ended resources are looked for. */
export interface EndedQuestion extends ResourceFilter {
  /** Only those that ended then or later and paid for more than their first period; ISO 8601. */
  readonly rentedSince?: string | undefined;
}

/** The resources that a line made or changed, as they are then. */
export function resourcesOf(line: Line): readonly ResourceRecord[] {
  if (line.t === "resource.changed") return [line.resource];
  return line.t === "run.done" ? (line.res ?? []) : [];
}

/** Those that it ended: nothing changes them any more. */
export function endedResources(line: Line): readonly ResourceRecord[] {
  return resourcesOf(line).filter((resource) => !isLive(resource));
}

export function endedFactsOf(resource: ResourceRecord): EndedFacts {
  const { resourceId, workspaceId, provider, resourceType, state, provisionedBy, renewal, updatedAt, events } =
    resource;
  const cycle = renewal?.cycle ?? 0;
  const endedAt = events.reduce((latest, { at }) => (at > latest ? at : latest), updatedAt);
  return { resourceId, workspaceId, provider, resourceType, state, provisionedBy, cycle, endedAt };
}

export function fitsFilter(
  resource: Pick<EndedFacts, keyof ResourceFilter>,
  { provider, resourceType, state, provisionedBy }: ResourceFilter,
): boolean {
  return (
    (provider === undefined || resource.provider === provider) &&
    (resourceType === undefined || resource.resourceType === resourceType) &&
    (state === undefined || resource.state === state) &&
    (provisionedBy === undefined || resource.provisionedBy === provisionedBy)
  );
}

export function fitsQuestion(facts: EndedFacts, { rentedSince, ...filter }: EndedQuestion): boolean {
  const isRented = rentedSince === undefined || (facts.cycle > 1 && facts.endedAt >= rentedSince);
  return isRented && fitsFilter(facts, filter);
}
