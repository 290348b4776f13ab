import type { ControlPeriod } from "../../shared/contract/controls.ts";
import type { MicroDollars } from "../../shared/micro-dollars.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";

/** The key of a caller, as far as handlers may know it. */
export interface CallerKey {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly label: string;
  /** Names the key in records; not the key itself. */
  readonly fingerprint: string;
  /** ISO 8601; absent when it has no end. */
  readonly expiresAt?: string;
  /** Slugs of the only providers that it may run; absent: all. */
  readonly providers?: readonly string[];
  /** The only endpoints that it may run, as `provider/path`; absent: all of its providers. */
  readonly endpoints?: readonly string[];
  /** What its runs may spend and hold in each window of the period. */
  readonly spendLimit?: { readonly microDollars: MicroDollars; readonly period: ControlPeriod };
  /** Ids of the keys whose spend limits hold for it too. */
  readonly limitedBy?: readonly string[];
  /** Absent for a key that was made by its scopes alone. */
  readonly role?: KeyRole;
}

/** A workspace that was named and is not used. docs/contract.md, "Workspaces". */
export interface RefusedWorkspace {
  /** As it was named. */
  readonly name: string;
  /** Said to operators alone, who may act in any: there is none of that name. What is near. */
  readonly unknown?: { readonly advice: string };
}

/** Who stands behind a request. docs/contract.md, "Workspaces": a user and, optionally, a workspace. */
export interface Caller {
  /** A JWT is an access token of the identity provider. */
  readonly kind: "API_KEY" | "JWT";
  /** Prefixed actor that runs and records name: `API_KEY#<fingerprint>` or `USER#<id>`. */
  readonly actor: string;
  readonly userId: string;
  /** Where it acts. Absent when the caller belongs to none or has chosen none; a key always has one. */
  readonly workspaceId?: string;
  /** The workspace that the request names, where the caller does not act in it. */
  readonly refusedWorkspace?: RefusedWorkspace;
  readonly scopes: readonly string[];
  /** Sees and changes only what its own key made; the rest of the workspace does not exist for it. Always with a key. */
  readonly ownOnly?: true;
  /** May use the operator's routes, whatever the scopes. docs/contract.md, "Operator". */
  readonly operator: boolean;
  /** The key that was presented; absent for a JWT. */
  readonly key?: CallerKey;
}

/** A caller who acts in a workspace: what handlers of `auth: "workspace"` and `auth: "operator"` get. */
export type WorkspaceCaller = Caller & { readonly workspaceId: string };

/** As far as it decides what is shown. */
export type Reader = Pick<WorkspaceCaller, "workspaceId" | "actor" | "ownOnly" | "key">;

/** The key whose things alone a caller gets at; undefined: those of the whole workspace. */
export function onlyKeyOf({ ownOnly, key }: Pick<Caller, "ownOnly" | "key">): CallerKey | undefined {
  if (ownOnly !== true) return undefined;
  if (key === undefined) throw new Error("a caller who is held to its own things has no key");
  return key;
}

/** Whether a caller gets at a resource of its workspace: of those who see their own things alone, whoever made it. */
export function mayReach(
  caller: Pick<Caller, "ownOnly" | "key" | "actor">,
  { provisionedBy }: { readonly provisionedBy: string },
): boolean {
  return onlyKeyOf(caller) === undefined || provisionedBy === caller.actor;
}
