import type { ProviderId } from "./resource-record.ts";

/**
 * A condition that must hold at the moment the line is taken, with everything already taken but not yet durable counted
 * in: check and hold are one step (docs/storage.md, "Commit").
 */
export type Guard =
  /** No unrevoked key of the workspace has this label. */
  | { readonly kind: "labelFree"; readonly workspaceId: string; readonly label: string }
  | { readonly kind: "slugFree"; readonly slug: string }
  /** No user and no workspace has this id. */
  | { readonly kind: "idFree"; readonly id: string }
  /** The resource is as it was when it was read. */
  | { readonly kind: "resourceRevision"; readonly resourceId: string; readonly revision: number }
  /** The id at its provider is this resource's, or nobody's. */
  | { readonly kind: "holderOfId"; readonly id: ProviderId; readonly resourceId: string | undefined }
  /** The key exists and is not revoked. */
  | { readonly kind: "keyActive"; readonly keyId: string }
  /** The data folder has no owner yet. */
  | { readonly kind: "noOwner" };

export class GuardFailed extends Error {
  override readonly name = "GuardFailed";
  readonly guard: Guard;

  constructor(guard: Guard) {
    super(`the condition ${guard.kind} does not hold`);
    this.guard = guard;
  }
}

/** The disk failed or the lock was lost: nothing more is acknowledged by this process. */
export class StorageFailed extends Error {
  override readonly name = "StorageFailed";
}

/** The disk is full. Nothing was taken; what ends runs is still written, and this may be tried again when there is room. */
export class DiskFull extends Error {
  override readonly name = "DiskFull";
}
