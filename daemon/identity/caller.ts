import type { KeyRecord } from "./identity-records.ts";

/** Who stands behind a request. Spec: Authentication, 3: a user and, optionally, a workspace. */
export interface Caller {
  readonly kind: "API_KEY";
  /** Prefixed actor that runs and records name, for example `API_KEY#<fingerprint>`. */
  readonly actor: string;
  readonly userId: string;
  /** Absent when the caller belongs to none; a key always has one. */
  readonly workspaceId?: string;
  readonly scopes: readonly string[];
  /** May use the operator's routes. Contract semantics, 17. */
  readonly operator: boolean;
  /** The key that was presented. */
  readonly key?: KeyRecord;
}

/** A caller who acts in a workspace: what handlers of `auth: "workspace"` and `auth: "operator"` get. */
export type WorkspaceCaller = Caller & { readonly workspaceId: string };
