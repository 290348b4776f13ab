import { errorText } from "../../shared/error-text.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { type AccountCall, type AccountTokens, NotConnectedError } from "../providers/account-tokens.ts";
import { ExchangeError, untilAborted } from "../providers/sending/send.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { ConnectionAlerts, ConnectionFailure } from "./connection-alerts.ts";
import type { ConnectionRecord, ConnectionStore } from "./connection-record.ts";
import { connectCommand, standingOf } from "./connection-standing.ts";
import { type Login, loginOf } from "./login.ts";
import type { GrantedTokens, OAuthClient, TokenOutcome } from "./oauth-client.ts";

export interface ConnectedAccountsParts {
  readonly store: ConnectionStore;
  /** Loads the code that talks to login servers. */
  readonly client: () => Promise<Pick<OAuthClient, "renew">>;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** Tells who has to log in again. */
  readonly alerts: Pick<ConnectionAlerts, "failing" | "over">;
}

/** A token is renewed before its expiry, so that none expires in transit; a short one at a tenth of its life. */
const RENEW_BEFORE_MS = 30_000;
/** How often a provider that refuses every token may make us renew it. */
const REFUSED_AGAIN_MS = 60_000;
const HOUR_MS = 3_600_000;
const REFUSED = "the provider refused its access token (401)";
/** A date in milliseconds must stay one that a Date can have. */
const LONGEST_LIFE_SECONDS = 10 * 365 * 86_400;

/** Access tokens of connected accounts: renewed once for all runs that need one. docs/connections.md, "Renewal". */
export class ConnectedAccounts implements AccountTokens {
  readonly #parts: ConnectedAccountsParts;
  /** By connection: the renewal under way. */
  readonly #renewals = new Map<string, Promise<AccountToken>>();
  /** By connection: what is being written of it after the newest answer of the provider. */
  readonly #marks = new Map<string, { readonly isRefusal: boolean; readonly done: Promise<void> }>();
  /** By connection: the token that the provider refused. */
  readonly #refused = new Map<string, string>();
  /** By connection: when it was last renewed because of a refused token. */
  readonly #renewedForRefusal = new Map<string, number>();
  /** Connections whose renewal could not be written. */
  readonly #notKept = new Set<string>();

  constructor(parts: ConnectedAccountsParts) {
    this.#parts = parts;
  }

  async get(call: AccountCall): Promise<string> {
    const { store, clock, redactor } = this.#parts;
    const login = loginOf(call);
    const provider = call.provider.provider;
    const record = call.workspaceId === undefined ? undefined : store.find(call.workspaceId, provider);
    const standing = standingOf(record, login, { nowMs: clock.now(), baseUrl: call.baseUrl });
    if (record === undefined || standing.why !== undefined) throw notConnected(standing.why ?? "", provider);
    refuseOther(call, record);
    const underWay = this.#renewals.get(record.connectionId);
    if (underWay !== undefined) return await this.#until(underWay, call);
    if (this.#notKept.has(record.connectionId)) await this.#keepAfterAll(record);
    const { accessToken } = record;
    if (accessToken !== undefined && !this.#isDue(record, accessToken)) {
      redactor.remember(accessToken);
      return accessToken;
    }
    return await this.#until(this.#renew(record, login), call);
  }

  refuse({ workspaceId, provider: { provider } }: AccountCall, token: string): boolean {
    const record = workspaceId === undefined ? undefined : this.#parts.store.find(workspaceId, provider);
    if (record === undefined) return true;
    // Another run has renewed it already.
    if (record.accessToken !== token) return true;
    if (record.refreshToken === undefined) return this.#markRefused(record);
    // Another run was refused it a moment ago, and it is being renewed.
    if (this.#renewals.has(record.connectionId) || this.#refused.get(record.connectionId) === token) return true;
    const nowMs = this.#parts.clock.now();
    const last = this.#renewedForRefusal.get(record.connectionId);
    if (last !== undefined && Math.abs(nowMs - last) < REFUSED_AGAIN_MS) return this.#markRefused(record);
    this.#renewedForRefusal.set(record.connectionId, nowMs);
    this.#refused.set(record.connectionId, token);
    return true;
  }

  worked({ workspaceId, provider: { provider } }: AccountCall, token: string): void {
    const record = workspaceId === undefined ? undefined : this.#parts.store.find(workspaceId, provider);
    if (record?.accessToken !== token || record.lastFailure?.message !== REFUSED) return;
    this.#mark(record, undefined, async () => await this.#parts.alerts.over(record));
  }

  /** Resolves when no renewal of this connection is under way; without a connection, of any. Never rejects. */
  async settled(connectionId?: string): Promise<void> {
    const all = connectionId === undefined ? [...this.#renewals.values()] : [this.#renewals.get(connectionId)];
    await Promise.allSettled(all);
  }

  /** Waits for renewals under way, so that what they bring is kept, and writes what could not be written before. Never rejects. */
  async close(): Promise<void> {
    await this.settled();
    await Promise.all([...this.#marks.values()].map(({ done }) => done));
    const left = this.#parts.store.all().filter(({ connectionId }) => this.#notKept.has(connectionId));
    for (const record of left) await this.#keepAfterAll(record);
  }

  /** So that `mkt connections` shows it. The same refusal is written once an hour. Returns false, as nothing is renewed. */
  #markRefused(record: ConnectionRecord): false {
    const { clock, alerts } = this.#parts;
    const { provider, lastFailure, refreshToken } = record;
    const at = isoNow(clock);
    const isKnown = lastFailure?.message === REFUSED && Math.abs(Date.parse(at) - Date.parse(lastFailure.at)) < HOUR_MS;
    if (isKnown) return false;
    const failure = { at, message: REFUSED };
    const why = `${provider} refuses the access token of this workspace, and gave nothing to renew it; connect again: ${connectCommand(provider)}`;
    this.#mark(record, failure, async () => {
      if (refreshToken === undefined) await alerts.failing({ ...record, lastFailure: failure }, "refused", why);
    });
    return false;
  }

  /** Nothing waits for it. While it is under way, other runs with the same answer write nothing. */
  #mark(record: ConnectionRecord, lastFailure: ConnectionRecord["lastFailure"], tell: () => Promise<void>): void {
    const { store, logger } = this.#parts;
    const { connectionId, provider } = record;
    const isRefusal = lastFailure !== undefined;
    const before = this.#marks.get(connectionId);
    if (before?.isRefusal === isRefusal) return;
    const write = async () => {
      const stands = await store.mark(record, lastFailure).catch((err: unknown) => {
        logger.warn({ err, provider }, "whether a provider takes an access token could not be written");
        return true;
      });
      await before?.done;
      if (stands) await tell();
    };
    const done = write().finally(() => {
      if (this.#marks.get(connectionId) === mark) this.#marks.delete(connectionId);
    });
    const mark = { isRefusal, done };
    this.#marks.set(connectionId, mark);
  }

  #isDue(record: ConnectionRecord, accessToken: string): boolean {
    const { connectionId, obtainedAt, expiresAt, refreshToken } = record;
    if (refreshToken === undefined) return false;
    if (this.#refused.get(connectionId) === accessToken) return true;
    if (expiresAt === undefined) return false;
    const lifeMs = Date.parse(expiresAt) - Date.parse(obtainedAt);
    return this.#parts.clock.now() >= Date.parse(expiresAt) - Math.min(RENEW_BEFORE_MS, lifeMs / 10);
  }

  #renew(record: ConnectionRecord, login: Login): Promise<AccountToken> {
    const { connectionId } = record;
    const renewal = this.#renewNow(record, login).finally(() => this.#renewals.delete(connectionId));
    this.#renewals.set(connectionId, renewal);
    renewal.catch(() => {});
    return renewal;
  }

  async #renewNow(record: ConnectionRecord, login: Login): Promise<AccountToken> {
    const { store, clock, alerts } = this.#parts;
    const { provider, refreshToken = "" } = record;
    const { lastFailure: _before, ...known } = record;
    // With rotation the provider spends the token as it answers: a restart must know that this may have happened.
    const renewed = await store.markRenewing(known, isoNow(clock)).catch((cause: unknown) => {
      throw failed(`the connection to ${provider} was not renewed, because that could not be recorded`, cause);
    });
    if (renewed !== undefined) return this.#tokenOf(renewed, login);
    const outcome = await this.#ask(login, refreshToken);
    refuseReplaced(store, record);
    const kept = recordAfter(known, outcome, isoNow(clock));
    const failure = failureOf(kept);
    const { why = "" } = standingOf(kept, login, { nowMs: clock.now() });
    // Told first: after a crash in between it is told again, under the same id, and not never.
    if (failure !== undefined) {
      await alerts.failing(kept, failure, why);
      // Somebody may have logged in again while it was told.
      refuseReplaced(store, record);
    }
    const stands = await store.keep(kept).catch(async (cause: unknown) => {
      await this.#notWritten(kept, outcome, cause);
      return true;
    });
    if (!stands) throw replaced(record);
    if (outcome.kind === "granted") {
      return { accessToken: outcome.tokens.accessToken, connectionId: record.connectionId };
    }
    if (failure !== undefined) throw notConnected(why, provider);
    throw failed(`the connection to ${provider} could not be renewed: ${outcome.message}`);
  }

  /** Of what another daemon made of the connection. */
  #tokenOf(record: ConnectionRecord, login: Login): AccountToken {
    const { why } = standingOf(record, login, { nowMs: this.#parts.clock.now() });
    if (record.accessToken !== undefined && why === undefined) {
      const { accessToken, connectionId } = record;
      this.#parts.redactor.remember(accessToken);
      return { accessToken, connectionId };
    }
    if (why !== undefined) throw notConnected(why, record.provider);
    throw failed(`the connection to ${record.provider} could not be renewed: ${record.lastFailure?.message ?? ""}`);
  }

  /** The tokens of a renewal are used all the same, and who looks at the connection is told that they may be lost. */
  async #notWritten(kept: ConnectionRecord, outcome: TokenOutcome, cause: unknown): Promise<void> {
    const { store, clock, logger, alerts } = this.#parts;
    const { provider, connectionId } = kept;
    logger.error({ err: cause, provider }, "a renewed connection could not be written");
    // Without new tokens nothing is lost, and a login that was made meanwhile stays.
    if (outcome.kind !== "granted" || !isCurrent(store, kept)) return;
    const message = `renewed, but not written to the disk (${errorText(cause)}): it is tried again with each run, and when the daemon stops; if none of that helps, connect again: ${connectCommand(provider)}`;
    this.#notKept.add(connectionId);
    // In effect at once, also if it cannot be written either.
    await store.keep({ ...kept, lastFailure: { at: isoNow(clock), message } }).catch(() => {});
    await alerts.failing(kept, "notKept", `the connection to ${provider} was ${message}`);
  }

  /** Writes a renewal that could not be written before. */
  async #keepAfterAll(record: ConnectionRecord): Promise<void> {
    const { lastFailure: _over, ...kept } = record;
    this.#notKept.delete(record.connectionId);
    try {
      if (await this.#parts.store.keep(kept)) await this.#parts.alerts.over(kept);
    } catch {
      this.#notKept.add(record.connectionId);
      // Unless another login or renewal took its place meanwhile.
      if (this.#parts.store.find(kept.workspaceId, kept.provider) !== kept) return;
      await this.#parts.store.keep(record).catch(() => {});
    }
  }

  async #ask(login: Login, refreshToken: string): Promise<TokenOutcome> {
    let isLoaded = false;
    try {
      const client = await this.#parts.client();
      isLoaded = true;
      return await client.renew(login, refreshToken);
    } catch (error) {
      this.#parts.logger.error({ err: error }, "a renewal failed inside the daemon");
      return { kind: "failed", maybeDone: isLoaded, message: "the daemon failed" };
    }
  }

  async #until(renewal: Promise<AccountToken>, call: AccountCall): Promise<string> {
    try {
      const token = await untilAborted(renewal, call.signal);
      // Another daemon may know of a later login than this one did.
      refuseOther(call, token);
      return token.accessToken;
    } catch (error) {
      if (error instanceof ExchangeError) throw error;
      throw new ExchangeError("time was up before an access token was there", {
        kind: "aborted",
        maybeExecuted: false,
      });
    }
  }
}

/** An access token, and the login that it came of. */
interface AccountToken {
  readonly accessToken: string;
  readonly connectionId: string;
}

/** The members of a record that are about its tokens. */
export function tokenMembers(
  { accessToken, refreshToken, lifeSeconds, scope }: GrantedTokens,
  obtainedAt: string,
): Pick<ConnectionRecord, "accessToken" | "refreshToken" | "obtainedAt" | "expiresAt" | "scopeGranted"> {
  const lifeMs = lifeSeconds === undefined ? undefined : Math.min(lifeSeconds, LONGEST_LIFE_SECONDS) * 1_000;
  return {
    accessToken,
    obtainedAt,
    ...(lifeMs !== undefined && { expiresAt: new Date(Date.parse(obtainedAt) + lifeMs).toISOString() }),
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scope !== undefined && { scopeGranted: scope }),
  };
}

/** Why a connection can no longer be used, as a renewal left it. */
export function failureOf({ revokedAt, renewingSince, rotates }: ConnectionRecord): ConnectionFailure | undefined {
  if (revokedAt !== undefined) return "revoked";
  return renewingSince !== undefined && rotates !== false ? "interrupted" : undefined;
}

/**
 * The record after a renewal. The provider's own invalid_grant ends a connection, and so does an answer that was lost on its
 * way, where the refresh token may be spent: sent again it would look stolen. Whatever else may pass.
 */
function recordAfter(before: ConnectionRecord, outcome: TokenOutcome, at: string): ConnectionRecord {
  const { renewingSince: _over, ...record } = before;
  if (outcome.kind === "granted") {
    const { expiresAt: _old, ...rest } = record;
    const { refreshToken } = outcome.tokens;
    const rotates = refreshToken !== undefined && refreshToken !== before.refreshToken;
    return { ...rest, ...tokenMembers(outcome.tokens, at), rotates };
  }
  if (outcome.kind === "refused" && outcome.error === "invalid_grant") {
    const { accessToken: _access, refreshToken: _refresh, ...rest } = record;
    return { ...rest, revokedAt: at };
  }
  const isSpent = outcome.kind === "failed" && outcome.maybeDone && record.rotates !== false;
  return { ...record, ...(isSpent && { renewingSince: at }), lastFailure: { at, message: outcome.message } };
}

function refuseReplaced(store: ConnectionStore, record: ConnectionRecord): void {
  if (!isCurrent(store, record)) throw replaced(record);
}

function replaced({ provider }: ConnectionRecord): NotConnectedError {
  return notConnected(`the connection to ${provider} was replaced or removed`, provider);
}

/** Throws for a call that is bound to another account. */
function refuseOther({ account, provider: { provider } }: AccountCall, found: { readonly connectionId: string }): void {
  if (account === undefined || account === found.connectionId) return;
  throw failed(
    `the run was approved for an account at ${provider} that was connected anew since then; ask for it again`,
  );
}

function isCurrent(store: ConnectionStore, { workspaceId, provider, connectionId }: ConnectionRecord): boolean {
  return store.find(workspaceId, provider)?.connectionId === connectionId;
}

function notConnected(why: string, provider: string): NotConnectedError {
  return new NotConnectedError(why, { next: connectCommand(provider) });
}

/** Never repeated within a run: the refresh token may be spent, and another try could end the connection. */
function failed(message: string, cause?: unknown): ExchangeError {
  return new ExchangeError(message, {
    kind: "unreadable",
    maybeExecuted: false,
    ...(cause !== undefined && { cause }),
  });
}
