/** The key of a caller, as far as handlers may know it. */
export interface CallerKey {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly label: string;
  /** Names the key in records; not the key itself. */
  readonly fingerprint: string;
  /** ISO 8601; absent when it has no end. */
  readonly expiresAt?: string;
}

/** Who stands behind a request. Spec: Authentication, 3: a user and, optionally, a workspace. */
export interface Caller {
  readonly kind: "API_KEY";
  /** Prefixed actor that runs and records name, for example `API_KEY#<fingerprint>`. */
  readonly actor: string;
  readonly userId: string;
  /** Absent when the caller belongs to none; a key always has one. */
  readonly workspaceId?: string;
  readonly scopes: readonly string[];
  /** May use the operator's routes, whatever the scopes. Contract semantics, 17. */
  readonly operator: boolean;
  /** The key that was presented. */
  readonly key?: CallerKey;
}

/** A caller who acts in a workspace: what handlers of `auth: "workspace"` and `auth: "operator"` get. */
export type WorkspaceCaller = Caller & { readonly workspaceId: string };
