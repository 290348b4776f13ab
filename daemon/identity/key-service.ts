import type { WorkspaceId } from "../base/ids.ts";
import type { ApiKeyStatus } from "../../shared/contract/api-keys.ts";
import type { SpendLimit } from "../../shared/contract/key-limits.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";
import { ApiError } from "../../shared/errors.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import { type Guard, GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { type KeepAnswer, keepNothing } from "../idempotency/keep-answer.ts";
import type { Committer, PlainTransaction } from "../ledger/transaction/transaction.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";
import { type IssuedKey, issueKey } from "./api-keys.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { type KeySpending, readKeySpending } from "./key-spending.ts";
import { statusOf } from "./key-status.ts";
import type { WireIds } from "./wire-ids.ts";
import type { KeyUse } from "./key-use.ts";
import { checkMayChange, expiryWithin, operatorGrant, roleWithin, scopesWithin } from "./key-limits.ts";
import { checkLabel } from "./names.ts";
import { newKeyRecord } from "./new-key-record.ts";
import { runLimitsWithin } from "./run-limits.ts";

export interface KeyRequest {
  readonly label: string;
  /** Absent: that of the caller's key. */
  readonly role?: KeyRole | undefined;
  /** Absent: all that the caller has. */
  readonly scopes?: readonly string[] | undefined;
  /** ISO 8601. Absent: the caller's own expiry. */
  readonly expiresAt?: string | undefined;
  /** Slugs. Absent: the caller's own allowlist, as for the members that follow. */
  readonly providers?: readonly string[] | undefined;
  /** As `provider/path`. */
  readonly endpoints?: readonly string[] | undefined;
  readonly spendLimit?: SpendLimit | undefined;
}

/** A key with its status at the time of reading. */
export interface KeyView {
  /** User and actors have their ids on the wire. */
  readonly record: KeyRecord;
  readonly status: ApiKeyStatus;
  /** ISO 8601; absent when it was never used. */
  readonly lastUsedAt?: string;
  /** Absent without a spend limit, and for a new key. */
  readonly spending?: KeySpending;
}

export interface NewKey extends KeyView {
  /** The whole key: stored nowhere, so this is the only time it is shown. */
  readonly key: string;
}

export interface KeyPage {
  readonly items: readonly KeyView[];
  /** Number of keys older than this page; absent on the last one. */
  readonly next?: number;
}

export interface KeyService {
  /**
   * 409 when an unrevoked key has the label, 403 when the key would exceed the caller's rights. The key is durable when
   * this resolves.
   */
  create(caller: WorkspaceCaller, request: KeyRequest, keep?: KeepAnswer<KeyView>): Promise<NewKey>;
  /**
   * As `create`, for any workspace, and with the operator grant on request: the caller must have it. 400 for that grant
   * with scopes narrower than `*`, which would not limit it.
   */
  createFor(
    caller: WorkspaceCaller,
    workspaceId: WorkspaceId,
    request: KeyRequest & { readonly operator?: boolean | undefined },
    keep?: KeepAnswer<KeyView>,
  ): Promise<NewKey>;
  /** Newest first; without statuses, all but revoked keys. `before`: `next` of the previous page. */
  list(
    caller: WorkspaceCaller,
    page: { readonly limit: number; readonly before?: number; readonly statuses?: readonly ApiKeyStatus[] | undefined },
  ): Promise<KeyPage>;
  /** The use of a key's limit; undefined without one. */
  spendingOf(key: Pick<KeyRecord, "workspaceId" | "keyId" | "spendLimit">): Promise<KeySpending | undefined>;
  /** 404 for a label that no unrevoked key of the workspace has. */
  get(caller: WorkspaceCaller, label: string): Promise<KeyView>;
  /** As `get`; 409 when the new label is taken, 403 for an operator's key unless the caller is an operator. */
  rename(caller: WorkspaceCaller, label: string, newLabel: string): Promise<KeyView>;
  /** As `get`, with 403 as for `rename`. Final. Once it resolves the key is refused, even after a crash. */
  revoke(caller: WorkspaceCaller, label: string): Promise<KeyView>;
}

export interface KeyServiceParts {
  readonly store: IdentityStore & Pick<AccountStore, "readMoney"> & Committer;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly keyUse: Pick<KeyUse, "lastUsedAt">;
  readonly ids: WireIds;
}

export function createKeyService(parts: KeyServiceParts): KeyService {
  const views = keyViews(parts);
  return { ...keyReads(parts, views), ...keyCreation(parts, views), ...keyChanges(parts, views) };
}

/** What callers see of a record. */
interface KeyViews {
  readonly view: (kept: KeyRecord) => Promise<KeyView>;
  readonly viewWithSpending: (record: KeyRecord) => Promise<KeyView>;
  readonly spendingOf: KeyService["spendingOf"];
}

function keyViews({ store, clock, keyUse, ids }: KeyServiceParts): KeyViews {
  const view = async (kept: KeyRecord): Promise<KeyView> => {
    const record = await ids.ofKey(kept);
    const lastUsedAt = keyUse.lastUsedAt(record.keyId);
    return { record, status: statusOf(record, clock.now()), ...(lastUsedAt !== undefined && { lastUsedAt }) };
  };
  const spendingOf: KeyService["spendingOf"] = async (key) => await readKeySpending({ store, clock }, key);
  const viewWithSpending = async (record: KeyRecord): Promise<KeyView> => {
    const spending = await spendingOf(record);
    return { ...(await view(record)), ...(spending !== undefined && { spending }) };
  };
  return { view, viewWithSpending, spendingOf };
}

function keyReads(
  { store, clock }: KeyServiceParts,
  { viewWithSpending, spendingOf }: KeyViews,
): Pick<KeyService, "list" | "spendingOf" | "get"> {
  return {
    async list(caller, { limit, before, statuses = ["ACTIVE", "EXPIRED"] }) {
      const keys = await store.listKeys(caller.workspaceId);
      const items: KeyRecord[] = [];
      let index = Math.min(before ?? keys.length, keys.length);
      for (; index > 0; index -= 1) {
        const record = keys[index - 1];
        if (record === undefined || !statuses.includes(statusOf(record, clock.now()))) {
          continue;
        }
        if (items.length === limit) {
          return { items: await Promise.all(items.map(viewWithSpending)), next: index };
        }
        items.push(record);
      }
      return { items: await Promise.all(items.map(viewWithSpending)) };
    },

    spendingOf,
    get: async (caller, label) => await viewWithSpending(await getActive(store, caller.workspaceId, label)),
  };
}

function keyCreation(parts: KeyServiceParts, { view }: KeyViews): Pick<KeyService, "create" | "createFor"> {
  const { store } = parts;
  const createFor: KeyService["createFor"] = async (caller, workspaceId, request, keep = keepNothing) => {
    const issued = issueKey();
    const record = recordOf(issued, caller, workspaceId, request, parts);
    const guards: Guard[] = [{ kind: "labelFree", workspaceId, label: record.label }];
    if (caller.key !== undefined) {
      // A key that is revoked while it makes another must not live on in it.
      guards.push({ kind: "keyActive", keyId: caller.key.keyId });
    }
    if (caller.session !== undefined) guards.push({ kind: "keyActive", keyId: caller.session.keyId });
    const made = await view(record);
    const line = { t: "key.created", v: 1, at: record.createdAt, key: record, ...keep(made) } as const;
    await commitKey(store, { line, guards });
    return { ...made, key: issued.key };
  };

  return {
    create: async (caller, request, keep) =>
      await createFor(caller, caller.workspaceId, { ...request, operator: undefined }, keep),
    createFor,
  };
}

/** The record of a new key, within the rights of the caller who makes it. Throws what `createFor` names. */
function recordOf(
  issued: IssuedKey,
  caller: WorkspaceCaller,
  workspaceId: WorkspaceId,
  request: KeyRequest & { readonly operator?: boolean | undefined },
  { clock, newId }: Pick<KeyServiceParts, "clock" | "newId">,
): KeyRecord {
  const label = checkLabel(request.label);
  const role = roleWithin(caller, request.role);
  const scopes = scopesWithin(caller, request);
  const expiresAt = expiryWithin(caller, request.expiresAt, clock);
  const operator = operatorGrant(caller, request.operator, scopes);
  const limits = runLimitsWithin(caller.key, request);
  return newKeyRecord(issued, {
    keyId: newId(),
    workspaceId,
    label,
    owner: caller.userId,
    createdBy: caller.actor,
    scopes,
    ...(role !== undefined && { role }),
    ...(operator && { operator: true }),
    ...limits,
    origin: "API",
    createdAt: isoNow(clock),
    ...(expiresAt !== undefined && { expiresAt }),
  });
}

function keyChanges(
  { store, clock }: KeyServiceParts,
  { viewWithSpending }: KeyViews,
): Pick<KeyService, "rename" | "revoke"> {
  return {
    async rename(caller, label, newLabel) {
      const key = await getActive(store, caller.workspaceId, label);
      checkMayChange(caller, key);
      const checked = checkLabel(newLabel);
      if (checked !== key.label) {
        const line = { t: "key.renamed", v: 1, at: isoNow(clock), keyId: key.keyId, label: checked } as const;
        await commitKey(store, {
          line,
          guards: [
            { kind: "keyActive", keyId: key.keyId },
            { kind: "labelFree", workspaceId: key.workspaceId, label: checked },
          ],
        });
      }
      return await viewWithSpending({ ...key, label: checked });
    },

    async revoke(caller, label) {
      const key = await getActive(store, caller.workspaceId, label);
      checkMayChange(caller, key);
      const at = isoNow(clock);
      const line = { t: "key.revoked", v: 1, at, keyId: key.keyId, by: caller.actor } as const;
      await commitKey(store, { line, guards: [{ kind: "keyActive", keyId: key.keyId }] });
      return await viewWithSpending({ ...key, revokedAt: at, revokedBy: caller.actor });
    },
  };
}

async function getActive(store: IdentityStore, workspaceId: WorkspaceId, label: string): Promise<KeyRecord> {
  const keys = await store.listKeys(workspaceId);
  const found = keys.find((key) => key.label === label && key.revokedAt === undefined);
  if (found === undefined) throw keyNotFound(label);
  return found;
}

async function commitKey(store: Committer, transaction: PlainTransaction): Promise<void> {
  try {
    await store.commit(transaction);
  } catch (error) {
    if (error instanceof GuardFailed) {
      throw guardError(error, transaction);
    }
    throw error;
  }
}

function guardError(failed: GuardFailed, { line }: PlainTransaction): Error {
  const { guard } = failed;
  if (guard.kind === "labelFree") {
    const message = `A key with the label "${guard.label}" exists already; revoke it or choose another label`;
    return new ApiError("conflict", message, { cause: failed });
  }
  if (guard.kind === "keyActive") {
    const message = "The key was revoked in the meantime";
    return new ApiError(line.t === "key.created" ? "unauthorized" : "conflict", message, { cause: failed });
  }
  return failed;
}

function keyNotFound(label: string): ApiError {
  return new ApiError("notFound", `API key "${label}" not found; GET /v1/api-keys lists the keys of this workspace`);
}
