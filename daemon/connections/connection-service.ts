import { isLoopback } from "../../shared/loopback.ts";
import { ApiError } from "../../shared/errors.ts";
import type { Connection, ConnectionAttempt, ConnectionRemoved } from "../../shared/contract/connections.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import { unavailable } from "../catalog/availability.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { WorkspaceCaller } from "../http/callers/caller.ts";
import { statusOf } from "../identity/key-status.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import { findLogin } from "../manifest/login-auth.ts";
import type { ConnectionAlerts } from "./connection-alerts.ts";
import type { ConnectedAccounts } from "./connected-accounts.ts";
import { failureOf, tokenMembers } from "./connected-accounts.ts";
import type { ConnectionRecord, ConnectionStore } from "./connection-record.ts";
import { bindingOf, connectCommand, interruptedWords, standingOf } from "./connection-standing.ts";
import { standingNow, toAttempt, toConnection } from "./connection-wire.ts";
import { findLoginOf, type Login } from "./login.ts";
import { ATTEMPT_LIFE_MS, type LoginAttempt, LoginAttempts, newState } from "./login-attempts.ts";
import type { LoginPage } from "./login-page.ts";
import type { OAuthClient } from "./oauth-client.ts";

export interface ConnectionServiceParts {
  readonly store: ConnectionStore;
  readonly accounts: ConnectedAccounts;
  readonly alerts: ConnectionAlerts;
  readonly catalog: Pick<Catalog, "entriesOf" | "resolveSecrets" | "availability" | "findProvider">;
  readonly identity: Pick<IdentityStore, "listKeys" | "findWorkspace">;
  readonly ids: WireIds;
  /** Loads the code that talks to login servers. */
  readonly client: () => Promise<OAuthClient>;
  /** Where browsers reach this service; undefined if nobody said, and other machines may reach it. */
  readonly baseUrl: () => string | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
}

/** What a provider's redirect brought to the callback. */
export type CallbackQuery = Readonly<Partial<Record<"code" | "state" | "iss" | "error", string | undefined>>>;

const NO_SUCH_LOGIN: LoginPage = {
  title: "This login is not known here",
  lines: [
    "It was finished already, it took longer than 10 minutes, or it began elsewhere. Begin again with mkt connect.",
  ],
};

/** Accounts of workspaces at providers: login, list, removal. docs/connections.md. */
export class ConnectionService {
  readonly #parts: ConnectionServiceParts;
  readonly #attempts = new LoginAttempts();

  constructor(parts: ConnectionServiceParts) {
    this.#parts = parts;
  }

  /** Why a run of this workspace cannot use the endpoint; undefined if it can, or needs no account. */
  whyNot(workspaceId: WorkspaceId, { provider, http }: CatalogEntry): { why: string; next: string } | undefined {
    if (findLogin(http.auth) === undefined) return undefined;
    const { catalog, store, clock } = this.#parts;
    const login = findLoginOf(catalog, provider.provider);
    if (login === undefined) return undefined;
    const record = store.find(workspaceId, provider.provider);
    const { why } = standingOf(record, login, { nowMs: clock.now(), baseUrl: http.baseUrl });
    return why === undefined ? undefined : { why, next: connectCommand(provider.provider) };
  }

  /** The account that the endpoint is called with; undefined where it needs none, or none is connected. */
  accountFor(workspaceId: WorkspaceId, { provider, http }: CatalogEntry): string | undefined {
    return findLogin(http.auth) === undefined ? undefined : this.idOf(workspaceId, provider.provider);
  }

  /** Another one after each login, by which answers to one account are told from those to another. */
  idOf(workspaceId: WorkspaceId, provider: string): string | undefined {
    return this.#parts.store.find(workspaceId, provider)?.connectionId;
  }

  async list(caller: WorkspaceCaller): Promise<Connection[]> {
    const records = this.#parts.store.list(caller.workspaceId);
    return await Promise.all(records.map(async (record) => await this.#show(caller, record)));
  }

  async get(caller: WorkspaceCaller, provider: string): Promise<Connection> {
    return await this.#show(caller, this.#find(caller, provider));
  }

  /** Throws forbidden for a key that may not run the provider, and conflict for a provider without a login. */
  async begin(caller: WorkspaceCaller, provider: string): Promise<ConnectionAttempt> {
    const { clock, newId, client, ids } = this.#parts;
    const login = this.#loginFor(caller, provider);
    const redirectUri = this.#redirectUri(provider);
    const state = newState();
    const { address, verifier } = await refusedAddress(
      async () => await (await client()).begin(login, { state, redirectUri }),
    );
    const attempt: LoginAttempt = {
      attemptId: newId(),
      by: beginnerOf(caller),
      login,
      redirectUri,
      address,
      verifier,
      state,
      expiresAtMs: clock.now() + ATTEMPT_LIFE_MS,
      // The browser of another machine may be anybody's; one that reaches a loopback address is on this one.
      needsCode: !isLoopback(new URL(redirectUri).hostname),
      phase: "waiting",
    };
    this.#attempts.add(attempt, clock.now());
    return await toAttempt(attempt, undefined, ids);
  }

  async getAttempt(caller: WorkspaceCaller, attemptId: string): Promise<ConnectionAttempt> {
    return await this.#showAttempt(caller, this.#findAttempt(caller, attemptId));
  }

  /** Finishes a login with what a person copied from the browser. */
  async complete(
    caller: WorkspaceCaller,
    attemptId: string,
    given: { readonly code?: string | undefined; readonly redirectedTo?: string | undefined },
  ): Promise<ConnectionAttempt> {
    const attempt = this.#findAttempt(caller, attemptId);
    const nowMs = this.#parts.clock.now();
    if (given.redirectedTo !== undefined) {
      const parameters = this.#readAddress(attempt, given.redirectedTo);
      if (this.#attempts.take(parameters.get("state") ?? "", attempt.login.provider.provider, nowMs) !== attempt) {
        throw new ApiError("conflict", "This address does not belong to this login, or the login has got its answer");
      }
      await this.#exchange(attempt, parameters);
    } else {
      const parameters = this.#attempts.takeConfirmed(attempt, given.code ?? "", nowMs);
      if (parameters === undefined) {
        const isAwaited = attempt.phase === "confirming";
        const why = isAwaited ? "The code is not the one that the browser shows" : "No code is awaited for this login";
        throw new ApiError("conflict", attempt.message === undefined ? why : `${why}: ${attempt.message}`);
      }
      await this.#exchange(attempt, parameters);
    }
    return await this.#showAttempt(caller, attempt);
  }

  /** The browser is back from the provider. Nobody has to be logged in here; `state` says which login it is. */
  async finish(provider: string, query: CallbackQuery): Promise<LoginPage> {
    const attempt = this.#attempts.take(query.state ?? "", provider, this.#parts.clock.now());
    if (attempt === undefined) return NO_SUCH_LOGIN;
    const parameters = parametersOf(query);
    const workspace = await this.#parts.identity.findWorkspace(attempt.by.workspaceId);
    const whom = `the account that you are logged in with at ${provider} to the workspace ${workspace?.slug ?? "?"}, for ${whoOf(attempt)}`;
    if (attempt.needsCode && query.error === undefined) {
      const code = this.#attempts.awaitCode(attempt, parameters);
      const lines = [
        `Type this code where mkt connect was begun. It connects ${whom}.`,
        "If that was not begun by you, close this page and give the code to nobody.",
      ];
      return { title: "One more step", lines, code };
    }
    await this.#exchange(attempt, parameters);
    if (attempt.phase === "connected") {
      return { title: "Connected", lines: [`This connected ${whom}. You can close this page.`] };
    }
    const lines = ["mkt connect says why. Nothing was connected; you can close this page."];
    return { title: "The login failed", lines };
  }

  /**
   * Revokes the tokens at the provider, if it offers that, and forgets them in any case. Throws conflict when somebody logs in
   * again meanwhile: that connection stays.
   */
  async remove(caller: WorkspaceCaller, provider: string): Promise<ConnectionRemoved> {
    const { store, accounts, logger } = this.#parts;
    const { connectionId, connectedBy } = this.#find(caller, provider);
    if (caller.ownOnly === true && connectedBy !== caller.actor) {
      throw new ApiError(
        "forbidden",
        `The connection to ${provider} was made by another key; ask who manages the workspace`,
      );
    }
    // A renewal would otherwise bring a token that nobody revokes.
    await accounts.settled(connectionId);
    const record = this.#find(caller, provider);
    if (record.connectionId !== connectionId) throw replacedMeanwhile(provider);
    const why = await this.#revoke(record);
    if (!(await store.remove(record))) throw replacedMeanwhile(provider);
    await this.#parts.alerts.over({ workspaceId: caller.workspaceId, provider });
    logger.info({ provider, workspaceId: caller.workspaceId, revoked: why === undefined }, "a connection was removed");
    return { provider, revoked: why === undefined, ...(why !== undefined && { why }) };
  }

  /** Tells of renewals that the process before this one left without an answer. */
  async tellInterrupted(): Promise<void> {
    const { store, alerts } = this.#parts;
    for (const record of store.all().filter((one) => failureOf(one) === "interrupted")) {
      await alerts.failing(record, "interrupted", interruptedWords(record.provider));
    }
  }

  /** Keeps what renewals under way bring, and tells of it. */
  async close(): Promise<void> {
    await this.#parts.accounts.close();
    await this.#parts.alerts.settled();
  }

  async #revoke(record: ConnectionRecord): Promise<string | undefined> {
    const { catalog, client, clock } = this.#parts;
    const token = record.refreshToken ?? record.accessToken;
    if (token === undefined) return "the provider had ended it already";
    const login = findLoginOf(catalog, record.provider);
    if (login === undefined || standingOf(record, login, { nowMs: clock.now() }).state === "changed") {
      return "the provider's file is not the one with which it was connected";
    }
    return await (await client()).revoke(login, token);
  }

  async #exchange(attempt: LoginAttempt, parameters: URLSearchParams): Promise<void> {
    const { client, clock, logger } = this.#parts;
    const { login, state, verifier, redirectUri, by } = attempt;
    const facts = { provider: login.provider.provider, workspaceId: by.workspaceId };
    attempt.phase = "exchanging";
    try {
      await this.#refuseRevokedKey(attempt);
      const outcome = await (await client()).exchange(login, { parameters, state, verifier, redirectUri });
      if (outcome.kind !== "granted") {
        this.#attempts.fail(attempt, outcome.message, clock.now());
        logger.warn({ ...facts, why: outcome.message }, "a login failed");
        return;
      }
      await this.#parts.store.put(this.#newRecord(attempt, tokenMembers(outcome.tokens, isoNow(clock))));
      this.#attempts.succeed(attempt, clock.now());
      logger.info(facts, "an account was connected");
      await this.#parts.alerts.over({ workspaceId: by.workspaceId, provider: facts.provider });
    } catch (error) {
      const message = error instanceof ApiError ? error.message : "the daemon failed; its log says more";
      this.#attempts.fail(attempt, message, clock.now());
      if (!(error instanceof ApiError)) logger.error({ err: error, ...facts }, "a login failed inside the daemon");
    }
  }

  #newRecord({ by, login }: LoginAttempt, tokens: ReturnType<typeof tokenMembers>): ConnectionRecord {
    const { catalog, clock, newId } = this.#parts;
    const { provider } = login.provider;
    return {
      format: 1,
      connectionId: newId(),
      workspaceId: by.workspaceId,
      provider,
      connectedAt: isoNow(clock),
      connectedBy: by.actor,
      ...(by.key !== undefined && { keyLabel: by.key.label }),
      binding: bindingOf(login, catalog.entriesOf(provider)),
      ...(login.auth.scope !== undefined && { scopeAsked: login.auth.scope }),
      ...tokens,
    };
  }

  /** The key may have been revoked while its user logged in. */
  async #refuseRevokedKey({ by: { workspaceId, key } }: LoginAttempt): Promise<void> {
    if (key === undefined) return;
    const { identity, clock } = this.#parts;
    const found = (await identity.listKeys(workspaceId)).find(({ keyId }) => keyId === key.keyId);
    if (found !== undefined && statusOf(found, clock.now()) === "ACTIVE") return;
    throw new ApiError("forbidden", "the key with which the login was begun is no longer valid");
  }

  #loginFor(caller: WorkspaceCaller, provider: string): Login {
    const { catalog } = this.#parts;
    const availability = catalog.availability(provider);
    if (!mayRun(caller, provider)) {
      throw new ApiError("forbidden", `This key may not run ${provider}, so it cannot connect an account there`);
    }
    if (!availability.available) throw unavailable(availability);
    const login = findLoginOf(catalog, provider);
    if (login !== undefined) return login;
    throw new ApiError("conflict", `${provider} needs no login: its endpoints are called without an account of yours`);
  }

  #redirectUri(provider: string): string {
    const base = this.#parts.baseUrl();
    if (base !== undefined) return `${base}/oauth/callback/${provider}`;
    throw new ApiError(
      "unavailable",
      "A provider cannot send browsers back here, because nobody said where they reach this service; its operator sets --public-url (MKT_PUBLIC_URL)",
      { errorCode: "NOT_CONFIGURED" },
    );
  }

  #readAddress({ redirectUri }: LoginAttempt, text: string): URLSearchParams {
    const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
    if (url === undefined || `${url.origin}${url.pathname}` !== redirectUri) {
      throw new ApiError(
        "invalidInput",
        `redirectedTo: must be the whole address in the browser, which begins with ${redirectUri}`,
      );
    }
    const [code, state, iss, error] = ["code", "state", "iss", "error"].map(
      (name) => url.searchParams.get(name) ?? undefined,
    );
    return parametersOf({ code, state, iss, error });
  }

  #find({ workspaceId }: WorkspaceCaller, provider: string): ConnectionRecord {
    const record = this.#parts.store.find(workspaceId, provider);
    if (record !== undefined) return record;
    throw new ApiError("notFound", `This workspace has no account connected at ${provider}`, {
      extra: { next: connectCommand(provider) },
    });
  }

  #findAttempt(caller: WorkspaceCaller, attemptId: string): LoginAttempt {
    const attempt = this.#attempts.find(attemptId, caller, this.#parts.clock.now());
    if (attempt !== undefined) return attempt;
    throw new ApiError("notFound", "No such login was begun with this key, or it is long over; begin again");
  }

  async #show(caller: WorkspaceCaller, record: ConnectionRecord): Promise<Connection> {
    const { catalog, clock, ids } = this.#parts;
    const standing = standingNow(record, findLoginOf(catalog, record.provider), clock);
    return await toConnection(record, standing, { caller, ids });
  }

  async #showAttempt(caller: WorkspaceCaller, attempt: LoginAttempt): Promise<ConnectionAttempt> {
    const { store, ids } = this.#parts;
    const isConnected = attempt.phase === "connected";
    const record = isConnected ? store.find(attempt.by.workspaceId, attempt.login.provider.provider) : undefined;
    return await toAttempt(attempt, record === undefined ? undefined : await this.#show(caller, record), ids);
  }
}

function beginnerOf({ workspaceId, actor, userId, key }: WorkspaceCaller): LoginAttempt["by"] {
  return { workspaceId, actor, userId, ...(key !== undefined && { key: { keyId: key.keyId, label: key.label } }) };
}

function whoOf({ by }: LoginAttempt): string {
  return by.key === undefined ? "a user of it" : `its key ${by.key.label}`;
}

function replacedMeanwhile(provider: string): ApiError {
  const message = `Somebody connected an account at ${provider} anew while the one before was being removed; the new one stays. Remove it too, if it is not wanted`;
  return new ApiError("conflict", message, { extra: { next: `mkt connections remove ${provider}` } });
}

/** Whether the key's own limits let it run anything of the provider. */
function mayRun({ key }: WorkspaceCaller, provider: string): boolean {
  if (key === undefined) return true;
  const isOwn = key.endpoints?.some((endpoint) => endpoint.startsWith(`${provider}/`)) ?? true;
  return isOwn && (key.providers?.includes(provider) ?? true);
}

function parametersOf(query: CallbackQuery): URLSearchParams {
  const members = Object.entries(query).filter((member): member is [string, string] => member[1] !== undefined);
  return new URLSearchParams(members);
}

/** An address that may not be called is the operator's to open, not a failure of this service. */
async function refusedAddress<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "AddressRefusedError") throw error;
    throw new ApiError("unavailable", error.message, { errorCode: "NOT_CONFIGURED", cause: error });
  }
}
