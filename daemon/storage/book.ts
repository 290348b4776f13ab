import { assertBalanced } from "../billing/postings.ts";
import type { KeyRecord, UserRecord, WorkspaceRecord } from "../identity/identity-records.ts";
import type { IdentityLine } from "../identity/identity-lines.ts";
import type { Guard } from "../commit-errors.ts";
import type { Line } from "../transaction.ts";
import { LineRefused } from "./storage-errors.ts";

/**
 * What the lines say about people, keys and money: small, so it is in memory as a whole. A store keeps two: one with all
 * lines taken, for guards, and one with the durable lines, for readers.
 */
export interface Book {
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
  /** Account → micro-dollars; absent is 0. */
  readonly accounts: Map<string, number>;
}

export function emptyBook(): Book {
  return {
    hasOwner: false,
    users: new Map(),
    workspaces: new Map(),
    memberships: new Map(),
    slugs: new Set(),
    keys: new Map(),
    keyIdsByHash: new Map(),
    keyIdsByWorkspace: new Map(),
    accounts: new Map(),
  };
}

/** The one place that knows what a line does to people, keys and money. All stores and recovery go through it. */
export function applyToBook(book: Book, line: Line): void {
  if ("led" in line) {
    for (const [account, amount] of line.led) book.accounts.set(account, readAccount(book, account) + amount);
  }
  switch (line.t) {
    case "owner.created":
    case "workspace.created":
    case "user.created":
    case "key.created":
    case "key.renamed":
    case "key.revoked":
      applyIdentity(book, line);
      break;
    default:
      // Runs are kept in the run index, wallet lines are their postings.
      break;
  }
}

function applyIdentity(book: Book, line: IdentityLine): void {
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
      addMember(book, line.user.userId, line.workspaceId);
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

function addUser(book: Book, user: UserRecord): void {
  book.users.set(user.userId, user);
}

function addWorkspace(book: Book, workspace: WorkspaceRecord, userId: string): void {
  book.workspaces.set(workspace.workspaceId, workspace);
  book.slugs.add(workspace.slug);
  addMember(book, userId, workspace.workspaceId);
}

function addMember(book: Book, userId: string, workspaceId: string): void {
  const known = book.memberships.get(userId);
  if (known === undefined) book.memberships.set(userId, [workspaceId]);
  else if (!known.includes(workspaceId)) known.push(workspaceId);
}

function addKey(book: Book, key: KeyRecord): void {
  book.keys.set(key.keyId, key);
  book.keyIdsByHash.set(key.hash, key.keyId);
  const known = book.keyIdsByWorkspace.get(key.workspaceId);
  if (known === undefined) book.keyIdsByWorkspace.set(key.workspaceId, [key.keyId]);
  else known.push(key.keyId);
}

function changeKey(book: Book, keyId: string, change: Partial<KeyRecord>): void {
  const key = book.keys.get(keyId);
  if (key !== undefined) book.keys.set(keyId, { ...key, ...change });
}

/** A key is revoked once; a second revocation leaves the first one's time and author. */
function revokeKey(book: Book, keyId: string, at: string, by: string): void {
  if (book.keys.get(keyId)?.revokedAt === undefined) changeKey(book, keyId, { revokedAt: at, revokedBy: by });
}

export function readAccount(book: Book, account: string): number {
  return book.accounts.get(account) ?? 0;
}

export function guardHolds(book: Book, guard: Guard): boolean {
  switch (guard.kind) {
    case "balance":
      return readAccount(book, guard.account) >= guard.atLeast;
    case "labelFree":
      return !activeKeys(book, guard.workspaceId).some((key) => key.label === guard.label);
    case "slugFree":
      return !book.slugs.has(guard.slug);
    case "keyActive": {
      const key = book.keys.get(guard.keyId);
      return key !== undefined && key.revokedAt === undefined;
    }
    case "noOwner":
      return !book.hasOwner;
  }
}

function activeKeys(book: Book, workspaceId: string): KeyRecord[] {
  return listKeys(book, workspaceId).filter((key) => key.revokedAt === undefined);
}

/** In the order of creation. */
export function listKeys(book: Book, workspaceId: string): KeyRecord[] {
  return (book.keyIdsByWorkspace.get(workspaceId) ?? []).flatMap((keyId) => book.keys.get(keyId) ?? []);
}

/** Money is neither made nor lost in a line, and no balance leaves the safe integers. Source: storage design, 3. */
export function checkPostings(book: Book, line: Line): void {
  if (!("led" in line)) return;
  try {
    assertBalanced(line.led);
  } catch (error) {
    throw new LineRefused(`${line.t}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const after = new Map<string, number>();
  for (const [account, amount] of line.led) {
    const balance = (after.get(account) ?? readAccount(book, account)) + amount;
    if (!Number.isSafeInteger(balance)) throw new LineRefused(`${line.t}: ${account} would hold ${balance}`);
    after.set(account, balance);
  }
}
