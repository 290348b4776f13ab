import type { UserId, WorkspaceId } from "../../base/ids.ts";
import type { KeyRecord, UserRecord, WorkspaceRecord } from "../records/identity-records.ts";

/** What identity needs to read; only what is durable. Writes go through `commit(transaction)`. */
export interface IdentityStore {
  findKeyByHash(hash: string): Promise<KeyRecord | undefined>;
  findKey(keyId: string): Promise<KeyRecord | undefined>;
  /** The actors that made a key, directly or through other keys, nearest first. */
  listMakers(keyId: string): Promise<readonly string[]>;
  /** All keys of a workspace in the order of their creation, revoked ones included. */
  listKeys(workspaceId: WorkspaceId): Promise<readonly KeyRecord[]>;
  findUser(userId: UserId): Promise<UserRecord | undefined>;
  findWorkspace(workspaceId: WorkspaceId): Promise<WorkspaceRecord | undefined>;
  /** In the order of creation. */
  listWorkspaces(): Promise<readonly WorkspaceRecord[]>;
  listWorkspacesOf(userId: UserId): Promise<readonly WorkspaceRecord[]>;
  /** The users that are in a workspace, in the order of their creation. */
  listMembersOf(workspaceId: WorkspaceId): Promise<readonly UserRecord[]>;
}
