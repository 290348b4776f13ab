import type { UserId, WorkspaceId } from "../../base/ids.ts";
import { ApiError } from "../../../shared/errors.ts";
import { type Clock, isoNow } from "../../base/clock.ts";
import { GuardFailed } from "../../ledger/transaction/commit-errors.ts";
import type { Committer } from "../../ledger/transaction/transaction.ts";
import type { UserRecord, WorkspaceRecord } from "../../ledger/records/identity-records.ts";
import type { IdentityStore } from "../../ledger/stores/identity-store.ts";
import { canonicalJson } from "../../base/canonical-json.ts";
import { checkName, toSlug } from "../names.ts";
import { derivedId } from "./subject-ids.ts";
import type { TokenClaims } from "./token-verifier.ts";

export interface SignedIn {
  readonly userId: UserId;
  /** The workspace of the token's organisation; absent when the token names none. */
  readonly workspaceId?: WorkspaceId;
}

/** Maps a token's claims to a user and workspace here; new ones are created, and are durable when it resolves. */
export type SignIn = (claims: TokenClaims) => Promise<SignedIn>;

export interface SignInParts {
  readonly store: IdentityStore & Committer;
  readonly clock: Clock;
}

/**
 * Creates the user, the workspace of the organisation and the membership when they are first seen; a workspace begins
 * with no credit (docs/contract.md, "Access tokens"). First sign-ins run one after another, so that two concurrent ones
 * create one of each.
 */
export function createSignIn({ store, clock }: SignInParts): SignIn {
  let lastFirstSight: Promise<unknown> = Promise.resolve();

  const isKnown = async ({ userId, workspaceId }: SignedIn) => {
    if (workspaceId === undefined) return (await store.findUser(userId)) !== undefined;
    return await isMember(store, userId, workspaceId);
  };

  return async (claims) => {
    const { issuer, subject, organisation } = claims;
    const signedIn: SignedIn = {
      userId: derivedId("user", issuer, subject),
      ...(organisation !== undefined && { workspaceId: derivedId("workspace", issuer, organisation.id) }),
    };
    await refuseOwnIds(store, claims);
    if (!(await isKnown(signedIn)) || isNews(await store.findUser(signedIn.userId), claims)) {
      const firstSight = lastFirstSight.then(async () => await record({ store, clock }, claims, signedIn));
      lastFirstSight = firstSight.catch(() => undefined);
      await firstSight;
    }
    return signedIn;
  };
}

/** Records what is missing, line by line: after a crash in between, the next request completes it. */
async function record({ store, clock }: SignInParts, claims: TokenClaims, signedIn: SignedIn): Promise<void> {
  const { userId, workspaceId } = signedIn;
  const at = isoNow(clock);
  if ((await store.listWorkspaces()).length === 0) throw noOwnerYet();
  if ((await store.findUser(userId)) === undefined) {
    const user = newUser(userId, claims, at);
    await store.commit({ line: { t: "user.created", v: 1, at, user }, guards: [{ kind: "idFree", id: userId }] });
  }
  const { metadata, issuedAt } = claims;
  if (issuedAt !== undefined && isNews(await store.findUser(userId), claims)) {
    const line = { t: "user.changed", v: 1, at, userId, metadata: { ...metadata }, metadataAt: issuedAt } as const;
    await store.commit({ line });
  }
  if (workspaceId === undefined || claims.organisation === undefined) return;
  if ((await store.findWorkspace(workspaceId)) === undefined) {
    await insertWorkspace(store, newWorkspace(workspaceId, claims.issuer, claims.organisation, at), userId);
  } else if (!(await isMember(store, userId, workspaceId))) {
    await store.commit({ line: { t: "member.added", v: 1, at, userId, workspaceId } });
  }
}

/**
 * On the wire a provider's ids and this service's own are mixed: an id that is both would be ambiguous.
 * docs/contract.md, "Ids on the wire".
 */
async function refuseOwnIds(store: IdentityStore, { subject, organisation }: TokenClaims): Promise<void> {
  const user = await store.findUser(subject);
  const workspace = organisation && (await store.findWorkspace(organisation.id));
  const isOwn =
    (user !== undefined && user.subject === undefined) ||
    (workspace !== undefined && workspace.organisation === undefined);
  if (isOwn) {
    throw new ApiError(
      "forbidden",
      "The access token names a user or an organisation with an id that this service uses for somebody else; the operator has to check the identity provider",
    );
  }
}

/** Whether the token differs from what is stored and is newer: an old token must not overwrite a newer one. */
function isNews(user: UserRecord | undefined, { metadata, issuedAt }: TokenClaims): boolean {
  if (user === undefined || issuedAt === undefined || issuedAt <= (user.metadataAt ?? "")) return false;
  return canonicalJson(metadata) !== canonicalJson(user.metadata ?? {});
}

/** The owner's workspace must be the first, even if others sign in while a new data folder is being opened. */
function noOwnerYet(): ApiError {
  return new ApiError("unavailable", "This service is starting; try again in a moment", { retryAfterSeconds: 1 });
}

async function isMember(store: IdentityStore, userId: UserId, workspaceId: WorkspaceId): Promise<boolean> {
  return (await store.listWorkspacesOf(userId)).some((workspace) => workspace.workspaceId === workspaceId);
}

function newUser(
  userId: UserId,
  { issuer, subject, usernames, email, metadata, issuedAt }: TokenClaims,
  at: string,
): UserRecord {
  const shown = email === undefined ? undefined : findName([email]);
  return {
    userId,
    username: findName(usernames) ?? "user",
    ...(shown !== undefined && { email: shown }),
    subject: { issuer, id: subject },
    ...(Object.keys(metadata).length > 0 && { metadata: { ...metadata } }),
    ...(issuedAt !== undefined && { metadataAt: issuedAt }),
    createdAt: at,
    updatedAt: at,
  };
}

function newWorkspace(
  workspaceId: WorkspaceId,
  issuer: string,
  { id, name }: NonNullable<TokenClaims["organisation"]>,
  at: string,
): WorkspaceRecord {
  const shown = findName(name === undefined ? [id] : [name, id]) ?? "Organisation";
  const organisation = { issuer, id };
  return { workspaceId, name: shown, slug: toSlug(shown), organisation, createdAt: at, updatedAt: at };
}

/** If another workspace has the slug, a part of the id is added. */
async function insertWorkspace(store: Committer, workspace: WorkspaceRecord, userId: UserId): Promise<void> {
  const insert = async (slug: string) =>
    await store.commit({
      line: { t: "workspace.created", v: 1, at: workspace.createdAt, workspace: { ...workspace, slug }, userId },
      guards: [
        { kind: "idFree", id: workspace.workspaceId },
        { kind: "slugFree", slug },
      ],
    });
  try {
    await insert(workspace.slug);
  } catch (error) {
    if (!(error instanceof GuardFailed) || error.guard.kind !== "slugFree") throw error;
    await insert(`${workspace.slug}-${workspace.workspaceId.slice(-5).toLowerCase()}`);
  }
}

/** The first valid name: what a provider sends may break this service's rules. */
function findName(candidates: readonly string[]): string | undefined {
  for (const candidate of candidates) {
    try {
      return checkName("name", candidate);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return undefined;
}
