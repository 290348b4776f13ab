import { memberOf } from "../../../../shared/member-of.ts";
import type { LoginAuth } from "../../../manifest/login-auth.ts";
import type { Auth } from "../../../manifest/manifest.ts";
import { FORBIDDEN_HEADERS } from "../../../manifest/forbidden-headers.ts";
import { cleanLine, removeControls } from "../../conversion/clean-text.ts";
import { parameterKey } from "../requests/convert-parameters.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, type Members, textOf } from "../../conversion/members.ts";
import { describeSecret, secretReference, type SecretNames } from "./secret-names.ts";
import type { SecurityFacts } from "./security-facts.ts";

export interface UsableScheme {
  readonly weight: number;
  readonly auth: Auth;
  readonly secrets: readonly string[];
}

export type Scheme = UsableScheme | { readonly unusable: string };

/** The simplest first: the ones that are easiest to obtain and keep. */
export const WEIGHTS = { apiKey: 1, bearer: 2, basic: 3, clientCredentials: 4, login: 5, userToken: 6 };

/** Reads the security schemes that a document declares. */
export class SchemeReader {
  readonly #facts: SecurityFacts;
  readonly #secrets: SecretNames;
  readonly #userTokens = new Set<string>();
  #login: LoginAuth | undefined;
  #declaredKeys: ReadonlyMap<string, string> | undefined;

  constructor(facts: SecurityFacts, secrets: SecretNames) {
    this.#facts = facts;
    this.#secrets = secrets;
  }

  /**
   * A scheme as an operation demands it, by the name and with the scopes that are written there. `isLogin`: whether a
   * person's login can be the way; else its token is a secret.
   */
  read(written: string, scopes: unknown, isLogin: boolean): Scheme {
    const { resolver } = this.#facts;
    const schemes = this.#schemes();
    // By its declared name, so that one scheme is one secret.
    const name = memberOf(schemes, written) === undefined ? (this.#meantBy(written) ?? written) : written;
    const shown = cleanLine(name, 60);
    let scheme = memberOf(schemes, name);
    try {
      scheme = resolver.follow({ value: scheme, file: "" }).value;
    } catch (error) {
      return { unusable: `its security scheme ${shown} cannot be read: ${(error as Error).message}` };
    }
    if (!isRecord(scheme)) return { unusable: `its security scheme ${shown} is declared nowhere` };
    switch (textOf(scheme, "type")?.toLowerCase()) {
      case "apikey":
        return this.#apiKey(name, scheme);
      case "basic":
        return this.#basic(name, scheme);
      case "http":
        return this.#http(name, scheme);
      case "oauth2":
        return this.#oauth(name, scheme, { scopes, isLogin });
      case "openidconnect":
        return this.#userToken(name, scheme, "OpenID Connect");
      default:
        return {
          unusable: `its security scheme ${shown} is of the kind ${cleanLine(memberOf(scheme, "type"), 40) || "nothing"}, which is not supported`,
        };
    }
  }

  /** The places of the keys of all declared schemes, used or not → the scheme. */
  keys(): ReadonlyMap<string, string> {
    if (this.#declaredKeys !== undefined) return this.#declaredKeys;
    const places = entriesOf(this.#schemes()).flatMap(([id, scheme]): [string, string][] => {
      const [name, place] = [textOf(scheme, "name") ?? "", textOf(scheme, "in")];
      const isKey = textOf(scheme, "type")?.toLowerCase() === "apikey";
      return isKey && (place === "header" || place === "query") ? [[parameterKey({ in: place, name }), id]] : [];
    });
    this.#declaredKeys = new Map(places);
    return this.#declaredKeys;
  }

  /** The declared scheme that an undeclared name probably means: one with nearly the same spelling, or the only one. */
  #meantBy(name: string): string | undefined {
    const bare = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    const all = entriesOf(this.#schemes());
    const found = all.find(([other]) => bare(other) === bare(name)) ?? (all.length === 1 ? all[0] : undefined);
    if (found === undefined) return undefined;
    const [other] = found;
    const words = `the security scheme ${cleanLine(name, 60)} is declared nowhere: ${cleanLine(other, 60)} was taken in its place`;
    this.#facts.notes.add(words);
    return other;
  }

  #apiKey(id: string, scheme: Members): Scheme {
    const name = textOf(scheme, "name") ?? "";
    const place = textOf(scheme, "in");
    if (name === "" || (place !== "header" && place !== "query" && place !== "cookie")) {
      return { unusable: `its security scheme ${cleanLine(id, 60)} does not say where the key goes` };
    }
    if (
      place === "header" &&
      /^authorization$/i.test(name) &&
      /bearer/i.test(`${id} ${textOf(scheme, "description") ?? ""}`)
    ) {
      return this.#bearer(id, scheme, WEIGHTS.bearer);
    }
    if (
      place === "header" &&
      (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || FORBIDDEN_HEADERS.has(name.toLowerCase()))
    ) {
      return { unusable: `its key goes into the header ${cleanLine(name, 60)}, which cannot be set` };
    }
    if (place === "cookie" && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      return { unusable: `its key goes into a cookie of the name ${cleanLine(name, 60)}, which no cookie can have` };
    }
    if (removeControls(name) !== name) {
      return {
        unusable: `its key goes into ${cleanLine(name, 60)}, whose real name has characters that cannot be seen`,
      };
    }
    const secret = this.#secrets.name(id, "key", describeSecret(scheme, "API key"));
    return {
      weight: WEIGHTS.apiKey,
      auth: { type: "apiKey", in: place, name, value: secretReference(secret) },
      secrets: [secret],
    };
  }

  #http(id: string, scheme: Members): Scheme {
    const kind = (textOf(scheme, "scheme") ?? "").toLowerCase();
    if (kind === "bearer") return this.#bearer(id, scheme, WEIGHTS.bearer);
    if (kind === "basic") return this.#basic(id, scheme);
    return {
      unusable: `it needs HTTP authentication of the kind ${cleanLine(kind, 40) || "nothing"}, which is not supported`,
    };
  }

  #bearer(id: string, scheme: Members, weight: number): UsableScheme {
    const secret = this.#secrets.name(id, "token", describeSecret(scheme, "Bearer token"));
    return { weight, auth: { type: "bearer", token: secretReference(secret) }, secrets: [secret] };
  }

  #basic(id: string, scheme: Members): UsableScheme {
    const username = this.#secrets.name(id, "username", describeSecret(scheme, "Name of the user"));
    const password = this.#secrets.name(id, "password", "Password of the user");
    const auth: Auth = { type: "basic", username: secretReference(username), password: secretReference(password) };
    return { weight: WEIGHTS.basic, auth, secrets: [username, password] };
  }

  #oauth(id: string, scheme: Members, { scopes, isLogin }: { scopes: unknown; isLogin: boolean }): Scheme {
    const flows = memberOf(scheme, "flows");
    const isApplication = textOf(scheme, "flow") === "application";
    const flow = isApplication ? scheme : memberOf(flows, "clientCredentials");
    const tokenUrl = loginAddress(textOf(flow, "tokenUrl"), this.#facts.ref);
    if (flow === undefined || tokenUrl === undefined) {
      return (isLogin ? this.#userLogin(scheme, scopes) : undefined) ?? this.#userToken(id, scheme, "OAuth");
    }
    const clientId = this.#secrets.name(id, "clientId", describeSecret(scheme, "OAuth client id"));
    const clientSecret = this.#secrets.name(id, "clientSecret", "OAuth client secret");
    return {
      weight: WEIGHTS.clientCredentials,
      auth: {
        type: "clientCredentials",
        tokenUrl,
        clientId: secretReference(clientId),
        clientSecret: secretReference(clientSecret),
        ...scopeOf(scopes),
        style: "basic",
      },
      secrets: [clientId, clientSecret],
    };
  }

  /**
   * The login that `mkt connect` does. A file has one: schemes with the same addresses are the same, and undefined is the
   * answer for another.
   */
  #userLogin(scheme: Members, scopes: unknown): UsableScheme | undefined {
    const isOld = textOf(scheme, "flow")?.toLowerCase() === "accesscode";
    const flow = isOld ? scheme : memberOf(memberOf(scheme, "flows"), "authorizationCode");
    const { ref } = this.#facts;
    const authorizationUrl = loginAddress(textOf(flow, "authorizationUrl"), ref);
    const tokenUrl = loginAddress(textOf(flow, "tokenUrl"), ref);
    if (authorizationUrl === undefined || tokenUrl === undefined) return undefined;
    const refreshUrl = loginAddress(textOf(flow, "refreshUrl"), ref);
    const ownRefresh = refreshUrl === tokenUrl ? undefined : refreshUrl;
    const secrets = [
      this.#secrets.name("login", "clientId", "Id of the OAuth client that you registered"),
      this.#secrets.name("login", "clientSecret", "Secret of the OAuth client that you registered"),
    ] as const;
    if (this.#login === undefined) {
      this.#facts.notes.add(
        "its login is done by mkt connect, where earlier imports had a token as a secret; for a public client delete clientSecret and its secret",
      );
    }
    this.#login ??= {
      type: "oauth2",
      flow: "authorizationCode",
      authorizationUrl,
      tokenUrl,
      ...(ownRefresh !== undefined && { refreshUrl: ownRefresh }),
      clientId: secretReference(secrets[0]),
      clientSecret: secretReference(secrets[1]),
      style: "basic",
    };
    const one = this.#login;
    const isSame = one.authorizationUrl === authorizationUrl && one.tokenUrl === tokenUrl;
    if (!isSame || one.refreshUrl !== ownRefresh) return undefined;
    return { weight: WEIGHTS.login, auth: { ...one, ...scopeOf(scopes) }, secrets };
  }

  /** A scheme that needs a person to log in: the token that they get is the secret. */
  #userToken(id: string, scheme: Members, kind: string): UsableScheme {
    if (!this.#userTokens.has(id)) {
      const words = `${kind} logins of users are not done: set the token that a login gave as the secret`;
      this.#facts.notes.add(words, cleanLine(id, 60));
    }
    this.#userTokens.add(id);
    return this.#bearer(id, scheme, WEIGHTS.userToken);
  }

  #schemes(): unknown {
    const { root, isSwagger } = this.#facts;
    return isSwagger
      ? memberOf(root, "securityDefinitions")
      : memberOf(memberOf(root, "components"), "securitySchemes");
  }
}

function scopeOf(scopes: unknown): { scope?: string } {
  const wanted = (Array.isArray(scopes) ? scopes : []).filter(
    (scope) => typeof scope === "string" && /^[\x21-\x7e]{1,200}$/.test(scope),
  );
  return wanted.length > 0 ? { scope: wanted.join(" ") } : {};
}

/** An address of a login; https only, because the client's secret, or a person's password, is sent there. */
function loginAddress(written: string | undefined, ref: string): string | undefined {
  if (written === undefined || written.trim() === "") return undefined;
  try {
    const url = new URL(written.trim(), /^https?:\/\//i.test(ref) ? ref : undefined);
    return url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
