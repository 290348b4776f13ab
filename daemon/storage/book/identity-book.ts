import type { UserId, WorkspaceId } from "../../base/ids.ts";
import type { IdentityLine } from "../../ledger/lines/identity-lines.ts";
import type { KeyRecord, UserRecord, WorkspaceRecord } from "../../ledger/records/identity-records.ts";

/** People, workspaces and keys. */
export interface IdentityBook {
  hasOwner: boolean;
  readonly users: Map<string, UserRecord>;
  /** In the order of creation. */
  readonly workspaces: Map<string, WorkspaceRecord>;
  /** User id → ids of the workspaces that the user is in. */
  readonly memberships: Map<string, string[]>;
  readonly slugs: Set<string>;
  readonly keys: Map<string, KeyRecord>;
  /** Hash → key id. */
  readonly keyIdsByHash: Map<string, string>;
  /** Workspace id → key ids in the order of creation. */
  readonly keyIdsByWorkspace: Map<string, string[]>;
}

export function emptyIdentityBook(): IdentityBook {
  return {
    hasOwner: false,
    users: new Map(),
    workspaces: new Map(),
    memberships: new Map(),
    slugs: new Set(),
    keys: new Map(),
    keyIdsByHash: new Map(),
    keyIdsByWorkspace: new Map(),
  };
}

export function applyIdentity(book: IdentityBook, line: IdentityLine): void {
  switch (line.t) {
    case "owner.created":
      book.hasOwner = true;
      addUser(book, line.user);
      addWorkspace(book, line.workspace, line.user.userId);
      addKey(book, line.key);
      break;
    case "workspace.created":
      addWorkspace(book, line.workspace, line.userId);
      break;
    case "user.created":
      addUser(book, line.user);
      if (line.workspaceId !== undefined) addMember(book, line.user.userId, line.workspaceId);
      break;
    case "user.changed": {
      const user = book.users.get(line.userId);
      const { metadata, metadataAt } = line;
      if (user !== undefined) addUser(book, { ...user, metadata, metadataAt, updatedAt: line.at });
      break;
    }
    case "member.added":
      addMember(book, line.userId, line.workspaceId);
      break;
    case "key.created":
      for (const keyId of line.replaces ?? []) revokeKey(book, keyId, line.at, line.key.createdBy);
      addKey(book, line.key);
      break;
    case "key.renamed":
      changeKey(book, line.keyId, { label: line.label });
      break;
    case "key.revoked":
      revokeKey(book, line.keyId, line.at, line.by);
      break;
  }
}

/** Sessions of one key, or of one user without a key, that are kept: the oldest make room. */
const MOST_SESSIONS = 20;

/** Adds a session. Those of the workspace that have ended by `at` are forgotten: each sign-in makes one. */
export function addSession(book: IdentityBook, session: KeyRecord, at: string): void {
  const sessions = listKeys(book, session.workspaceId).filter((key) => key.session !== undefined);
  const ended = sessions.filter(({ expiresAt = "", revokedAt }) => revokedAt !== undefined || expiresAt <= at);
  const going = sessions.filter((key) => !ended.includes(key) && key.createdBy === session.createdBy);
  removeKeys(book, session.workspaceId, [...ended, ...going.slice(0, Math.max(0, going.length + 1 - MOST_SESSIONS))]);
  addKey(book, session);
}

function removeKeys(book: IdentityBook, workspaceId: WorkspaceId, keys: readonly KeyRecord[]): void {
  if (keys.length === 0) return;
  const removed = new Set(keys.map(({ keyId }) => keyId));
  for (const { keyId, hash } of keys) {
    book.keys.delete(keyId);
    book.keyIdsByHash.delete(hash);
  }
  const left = (book.keyIdsByWorkspace.get(workspaceId) ?? []).filter((keyId) => !removed.has(keyId));
  book.keyIdsByWorkspace.set(workspaceId, left);
}

function addUser(book: IdentityBook, user: UserRecord): void {
  book.users.set(user.userId, user);
}

function addWorkspace(book: IdentityBook, workspace: WorkspaceRecord, userId: UserId): void {
  book.workspaces.set(workspace.workspaceId, workspace);
  book.slugs.add(workspace.slug);
  addMember(book, userId, workspace.workspaceId);
}

function addMember(book: IdentityBook, userId: UserId, workspaceId: WorkspaceId): void {
  const known = book.memberships.get(userId);
  if (known === undefined) book.memberships.set(userId, [workspaceId]);
  else if (!known.includes(workspaceId)) known.push(workspaceId);
}

function addKey(book: IdentityBook, key: KeyRecord): void {
  book.keys.set(key.keyId, key);
  book.keyIdsByHash.set(key.hash, key.keyId);
  const known = book.keyIdsByWorkspace.get(key.workspaceId);
  if (known === undefined) book.keyIdsByWorkspace.set(key.workspaceId, [key.keyId]);
  else known.push(key.keyId);
}

function changeKey(book: IdentityBook, keyId: string, change: Partial<KeyRecord>): void {
  const key = book.keys.get(keyId);
  if (key !== undefined) book.keys.set(keyId, { ...key, ...change });
}

/** A key is revoked once; a second revocation leaves the first one's time and author. */
function revokeKey(book: IdentityBook, keyId: string, at: string, by: string): void {
  if (book.keys.get(keyId)?.revokedAt === undefined) changeKey(book, keyId, { revokedAt: at, revokedBy: by });
}

/** A key and the keys whose spend limits it inherits. */
export function spendingKeys(book: IdentityBook, keyId: string | undefined): readonly string[] {
  return keyId === undefined ? [] : [keyId, ...(book.keys.get(keyId)?.limitedBy ?? [])];
}

/**
 * The actors that made a key, directly or through other keys, nearest first; the last one is a user, or a key that nothing
 * is known of. Empty for an unknown key.
 */
export function makersOf({ keys }: IdentityBook, keyId: string | undefined): readonly string[] {
  const makers: string[] = [];
  let key = keyId === undefined ? undefined : keys.get(keyId);
  while (key !== undefined && !makers.includes(key.createdBy)) {
    const { createdBy } = key;
    makers.push(createdBy);
    key = [...keys.values()].find(({ fingerprint }) => createdBy === `${ACTOR}${fingerprint}`);
  }
  return makers;
}

/** What a key is called now, by its id or, as runs of the first version have it, by its actor; undefined for none that is known. */
function labelOfKey({ keys }: IdentityBook, idOrActor: string): string | undefined {
  const byId = keys.get(idOrActor);
  if (byId !== undefined || !idOrActor.startsWith(ACTOR)) return byId?.label;
  const fingerprint = idOrActor.slice(ACTOR.length);
  return [...keys.values()].find((key) => key.fingerprint === fingerprint)?.label;
}

/**
 * The labels of keys as they are now, in both directions: of all keys, and of those that can have made runs in a workspace, which
 * are its own and those of operators.
 */
export function keyLabelsOf(book: IdentityBook): {
  readonly labelOf: (idOrActor: string) => string | undefined;
  readonly keysOfLabel: (workspaceId: WorkspaceId, label: string) => string[];
} {
  return {
    labelOf: (idOrActor) => labelOfKey(book, idOrActor),
    keysOfLabel: (workspaceId, label) =>
      [...book.keys.values()]
        .filter((key) => key.label === label && (key.workspaceId === workspaceId || key.operator === true))
        .flatMap(({ keyId, fingerprint }) => [keyId, `${ACTOR}${fingerprint}`]),
  };
}

const ACTOR = "API_KEY#";

/** In the order of creation. */
export function listKeys(book: IdentityBook, workspaceId: WorkspaceId): KeyRecord[] {
  return (book.keyIdsByWorkspace.get(workspaceId) ?? []).flatMap((keyId) => book.keys.get(keyId) ?? []);
}
