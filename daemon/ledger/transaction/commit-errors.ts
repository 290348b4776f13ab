import type { WorkspaceId } from "../../base/ids.ts";
import type { ProviderId } from "../records/resource-record.ts";

/**
 * A condition that must hold when the line is accepted. It is checked against all accepted lines, even those that are
 * not durable yet: check and hold are one step (docs/storage.md, "Commit").
 */
export type Guard =
  /** No unrevoked key of the workspace has this label. */
  | { readonly kind: "labelFree"; readonly workspaceId: WorkspaceId; readonly label: string }
  | { readonly kind: "slugFree"; readonly slug: string }
  /** No user and no workspace has this id. */
  | { readonly kind: "idFree"; readonly id: string }
  /** The resource has not changed since it was read. */
  | { readonly kind: "resourceRevision"; readonly resourceId: string; readonly revision: number }
  /** The id at its provider belongs to this resource, or to none. */
  | { readonly kind: "holderOfId"; readonly id: ProviderId; readonly resourceId: string | undefined }
  /** The key exists and is not revoked. */
  | { readonly kind: "keyActive"; readonly keyId: string }
  /** These keys have the operator grant and are not revoked, and no others. */
  | { readonly kind: "operatorKeys"; readonly keyIds: readonly string[] }
  /** A ticket of the console with this hash was made, and not used yet. */
  | { readonly kind: "consoleTicket"; readonly hash: string }
  /** Something that lasts does or does not hold for the workspace, as far as it was told. */
  | {
      readonly kind: "condition";
      readonly workspaceId: WorkspaceId;
      readonly condition: string;
      readonly holds: boolean;
    }
  /** The schedule is there, and what is named holds of it. */
  | {
      readonly kind: "schedule";
      readonly scheduleId: string;
      readonly is?: "active" | "paused";
      /** This due time is not used yet. */
      readonly unused?: string;
      /** None of its runs is open. */
      readonly idle?: true;
      /** It was changed so often, and not since then. */
      readonly revision?: number;
    }
  /** The workspace has fewer schedules than this. */
  | { readonly kind: "roomForSchedule"; readonly workspaceId: WorkspaceId; readonly most: number }
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

/** Another daemon has used the request's Idempotency-Key since it was looked for. Nothing was written. */
export class IdempotencyKeyUsed extends Error {
  override readonly name = "IdempotencyKeyUsed";
}

/** The disk failed or the lock was lost: nothing more is acknowledged by this process. */
export class StorageFailed extends Error {
  override readonly name = "StorageFailed";
}

/** Other daemons have taken over what this one drove. */
export class LeaseLost extends StorageFailed {}

/**
 * The disk is full. The line was not accepted; try again when there is space. Lines that end runs are still written.
 */
export class DiskFull extends Error {
  override readonly name = "DiskFull";
}

/**
 * The database cannot be reached, or takes no writes now. Nothing was accepted; try again in a moment. Lines that end runs
 * wait until it is back, and are written then.
 */
export class StorageAway extends Error {
  override readonly name = "StorageAway";
  readonly retryAfterSeconds = 5;
}

/** The answer to a commit was lost, and the process ends before it could be asked for: the line is durable or not. */
export class OutcomeUnknown extends StorageAway {}
