import { memberOf } from "../../../../shared/member-of.ts";
import type { Auth, Secret } from "../../../manifest/manifest.ts";
import { FORBIDDEN_HEADERS } from "../../../manifest/forbidden-headers.ts";
import type { ApiOperation, ApiParameter } from "../operations/api-operation.ts";
import { cleanLine, removeControls } from "../../conversion/clean-text.ts";
import { parameterKey } from "../requests/convert-parameters.ts";
import type { ImportNotes } from "../../conversion/import-notes.ts";
import { isKeyByLook } from "./key-by-look.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { entriesOf, listOf, type Members, textOf } from "../../conversion/members.ts";
import type { ReferenceResolver } from "../document/reference-resolver.ts";
import { SecretNames } from "./secret-names.ts";

/** How one operation authenticates. */
export interface OperationSecurity {
  readonly auth: readonly Auth[];
  /** Names of the secrets that it sends. */
  readonly secrets: readonly string[];
  /** Those that it can do without although it needs the others. */
  readonly spare?: ReadonlySet<string>;
  /** Placeholder of the path → the secret that replaces it. */
  readonly inPath?: ReadonlyMap<string, string>;
  /** It also works without them. */
  readonly optional: boolean;
  /** The reason, when this version supports none of the alternatives. */
  readonly unusable?: string;
  /** Fields of the body that are credentials and therefore no input. */
  readonly inBody?: ReadonlySet<string>;
  /** Parameters that are credentials and therefore no input. */
  readonly keys: ReadonlySet<string>;
}

export interface SecurityFacts {
  readonly root: Members;
  readonly isSwagger: boolean;
  readonly resolver: ReferenceResolver;
  readonly notes: ImportNotes;
  readonly slug: string;
  /** Base of relative token addresses: the address of the document. */
  readonly ref: string;
}

interface UsableScheme {
  readonly weight: number;
  readonly auth: Auth;
  readonly secrets: readonly string[];
}

type Scheme = UsableScheme | { readonly unusable: string };

/** The simplest first: the ones that are easiest to obtain and keep. */
const WEIGHTS = { apiKey: 1, bearer: 2, basic: 3, clientCredentials: 4, userToken: 5 };

/**
 * Reads the security of a whole document; secrets are named when an operation uses them, so that unused schemes get no
 * name.
 */
export class SecurityReader {
  readonly #facts: SecurityFacts;
  readonly #secrets: SecretNames;
  readonly #userTokens = new Set<string>();
  #declaredKeys: ReadonlyMap<string, string> | undefined;

  constructor(facts: SecurityFacts) {
    this.#facts = facts;
    this.#secrets = new SecretNames(facts.slug);
  }

  /** The declaration of a secret that `read` named. */
  secret(name: string): Omit<Secret, "optional"> {
    return this.#secrets.declaration(name);
  }

  read(operation: ApiOperation): OperationSecurity {
    const { root } = this.#facts;
    const own = memberOf(operation.place.operation, "security");
    const alternatives = Array.isArray(own) ? (own as unknown[]) : listOf(root, "security");
    const demands = alternatives.filter(isRecord);
    const optional = demands.some((demand) => Object.keys(demand).length === 0);
    const read = demands.filter((demand) => Object.keys(demand).length > 0).map((demand) => this.#readDemand(demand));
    const usable = read.filter((one) => "auth" in one).sort((one, other) => one.weight - other.weight);
    const [best] = usable;
    const looks = this.#keysByLook(operation);
    if (best !== undefined) {
      const sent = keysSentBy(best.auth, operation.parameters);
      return this.#besideScheme({ ...best, optional, keys: sent }, looks);
    }
    const [failed] = read;
    const isOff = failed !== undefined && "unusable" in failed && !optional && looks.length === 0;
    if (isOff) return { auth: [], secrets: [], optional, unusable: failed.unusable, keys: new Set() };
    // If a required scheme cannot be read, its key is required, whatever the parameter says.
    const isDemanded = failed !== undefined && !optional;
    return this.#byLook(isDemanded ? looks.map((one) => ({ ...one, required: true })) : looks);
  }

  /** Reads all schemes of one requirement. */
  #readDemand(demand: Members): { auth: Auth[]; secrets: string[]; weight: number } | { readonly unusable: string } {
    const schemes = Object.entries(demand)
      .slice(0, 10)
      .map(([name, scopes]) => this.#readScheme(name, scopes));
    const failed = schemes.find((scheme) => "unusable" in scheme);
    if (failed !== undefined && "unusable" in failed) return failed;
    const usable = oneLogin(schemes.filter((scheme): scheme is UsableScheme => "auth" in scheme));
    if (usable.filter(({ auth }) => setsAuthorization(auth)).length > 1) {
      return { unusable: "it needs two values in the header Authorization at once" };
    }
    return {
      auth: usable.map(({ auth }) => auth),
      secrets: usable.flatMap(({ secrets }) => secrets),
      weight: usable.reduce((sum, { weight }) => sum + weight, 0),
    };
  }

  #readScheme(written: string, scopes: unknown): Scheme {
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
        return this.#oauth(name, scheme, scopes);
      case "openidconnect":
        return this.#userToken(name, scheme, "OpenID Connect");
      default:
        return {
          unusable: `its security scheme ${shown} is of the kind ${cleanLine(memberOf(scheme, "type"), 40) || "nothing"}, which is not supported`,
        };
    }
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
    const secret = this.#secrets.name(id, "key", describe(scheme, "API key"));
    return {
      weight: WEIGHTS.apiKey,
      auth: { type: "apiKey", in: place, name, value: reference(secret) },
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
    const secret = this.#secrets.name(id, "token", describe(scheme, "Bearer token"));
    return { weight, auth: { type: "bearer", token: reference(secret) }, secrets: [secret] };
  }

  #basic(id: string, scheme: Members): UsableScheme {
    const username = this.#secrets.name(id, "username", describe(scheme, "Name of the user"));
    const password = this.#secrets.name(id, "password", "Password of the user");
    const auth: Auth = { type: "basic", username: reference(username), password: reference(password) };
    return { weight: WEIGHTS.basic, auth, secrets: [username, password] };
  }

  #oauth(id: string, scheme: Members, scopes: unknown): Scheme {
    const flows = memberOf(scheme, "flows");
    const isApplication = textOf(scheme, "flow") === "application";
    const flow = isApplication ? scheme : memberOf(flows, "clientCredentials");
    const tokenUrl = tokenAddress(textOf(flow, "tokenUrl"), this.#facts.ref);
    if (flow === undefined || tokenUrl === undefined) return this.#userToken(id, scheme, "OAuth");
    const clientId = this.#secrets.name(id, "clientId", describe(scheme, "OAuth client id"));
    const clientSecret = this.#secrets.name(id, "clientSecret", "OAuth client secret");
    const wanted = (Array.isArray(scopes) ? scopes : []).filter(
      (scope) => typeof scope === "string" && /^[\x21-\x7e]{1,200}$/.test(scope),
    );
    return {
      weight: WEIGHTS.clientCredentials,
      auth: {
        type: "clientCredentials",
        tokenUrl,
        clientId: reference(clientId),
        clientSecret: reference(clientSecret),
        ...(wanted.length > 0 && { scope: wanted.join(" ") }),
        style: "basic",
      },
      secrets: [clientId, clientSecret],
    };
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

  /** Parameters that carry credentials: by name, by description, or because a declared scheme names them. */
  #keysByLook(operation: ApiOperation): readonly KeyParameter[] {
    const { path } = operation.place;
    const declared = this.#declared();
    const known = new Set(operation.parameters.filter((one) => one.in === "path").map(({ name }) => name));
    const undeclared = [...path.matchAll(/(?<!\$)\{([^{}/.]{1,80})\}/g)].flatMap(([, name = ""]): KeyParameter[] =>
      known.has(name) ? [] : [{ name, in: "path", required: true, description: "" }],
    );
    return [...operation.parameters, ...undeclared]
      .filter((one) => declared.has(parameterKey(one)) || isKeyByLook(one, path))
      .filter((one) => one.in !== "header" || isHeaderName(one.name))
      .slice(0, MAX_KEYS);
  }

  /** The places of the keys of all declared schemes, used or not → the scheme. */
  #declared(): ReadonlyMap<string, string> {
    if (this.#declaredKeys !== undefined) return this.#declaredKeys;
    const places = entriesOf(this.#schemes()).flatMap(([id, scheme]): [string, string][] => {
      const [name, place] = [textOf(scheme, "name") ?? "", textOf(scheme, "in")];
      const isKey = textOf(scheme, "type")?.toLowerCase() === "apikey";
      return isKey && (place === "header" || place === "query") ? [[parameterKey({ in: place, name }), id]] : [];
    });
    this.#declaredKeys = new Map(places);
    return this.#declaredKeys;
  }

  /** A key parameter beside a scheme is the same credential written twice, if it is of the same kind. */
  #besideScheme(found: OperationSecurity, looks: readonly KeyParameter[]): OperationSecurity {
    const [only, ...others] = found.auth;
    const [same, ...more] = found.secrets;
    const isOne = only !== undefined && others.length === 0 && same !== undefined && more.length === 0;
    // OpenAPI ignores a parameter of this name. OpenAPI, "Parameter Object".
    const left = looks.filter((one) => !found.keys.has(parameterKey(one)) && !/^authorization$/i.test(one.name));
    const own: KeyParameter[] = [];
    const twins: KeyParameter[] = [];
    for (const one of left) (isOne && isSameKind(only, one) ? twins : own).push(one);
    // An optional one is not needed, because the scheme sends the credential.
    const repeated = twins.filter(({ required }) => required).map((one) => ({ one, secret: same ?? "" }));
    const added = this.#keyParameters(own);
    return {
      ...found,
      auth: [...found.auth, ...repeated.flatMap(({ one, secret }) => keyAuth(one, secret)), ...added.auth],
      secrets: [...found.secrets, ...added.secrets],
      spare: added.spare,
      inPath: new Map([...repeated.flatMap(({ one, secret }) => pathSecret(one, secret)), ...added.inPath]),
      keys: new Set([...found.keys, ...left.map(parameterKey)]),
    };
  }

  /** Keys among the parameters without a security scheme. */
  #byLook(looks: readonly KeyParameter[]): OperationSecurity {
    const { auth, secrets, spare, inPath } = this.#keyParameters(looks);
    const optional = looks.length > 0 && looks.every(({ required }) => !required);
    return { auth, secrets, spare, inPath, optional, keys: new Set(looks.map(parameterKey)) };
  }

  #keyParameters(looks: readonly KeyParameter[]) {
    const auth: Auth[] = [];
    const secrets = new Set<string>();
    const needed = new Set<string>();
    const inPath = new Map<string, string>();
    for (const one of looks) {
      const isBearer = /^authorization$/i.test(one.name) && /bearer|oauth|jwt/i.test(one.description);
      const secret = isBearer
        ? this.#secrets.name("parameter authorization", "token", describe(one, "Bearer token"))
        : this.#secrets.name(
            this.#declared().get(parameterKey(one)) ?? `parameter ${one.name}`,
            "key",
            describe(one, "API key"),
          );
      secrets.add(secret);
      if (one.required) needed.add(secret);
      if (isBearer) auth.push({ type: "bearer", token: reference(secret) });
      else auth.push(...keyAuth(one, secret));
      for (const [name, value] of pathSecret(one, secret)) inPath.set(name, value);
    }
    const spare = new Set([...secrets].filter((name) => !needed.has(name)));
    return { auth, secrets: [...secrets], spare, inPath };
  }

  /** Fields of a body that are keys → the auth that sends them. Extends the result of `read` for the same operation. */
  readBody(
    found: OperationSecurity,
    { fields, path, isForm }: { fields: readonly BodyField[]; path: string; isForm: boolean },
  ): OperationSecurity {
    const looks = fields
      .filter(({ name, description }) => isKeyByLook({ name, description, in: isForm ? "form" : "body" }, path))
      .slice(0, MAX_KEYS);
    if (looks.length === 0) return found;
    const [same] = found.secrets;
    const isOne = found.auth.length === 1 && found.secrets.length === 1;
    const added = looks.map((one): { auth: Auth; secret: string } => {
      const isTwin = isOne && found.auth[0] !== undefined && isSameKind(found.auth[0], one);
      const secret =
        isTwin && same !== undefined
          ? same
          : this.#secrets.name(`parameter ${one.name}`, "key", describe(one, "API key"));
      return { secret, auth: { type: "apiKey", in: "body", name: one.name, value: reference(secret) } };
    });
    const needed = new Set(looks.flatMap(({ required }, index) => (required ? [added[index]?.secret] : [])));
    const spare = added.map(({ secret }) => secret).filter((name) => !needed.has(name) && name !== same);
    return {
      ...found,
      auth: [...found.auth, ...added.map(({ auth }) => auth)],
      secrets: [...new Set([...found.secrets, ...added.map(({ secret }) => secret)])],
      spare: new Set([...(found.spare ?? []), ...spare]),
      optional: found.auth.length === 0 ? needed.size === 0 : found.optional,
      inBody: new Set(looks.map(({ name }) => name)),
    };
  }

  #schemes(): unknown {
    const { root, isSwagger } = this.#facts;
    return isSwagger
      ? memberOf(root, "securityDefinitions")
      : memberOf(memberOf(root, "components"), "securitySchemes");
  }
}

/** A field of a body; only what is needed to recognise a key. */
export interface BodyField {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

type KeyParameter = Pick<ApiParameter, "name" | "in" | "required" | "description">;

const MAX_KEYS = 5;

function keyAuth({ name, in: place }: KeyParameter, secret: string): Auth[] {
  return place === "path" ? [] : [{ type: "apiKey", in: place, name, value: reference(secret) }];
}

function pathSecret({ name, in: place }: KeyParameter, secret: string): [string, string][] {
  return place === "path" ? [[name, secret]] : [];
}

/** A token beside a bearer token, or a key beside a key. */
function isSameKind(auth: Auth, { name }: { readonly name: string }): boolean {
  if (auth.type === "bearer") return /token|auth/i.test(name);
  return auth.type === "apiKey" && !/(?:user|auth|access|session)[-_]?token/i.test(name);
}

function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !FORBIDDEN_HEADERS.has(name.toLowerCase());
}

/** In thousands of documents the flows of one login are separate schemes; the token of any of them is the same. */
function oneLogin(schemes: readonly UsableScheme[]): readonly UsableScheme[] {
  const isLogin = ({ weight }: UsableScheme) => weight === WEIGHTS.userToken;
  return schemes.filter((scheme, index) => !isLogin(scheme) || schemes.findIndex(isLogin) === index);
}

function setsAuthorization(auth: Auth): boolean {
  return auth.type !== "apiKey" || (auth.in === "header" && auth.name.toLowerCase() === "authorization");
}

/** Parameters that the chosen auth already sends. */
function keysSentBy(auths: readonly Auth[], parameters: readonly ApiParameter[]): ReadonlySet<string> {
  const sent = new Set(
    auths.flatMap((auth) =>
      auth.type === "apiKey" && auth.in !== "body" ? [parameterKey({ in: auth.in, name: auth.name })] : [],
    ),
  );
  return new Set(parameters.map(parameterKey).filter((key) => sent.has(key)));
}

function reference(secret: string): string {
  return `\${secret.${secret}}`;
}

function describe(scheme: { readonly description?: unknown }, otherwise: string): string {
  return cleanLine(scheme.description, 200) || otherwise;
}

/** The token address; https only, because the client's secret is sent there. */
function tokenAddress(written: string | undefined, ref: string): string | undefined {
  if (written === undefined || written.trim() === "") return undefined;
  try {
    const url = new URL(written.trim(), /^https?:\/\//i.test(ref) ? ref : undefined);
    return url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
