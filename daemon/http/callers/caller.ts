import type { UserId, WorkspaceId } from "../../base/ids.ts";
import type { ControlPeriod } from "../../../shared/contract/controls.ts";
import type { MicroDollars } from "../../../shared/micro-dollars.ts";
import type { KeyRole } from "../../../shared/contract/roles.ts";

/** The part of a caller's key that handlers may know. */
export interface CallerKey {
  readonly keyId: string;
  readonly workspaceId: WorkspaceId;
  readonly label: string;
  /** Names the key in records; not the key itself. */
  readonly fingerprint: string;
  /** ISO 8601; absent if it never expires. */
  readonly expiresAt?: string;
  /** Slugs of the providers that it may run; absent: all. */
  readonly providers?: readonly string[];
  /** The endpoints that it may run, as `provider/path`; absent: all endpoints of its providers. */
  readonly endpoints?: readonly string[];
  /** What its runs may spend and hold in each window of the period. */
  readonly spendLimit?: { readonly microDollars: MicroDollars; readonly period: ControlPeriod };
  /** Ids of other keys whose spend limits also apply to it. */
  readonly limitedBy?: readonly string[];
  /** Absent for a key that was made by its scopes alone. */
  readonly role?: KeyRole;
}

/** A session of the console, through which a caller acts. */
export interface CallerSession {
  /** The session's own, which only names it. */
  readonly keyId: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** A workspace that the request names but may not use. docs/contract.md, "Workspaces". */
export interface RefusedWorkspace {
  /** As the request names it. */
  readonly name: string;
  /** Only for operators, who may act in any workspace: none has that name. `advice` names similar ones. */
  readonly unknown?: { readonly advice: string };
}

/** Who makes a request: a user and, optionally, a workspace. docs/contract.md, "Workspaces". */
export interface Caller {
  /** A JWT is an access token of the identity provider. */
  readonly kind: "API_KEY" | "JWT";
  /** Prefixed actor that runs and records name: `API_KEY#<fingerprint>` or `USER#<id>`. */
  readonly actor: string;
  readonly userId: UserId;
  /** The workspace in which it acts. Absent if the caller belongs to none or chose none; a key always has one. */
  readonly workspaceId?: WorkspaceId;
  /** The workspace that the request names, where the caller does not act in it. */
  readonly refusedWorkspace?: RefusedWorkspace;
  readonly scopes: readonly string[];
  /** Sees and changes only what its own key made; the rest of the workspace does not exist for it. Always with a key. */
  readonly ownOnly?: true;
  /** May use the operator's routes, whatever the scopes. docs/contract.md, "Operator". */
  readonly operator: boolean;
  /** The key that was presented, or that the session acts as; absent for a JWT. */
  readonly key?: CallerKey;
  /** Present when the credential is a session of the console. */
  readonly session?: CallerSession;
  /** When the presented access token ends; ISO 8601. */
  readonly tokenEndsAt?: string;
}

/** A caller who acts in a workspace: what handlers of `auth: "workspace"` and `auth: "operator"` get. */
export type WorkspaceCaller = Caller & { readonly workspaceId: WorkspaceId };

/** The members of a caller that decide what it may see. */
export type Reader = Pick<WorkspaceCaller, "workspaceId" | "actor" | "ownOnly" | "key">;

/** The key to whose things the caller is restricted; undefined if it may reach those of the whole workspace. */
export function onlyKeyOf({ ownOnly, key }: Pick<Caller, "ownOnly" | "key">): CallerKey | undefined {
  if (ownOnly !== true) return undefined;
  if (key === undefined) throw new Error("a caller who is held to its own things has no key");
  return key;
}

/** The actor whose resources are all that a caller may reach; undefined if it may reach those of the whole workspace. */
export function onlyMakerOf(caller: Pick<Caller, "ownOnly" | "key" | "actor">): string | undefined {
  return onlyKeyOf(caller) === undefined ? undefined : caller.actor;
}

/** Whether a caller may reach a resource of its workspace. With `ownOnly`, only the caller that made it may. */
export function mayReach(
  caller: Pick<Caller, "ownOnly" | "key" | "actor">,
  { provisionedBy }: { readonly provisionedBy: string },
): boolean {
  const only = onlyMakerOf(caller);
  return only === undefined || provisionedBy === only;
}

/** Whether a caller's key may run an endpoint; a caller without a key may run all. */
export function mayRunEndpoint({ key }: Pick<Caller, "key">, provider: string, path: string): boolean {
  const { providers, endpoints } = key ?? {};
  return (providers?.includes(provider) ?? true) && (endpoints?.includes(`${provider}${path}`) ?? true);
}
