import { createKeyService, type KeyService, type KeyServiceParts } from "./key-service.ts";
import { ensureOwner, type NewOwner, type NewOwnerOptions, type OwnerParts } from "./owner.ts";
import { createWorkspaceService, type WorkspaceService } from "./workspace-service.ts";

/** Users, workspaces and keys: everything that identity does beside authenticating. */
export interface IdentityService {
  readonly keys: KeyService;
  readonly workspaces: WorkspaceService;
  /** First start: owner, workspace, key and credit; undefined when the data folder has an owner. */
  ensureOwner(options: NewOwnerOptions): Promise<NewOwner | undefined>;
}

export function createIdentityService(parts: OwnerParts & KeyServiceParts): IdentityService {
  return {
    keys: createKeyService(parts),
    workspaces: createWorkspaceService(parts),
    ensureOwner: async (options) => await ensureOwner(parts, options),
  };
}
