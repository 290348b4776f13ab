import type { WorkspaceId } from "../../base/ids.ts";
import type { ProviderId, ResourceRecord } from "../records/resource-record.ts";
import type { DamagedOnDisk } from "./damaged-on-disk.ts";

/** Each member that is given must be the record's. */
export interface ResourceFilter {
  readonly provider?: string | undefined;
  readonly resourceType?: ResourceRecord["resourceType"] | undefined;
  readonly state?: ResourceRecord["state"] | undefined;
  readonly provisionedBy?: string | undefined;
}

export interface ResourcePlace {
  readonly limit: number;
  /** Id of the last resource of the page before; it may be one that is not known. */
  readonly after?: string | undefined;
}

export interface ResourcePage {
  readonly items: readonly ResourceRecord[];
  /** Where to go on; absent at the end. */
  readonly next?: string;
}

/** One that has ended, and whose record cannot be read. */
export interface DamagedResource {
  readonly resourceId: string;
  readonly damaged: DamagedOnDisk;
}

/**
 * What resources need to read; only what is durable. Writes go through `commit(transaction)`. Live resources are in memory,
 * those that are RELEASED or PROVISION_FAILED where the lines are.
 */
export interface ResourceStore {
  /** A resource of another workspace is not found. */
  findResource(workspaceId: WorkspaceId, resourceId: string): Promise<ResourceRecord | undefined>;
  /** The live resource, of any workspace, that has this id at its provider; if there are several, the oldest. */
  findHolder(id: ProviderId): Promise<ResourceRecord | undefined>;
  /**
   * Of every state, in the order of their ids, which begin with the time: the newest first. Without those whose record is damaged
   * on the disk: a page with a `next` may have fewer than `limit`.
   */
  listResources(workspaceId: WorkspaceId, filter: ResourceFilter, place: ResourcePlace): Promise<ResourcePage>;
  /** All that are neither RELEASED nor PROVISION_FAILED, oldest first. */
  listLiveResourcesOf(workspaceId: WorkspaceId): Promise<readonly ResourceRecord[]>;
  /** The same of all workspaces: what needs renewal or release. */
  listLiveResources(): Promise<readonly ResourceRecord[]>;
  /**
   * All that may have paid for another period than their first one at `since` (ISO 8601) or later, in any order: those that
   * live, and those that have ended since then.
   */
  scanRentedResources(
    workspaceId: WorkspaceId,
    since: string | undefined,
  ): AsyncIterable<ResourceRecord | DamagedResource>;
}
