import { createHash, randomBytes } from "node:crypto";
import { ApiError } from "../../shared/errors.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { issueKey } from "../identity/api-keys.ts";
import { statusOf } from "../identity/key-status.ts";
import { newKeyRecord } from "../identity/new-key-record.ts";
import { keyStillActive } from "../ledger/transaction/asked-change.ts";
import { type Guard, GuardFailed } from "../ledger/transaction/commit-errors.ts";
import type { ConsoleTicketRecord } from "../ledger/records/console-records.ts";
import type { ConsoleStore } from "../ledger/stores/console-store.ts";
import type { KeyRecord } from "../ledger/records/identity-records.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";

const TICKET_MS = 60_000;
const SESSION_MS = 12 * 3_600_000;
/** How far the clocks of two daemons on one store may be apart. */
const CLOCKS_APART_MS = 5_000;
const TICKET = /^tkt_[\w-]{43}$/;

export interface NewTicket {
  /** Kept nowhere: this is the only time that it is shown. */
  readonly ticket: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface NewSession {
  /** The whole key: stored nowhere. */
  readonly key: string;
  readonly record: KeyRecord & { readonly expiresAt: string };
}

/** Signing in to the console. docs/console.md, "Signing in"; docs/security.md, T36. */
export interface ConsoleSessions {
  /** A ticket that opens one session within a minute. 403 for a session, which cannot make another one. */
  makeTicket(caller: WorkspaceCaller): Promise<NewTicket>;
  /** The same 401 for a ticket that is unknown, used or expired, and when the key that asked for it has ended. */
  open(ticket: string): Promise<NewSession>;
  /** Ends the session that the caller came with; 409 for any other credential. */
  close(caller: WorkspaceCaller): Promise<void>;
}

export interface ConsoleSessionsParts {
  readonly store: ConsoleStore & Pick<IdentityStore, "findKey"> & Committer;
  /** Resolves when what other daemons have acknowledged is seen here; absent where there are none. */
  readonly refresh?: (() => Promise<void>) | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
}

export function createConsoleSessions(parts: ConsoleSessionsParts): ConsoleSessions {
  const { store, clock, refresh } = parts;
  return {
    async makeTicket(caller) {
      if (caller.session !== undefined) throw fromSession();
      const ticket = `tkt_${randomBytes(32).toString("base64url")}`;
      const at = isoNow(clock);
      const record = ticketOf(caller, hashOf(ticket), at);
      const line = { t: "console.ticket" as const, v: 1 as const, at, ticket: record };
      await store.commit({ line, guards: keyStillActive(caller) });
      return { ticket, expiresAt: record.expiresAt };
    },

    async open(ticket) {
      await refresh?.();
      const record = TICKET.test(ticket) ? await store.findConsoleTicket(hashOf(ticket)) : undefined;
      if (record === undefined || !holdsAt(record, clock.now())) throw refused();
      const key = record.keyId === undefined ? undefined : await store.findKey(record.keyId);
      if (record.keyId !== undefined && (key === undefined || statusOf(key, clock.now()) !== "ACTIVE")) throw refused();
      return await openSession(parts, record, key);
    },

    async close({ session, actor }) {
      if (session === undefined) throw noSession();
      const { keyId } = session;
      const at = isoNow(clock);
      await store.commit({
        line: { t: "key.revoked", v: 1, at, keyId, by: actor },
        guards: [{ kind: "keyActive", keyId }],
      });
    },
  };
}

function ticketOf({ workspaceId, userId, actor, key, tokenEndsAt }: WorkspaceCaller, hash: string, at: string) {
  return {
    hash,
    workspaceId,
    userId,
    createdBy: actor,
    ...(key !== undefined && { keyId: key.keyId }),
    ...(tokenEndsAt !== undefined && { tokenEndsAt }),
    createdAt: at,
    expiresAt: new Date(Date.parse(at) + TICKET_MS).toISOString(),
  };
}

/** A clock that was set back behind the making of a ticket does not tell how old the ticket is. */
function holdsAt({ createdAt, expiresAt, tokenEndsAt }: ConsoleTicketRecord, nowMs: number): boolean {
  const isTokenOver = tokenEndsAt !== undefined && Date.parse(tokenEndsAt) <= nowMs;
  return !isTokenOver && nowMs < Date.parse(expiresAt) && nowMs >= Date.parse(createdAt) - CLOCKS_APART_MS;
}

/** Two browsers with one ticket: the guard lets one line in, whichever daemon writes it. */
async function openSession(
  { store, clock, newId }: ConsoleSessionsParts,
  ticket: ConsoleTicketRecord,
  asker: KeyRecord | undefined,
): Promise<NewSession> {
  const issued = issueKey(undefined, "console");
  const createdAt = isoNow(clock);
  const record = {
    ...newKeyRecord(issued, {
      keyId: newId(),
      workspaceId: ticket.workspaceId,
      label: `console-${issued.fingerprint.slice(0, 8)}`,
      owner: ticket.userId,
      createdBy: ticket.createdBy,
      ...rightsOf(asker),
      session: asker === undefined ? {} : { keyId: asker.keyId },
      origin: "DASHBOARD",
      createdAt,
    }),
    expiresAt: endOf(createdAt, [asker?.expiresAt, ticket.tokenEndsAt]),
  };
  const guards: Guard[] = [{ kind: "consoleTicket", hash: ticket.hash }];
  if (asker !== undefined) guards.push({ kind: "keyActive", keyId: asker.keyId });
  try {
    await store.commit({
      line: { t: "console.signedIn", v: 1, at: createdAt, ticket: ticket.hash, key: record },
      guards,
    });
  } catch (error) {
    throw error instanceof GuardFailed ? refused(error) : error;
  }
  return { key: issued.key, record };
}

/**
 * What a list of keys shows of a session. Requests with it are judged by the key that opened it, whose spend limit is not
 * repeated here: it counts there.
 */
function rightsOf(
  asker: KeyRecord | undefined,
): Pick<KeyRecord, "scopes" | "role" | "operator"> & Pick<KeyRecord, "providers" | "endpoints"> {
  if (asker === undefined) return { scopes: ["*"] };
  const { scopes, role, operator, providers, endpoints } = asker;
  return {
    scopes,
    ...(role !== undefined && { role }),
    ...(operator !== undefined && { operator }),
    ...(providers !== undefined && { providers }),
    ...(endpoints !== undefined && { endpoints }),
  };
}

/** Twelve hours, or as long as what it was opened with. */
function endOf(createdAt: string, ends: readonly (string | undefined)[]): string {
  const given = ends.flatMap((end) => (end === undefined ? [] : [Date.parse(end)]));
  return new Date(Math.min(Date.parse(createdAt) + SESSION_MS, ...given)).toISOString();
}

/** SHA-256 in hex: enough for a secret of 256 random bits. */
function hashOf(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex");
}

function refused(cause?: unknown): ApiError {
  return new ApiError(
    "unauthorized",
    "This ticket was used before, or is older than a minute; type `mkt console` for a new one",
    { ...(cause !== undefined && { cause }), extra: { next: "mkt console" } },
  );
}

function fromSession(): ApiError {
  return new ApiError("forbidden", "A session of the console cannot open another one; type `mkt console` for that", {
    extra: { next: "mkt console" },
  });
}

function noSession(): ApiError {
  return new ApiError(
    "conflict",
    "These credentials are no session of the console, so there is nothing to sign out of; `mkt keys revoke` ends a key",
    { extra: { next: "mkt keys" } },
  );
}
