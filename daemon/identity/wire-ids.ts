import type { UserId, WorkspaceId } from "../base/ids.ts";
import type { UserRecord, WorkspaceRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";

/**
 * The ids of users and workspaces as the wire has them: those of the identity provider for whom it stands behind, this
 * service's own for all others. Inside, in the journal too, only own ones are used. docs/contract.md, "Ids on the wire".
 *
 * Only what the issuer of now says is shown by its ids: two issuers may call two people alike.
 */
export interface WireIds {
  user(userId: UserId): Promise<string>;
  workspace(workspaceId: WorkspaceId): Promise<string>;
  /** `USER#<id>`; an actor that is not a user stays as it is. */
  actor(actor: string): Promise<string>;
  /** The record with the ids of the wire. */
  ofRun<Run extends ActedOn>(run: Run): Promise<Run>;
  ofResource<Resource extends { readonly provisionedBy: string; readonly releasedBy?: string }>(
    resource: Resource,
  ): Promise<Resource>;
  ofKey<Key extends { readonly owner: string; readonly createdBy: string; readonly revokedBy?: string }>(
    key: Key,
  ): Promise<Key>;
}

/** What of a run names users. */
interface ActedOn {
  readonly caller: string;
  readonly owner: string;
  readonly approval?: { readonly decision?: { readonly by?: string } };
}

/** `issuer`: the current identity provider; absent without one. */
export function createWireIds(
  store: Pick<IdentityStore, "findUser" | "findWorkspace">,
  issuer: string | undefined,
): WireIds {
  const user: WireIds["user"] = async (userId) => {
    const found = await store.findUser(userId);
    return found === undefined ? userId : wireUserId(found, issuer);
  };
  const actor: WireIds["actor"] = async (text) => {
    const [, userId] = /^USER#(.+)$/s.exec(text) ?? [];
    return userId === undefined ? text : `USER#${await user(userId)}`;
  };
  return {
    user,
    actor,
    async workspace(workspaceId) {
      const found = await store.findWorkspace(workspaceId);
      return found === undefined ? workspaceId : wireWorkspaceId(found, issuer);
    },
    async ofRun(run) {
      const ofWire = { ...run, caller: await actor(run.caller), owner: await user(run.owner) };
      const { approval } = run;
      if (approval?.decision?.by === undefined) return ofWire;
      return {
        ...ofWire,
        approval: { ...approval, decision: { ...approval.decision, by: await actor(approval.decision.by) } },
      };
    },
    ofResource: async (resource) => ({
      ...resource,
      provisionedBy: await actor(resource.provisionedBy),
      ...(resource.releasedBy !== undefined && { releasedBy: await actor(resource.releasedBy) }),
    }),
    ofKey: async (key) => ({
      ...key,
      owner: await user(key.owner),
      createdBy: await actor(key.createdBy),
      ...(key.revokedBy !== undefined && { revokedBy: await actor(key.revokedBy) }),
    }),
  };
}

export function wireUserId({ userId, subject }: UserRecord, issuer: string | undefined): string {
  return subject !== undefined && subject.issuer === issuer ? subject.id : userId;
}

export function wireWorkspaceId({ workspaceId, organisation }: WorkspaceRecord, issuer: string | undefined): string {
  return organisation !== undefined && organisation.issuer === issuer ? organisation.id : workspaceId;
}
