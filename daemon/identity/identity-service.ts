import { createKeyService, type KeyService, type KeyServiceParts } from "./key-service.ts";
import { ensureOwner, type NewOwner, type NewOwnerOptions, type OwnerParts } from "./owner.ts";
import { createWireIds, type WireIds } from "./wire-ids.ts";
import { createWorkspaceService, type WorkspaceService } from "./workspace-service.ts";

/** Users, workspaces and keys: everything of identity except authentication. */
export interface IdentityService {
  readonly keys: KeyService;
  readonly workspaces: WorkspaceService;
  /** Converts ids of users and workspaces for the wire. */
  readonly ids: WireIds;
  /** First start: owner, workspace, key and credit; undefined when the data folder has an owner. */
  ensureOwner(options: NewOwnerOptions): Promise<NewOwner | undefined>;
}

export function createIdentityService({
  issuer,
  ...parts
}: OwnerParts &
  Omit<KeyServiceParts, "ids"> & {
    /** The current identity provider; absent without one. */
    readonly issuer?: string | undefined;
  }): IdentityService {
  const ids = createWireIds(parts.store, issuer);
  return {
    ids,
    keys: createKeyService({ ...parts, ids }),
    workspaces: createWorkspaceService({ ...parts, issuer }),
    ensureOwner: async (options) => await ensureOwner(parts, options),
  };
}
