import type { ProviderId, ResourceRecord } from "./resource-record.ts";

/** What resources need to read; only what is durable. Writes go through `commit(transaction)`. */
export interface ResourceStore {
  /** A resource of another workspace is not found. */
  findResource(workspaceId: string, resourceId: string): Promise<ResourceRecord | undefined>;
  /** The live resource that has this id at its provider, of whichever workspace: the one that was made first. */
  findHolder(id: ProviderId): Promise<ResourceRecord | undefined>;
  /** Oldest first, of every state. */
  listResources(workspaceId: string): Promise<readonly ResourceRecord[]>;
  /** Of all workspaces, whatever is neither RELEASED nor PROVISION_FAILED: what has to be renewed or released. */
  listLiveResources(): Promise<readonly ResourceRecord[]>;
}
