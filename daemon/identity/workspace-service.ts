import type { WorkspaceId } from "../base/ids.ts";
import { ApiError } from "../../shared/errors.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { Caller, WorkspaceCaller } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import type { UserRecord, WorkspaceRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { nearWorkspaces, pickWorkspace } from "./named-workspace.ts";
import { checkName, checkSlug, toSlug } from "./names.ts";

export interface NewUser {
  readonly user: UserRecord;
  readonly workspaceId: WorkspaceId;
}

export interface WorkspaceService {
  /** The user behind a caller, and the workspace that the caller acts in. */
  whoIs(caller: Caller): Promise<{ user: UserRecord; workspace?: WorkspaceRecord }>;
  /** For a key, only its own workspace. docs/contract.md, "Workspaces". */
  listOf(caller: Caller): Promise<readonly WorkspaceRecord[]>;
  /** The people of the caller's workspace. */
  membersOf(caller: WorkspaceCaller): Promise<readonly UserRecord[]>;
  listAll(): Promise<readonly WorkspaceRecord[]>;
  /** By id, slug or name; 404 when there is none. */
  get(idOrSlug: string): Promise<WorkspaceRecord>;
  /**
   * The caller becomes its first member. 409 when the slug is taken; without one, a free one is derived from the name.
   */
  create(
    caller: Caller,
    request: { name: string; slug?: string | undefined },
    keep?: KeepAnswer<WorkspaceRecord>,
  ): Promise<WorkspaceRecord>;
  /** Creates a user who is a member of the workspace that `workspaceId` names by id or slug. */
  createUser(
    request: { username: string; email?: string | undefined; workspaceId: WorkspaceId },
    keep?: KeepAnswer<NewUser>,
  ): Promise<NewUser>;
}

export interface WorkspaceServiceParts {
  readonly store: IdentityStore & Committer;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The identity provider that the ids of workspaces come from; absent without one. */
  readonly issuer?: string | undefined;
}

const MAX_SLUG_TRIES = 100;

export function createWorkspaceService({ store, clock, newId, issuer }: WorkspaceServiceParts): WorkspaceService {
  const get: WorkspaceService["get"] = async (idOrSlug) => {
    const all = await store.listWorkspaces();
    const found = pickWorkspace(all, idOrSlug, issuer);
    if (found === undefined) {
      throw new ApiError("notFound", `Workspace "${idOrSlug}" not found${nearWorkspaces(all, idOrSlug)}`, {
        extra: { next: "mkt workspaces --all" },
      });
    }
    return found;
  };

  const insert = async (caller: Caller, name: string, slug: string, keep: KeepAnswer<WorkspaceRecord>) => {
    const at = isoNow(clock);
    const workspace: WorkspaceRecord = { workspaceId: newId(), name, slug, createdAt: at, updatedAt: at };
    const line = { t: "workspace.created", v: 1, at, workspace, userId: caller.userId, ...keep(workspace) } as const;
    await store.commit({ line, guards: [{ kind: "slugFree", slug }] });
    return workspace;
  };

  return {
    async whoIs(caller) {
      const user = await store.findUser(caller.userId);
      if (user === undefined) {
        throw new Error(`the user ${caller.userId} of a caller is not in the store`);
      }
      const workspace = caller.workspaceId === undefined ? undefined : await store.findWorkspace(caller.workspaceId);
      return workspace === undefined ? { user } : { user, workspace };
    },

    async listOf(caller) {
      if (caller.key === undefined) {
        return await store.listWorkspacesOf(caller.userId);
      }
      const own = await store.findWorkspace(caller.key.workspaceId);
      return own === undefined ? [] : [own];
    },

    membersOf: async ({ workspaceId }) => await store.listMembersOf(workspaceId),
    listAll: async () => await store.listWorkspaces(),
    get,

    async create(caller, { name, slug }, keep = keepNothing) {
      const checked = checkName("name", name);
      if (slug === undefined) {
        return await withFreeSlug(toSlug(checked), async (free) => await insert(caller, checked, free, keep));
      }
      const wanted = checkSlug(slug);
      return await insert(caller, checked, wanted, keep).catch((error: unknown) => {
        throw error instanceof GuardFailed ? slugTaken(wanted, error) : error;
      });
    },

    async createUser({ username, email, workspaceId }, keep = keepNothing) {
      const at = isoNow(clock);
      const user: UserRecord = {
        userId: newId(),
        username: checkName("username", username),
        ...(email !== undefined && { email: checkName("email", email) }),
        createdAt: at,
        updatedAt: at,
      };
      const workspace = await get(workspaceId);
      const made: NewUser = { user, workspaceId: workspace.workspaceId };
      await store.commit({ line: { t: "user.created", v: 1, at, ...made, ...keep(made) } });
      return made;
    },
  };
}

/** Tries `base`, `base-2` and so on until one is free. Throws conflict after `MAX_SLUG_TRIES`. */
async function withFreeSlug<Made>(base: string, insert: (slug: string) => Promise<Made>): Promise<Made> {
  for (let suffix = 1; ; suffix += 1) {
    try {
      return await insert(suffix === 1 ? base : `${base}-${suffix}`);
    } catch (error) {
      if (!(error instanceof GuardFailed)) throw error;
      if (suffix === MAX_SLUG_TRIES) throw slugTaken(base, error);
    }
  }
}

function slugTaken(slug: string, cause: GuardFailed): ApiError {
  return new ApiError("conflict", `A workspace with the slug "${slug}" exists already; choose another slug`, { cause });
}
