import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import { findLogin, type LoginAuth } from "../manifest/login-auth.ts";
import { renderClient } from "../providers/request/request-auth.ts";
import type { LoginNow } from "./connection-standing.ts";

/** Everything that a login at a provider, and the renewal of its tokens, needs. */
export interface Login extends LoginNow {
  /** Absent for a public client. */
  readonly clientSecret?: string;
  readonly allowPrivateNetwork: boolean;
  /** Where the access token goes; of a file, the first address. */
  readonly baseUrl: string;
}

export interface LoginParts {
  readonly provider: CatalogProvider;
  readonly auth: LoginAuth;
  readonly secrets: Readonly<Record<string, string>>;
  readonly allowPrivateNetwork: boolean;
  readonly baseUrl: string;
}

/** Throws UnresolvedReferenceError for a secret without a value. */
export function loginOf({ provider, auth, secrets, allowPrivateNetwork, baseUrl }: LoginParts): Login {
  const { id, secret } = renderClient(auth, { secrets, input: {}, runId: "" });
  return { provider, auth, clientId: id, ...(secret !== "" && { clientSecret: secret }), allowPrivateNetwork, baseUrl };
}

/** The login in a provider's file as it is now, with the scopes of all its endpoints; undefined if it has none. */
export function findLoginOf(
  catalog: Pick<Catalog, "entriesOf" | "resolveSecrets">,
  provider: string,
): Login | undefined {
  const entries = catalog.entriesOf(provider);
  const [first] = entries.flatMap((entry) => loginParts(entry));
  if (first === undefined) return undefined;
  const scopes = entries.flatMap(({ http }) => findLogin(http.auth)?.scope?.split(/\s+/) ?? []);
  const scope = [...new Set(scopes.filter((one) => one !== ""))].join(" ");
  const { scope: _own, ...auth } = first.auth;
  return loginOf({
    ...first,
    auth: scope === "" ? auth : { ...auth, scope },
    secrets: catalog.resolveSecrets(first.provider),
  });
}

function loginParts({ provider, http }: CatalogEntry): readonly Omit<LoginParts, "secrets">[] {
  const auth = findLogin(http.auth);
  const { allowPrivateNetwork, baseUrl } = http;
  return auth === undefined ? [] : [{ provider, auth, allowPrivateNetwork, baseUrl }];
}
