import type { WorkspaceId } from "../../base/ids.ts";
import type { ProviderId, ResourceRecord } from "../records/resource-record.ts";

/** What resources need to read; only what is durable. Writes go through `commit(transaction)`. */
export interface ResourceStore {
  /** A resource of another workspace is not found. */
  findResource(workspaceId: WorkspaceId, resourceId: string): Promise<ResourceRecord | undefined>;
  /** The live resource, of any workspace, that has this id at its provider; if there are several, the oldest. */
  findHolder(id: ProviderId): Promise<ResourceRecord | undefined>;
  /** Oldest first, of every state. */
  listResources(workspaceId: WorkspaceId): Promise<readonly ResourceRecord[]>;
  /**
   * Resources of all workspaces that are neither RELEASED nor PROVISION_FAILED, so that they need renewal or release.
   */
  listLiveResources(): Promise<readonly ResourceRecord[]>;
}
