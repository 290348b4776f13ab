import type { WorkspaceId } from "../base/ids.ts";
import type { CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import type { LoginAuth } from "../manifest/login-auth.ts";
import { ExchangeError } from "./sending/send.ts";

/** A call that is made with the account of a workspace. */
export interface AccountCall {
  /** Absent for a call that belongs to no workspace, such as a trial of a provider's file. */
  readonly workspaceId: WorkspaceId | undefined;
  /** The id of the connection that it has to be; absent: whichever the workspace has. */
  readonly account?: string;
  /** The version of the file under which the run began. */
  readonly provider: CatalogProvider;
  readonly auth: LoginAuth;
  /** Where the access token will be sent. */
  readonly baseUrl: string;
  readonly allowPrivateNetwork: boolean;
  /** Values of the provider's secrets. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Access tokens of the accounts that workspaces have connected by a login. docs/connections.md. */
export interface AccountTokens {
  /**
   * Renews the token first if it is about to expire. Throws NotConnectedError, or ExchangeError with `maybeExecuted:
   * false` if it cannot be renewed now.
   */
  get(call: AccountCall): Promise<string>;
  /** After a 401. True if the next `get` gives another token, or says why there is none. */
  refuse(call: AccountCall, token: string): boolean;
  /** The provider answered a call with this token well. */
  worked(call: AccountCall, token: string): void;
}

/** Only a new login helps: nothing was sent to the provider. */
export class NotConnectedError extends ExchangeError {
  readonly next: string;

  constructor(message: string, { next }: { readonly next: string }) {
    super(message, { kind: "refused", maybeExecuted: false });
    this.next = next;
  }
}

/** For calls outside of a daemon, which keeps the accounts. */
export const noAccounts: AccountTokens = {
  get: async ({ provider: { provider } }) => {
    const next = `mkt connect ${provider}`;
    throw new NotConnectedError(`no account is connected at ${provider}: ${next}`, { next });
  },
  refuse: () => false,
  worked: () => {},
};
