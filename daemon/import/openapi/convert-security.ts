import type { Auth, Secret } from "../../manifest/manifest.ts";
import { FORBIDDEN_HEADERS } from "../../manifest/forbidden-headers.ts";
import type { ApiOperation, ApiParameter } from "./api-operation.ts";
import { cleanLine, removeControls } from "../clean-text.ts";
import { parameterKey } from "./convert-parameters.ts";
import type { ImportNotes } from "../import-notes.ts";
import { isKeyByLook } from "./key-by-look.ts";
import { isMembers, listOf, memberOf, type Members, textOf } from "../members.ts";
import type { ReferenceResolver } from "./reference-resolver.ts";
import { SecretNames } from "./secret-names.ts";

/** How one operation proves who calls. */
export interface OperationSecurity {
  readonly auth: readonly Auth[];
  /** Names of the secrets that it needs. */
  readonly secrets: readonly string[];
  /** It can be called without them too. */
  readonly optional: boolean;
  /** Nothing that this version can do is enough. */
  readonly unusable?: string;
  /** Parameters that are credentials and so no input. */
  readonly keys: ReadonlySet<string>;
}

export interface SecurityFacts {
  readonly root: Members;
  readonly isSwagger: boolean;
  readonly resolver: ReferenceResolver;
  readonly notes: ImportNotes;
  readonly slug: string;
  /** Token addresses may be relative to where the document is. */
  readonly ref: string;
}

interface UsableScheme {
  readonly weight: number;
  readonly auth: Auth;
  readonly secrets: readonly string[];
}

type Scheme = UsableScheme | { readonly unusable: string };

/** The simplest first: what is easiest to get and to keep. */
const WEIGHTS = { apiKey: 1, bearer: 2, basic: 3, clientCredentials: 4, userToken: 5 };

/** Reads the security of a whole document; secrets are named as operations are met, so that unused schemes name none. */
export class SecurityReader {
  readonly #facts: SecurityFacts;
  readonly #secrets: SecretNames;
  readonly #userTokens = new Set<string>();

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
    const demands = alternatives.filter(isMembers);
    const optional = demands.some((demand) => Object.keys(demand).length === 0);
    const read = demands.filter((demand) => Object.keys(demand).length > 0).map((demand) => this.#readDemand(demand));
    const usable = read.filter((one) => "auth" in one).sort((one, other) => one.weight - other.weight);
    const [best] = usable;
    if (best !== undefined) return { ...best, optional, keys: keysSentBy(best.auth, operation.parameters) };
    const [failed] = read;
    if (failed !== undefined && "unusable" in failed && !optional) {
      return { auth: [], secrets: [], optional, unusable: failed.unusable, keys: new Set() };
    }
    return this.#byLook(operation.parameters);
  }

  /** All schemes of one demand together. */
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

  #readScheme(name: string, scopes: unknown): Scheme {
    const { root, isSwagger, resolver } = this.#facts;
    const schemes = isSwagger
      ? memberOf(root, "securityDefinitions")
      : memberOf(memberOf(root, "components"), "securitySchemes");
    const shown = cleanLine(name, 60);
    let scheme = memberOf(schemes, name);
    try {
      scheme = resolver.follow({ value: scheme, file: "" }).value;
    } catch (error) {
      return { unusable: `its security scheme ${shown} cannot be read: ${(error as Error).message}` };
    }
    if (!isMembers(scheme)) return { unusable: `its security scheme ${shown} is declared nowhere` };
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

  /** What a person must log in for: the token they got is the secret. */
  #userToken(id: string, scheme: Members, kind: string): UsableScheme {
    if (!this.#userTokens.has(id)) {
      const words = `${kind} logins of users are not done: set the token that a login gave as the secret`;
      this.#facts.notes.add(words, cleanLine(id, 60));
    }
    this.#userTokens.add(id);
    return this.#bearer(id, scheme, WEIGHTS.userToken);
  }

  /** Keys that stand among the parameters, with no security scheme to say so. */
  #byLook(parameters: readonly ApiParameter[]): OperationSecurity {
    const found = parameters.filter(isKeyByLook).slice(0, 5);
    const schemes = found.map((parameter) => this.#keyParameter(parameter));
    return {
      auth: schemes.map(({ auth }) => auth),
      secrets: schemes.flatMap(({ secrets }) => secrets),
      optional: found.length > 0 && found.every(({ required }) => !required),
      keys: new Set(found.map(parameterKey)),
    };
  }

  #keyParameter({ name, in: place, description }: ApiParameter): UsableScheme {
    const scheme = { description };
    if (/^authorization$/i.test(name) && /bearer|oauth|jwt/i.test(description)) {
      return this.#bearer("parameter authorization", scheme, WEIGHTS.bearer);
    }
    const secret = this.#secrets.name(`parameter ${name}`, "key", describe(scheme, "API key"));
    const where = place === "header" ? "header" : "query";
    return {
      weight: WEIGHTS.apiKey,
      auth: { type: "apiKey", in: where, name, value: reference(secret) },
      secrets: [secret],
    };
  }
}

/** The flows of one login are written as several schemes in thousands of documents: the token of either is the token. */
function oneLogin(schemes: readonly UsableScheme[]): readonly UsableScheme[] {
  const isLogin = ({ weight }: UsableScheme) => weight === WEIGHTS.userToken;
  return schemes.filter((scheme, index) => !isLogin(scheme) || schemes.findIndex(isLogin) === index);
}

function setsAuthorization(auth: Auth): boolean {
  return auth.type !== "apiKey" || (auth.in === "header" && auth.name.toLowerCase() === "authorization");
}

/** Parameters that the chosen auth sends already. */
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

function describe(scheme: Members, otherwise: string): string {
  return cleanLine(memberOf(scheme, "description"), 200) || otherwise;
}

/** Where tokens are got; https only, because the client's secret goes there. */
function tokenAddress(written: string | undefined, ref: string): string | undefined {
  if (written === undefined || written.trim() === "") return undefined;
  try {
    const url = new URL(written.trim(), /^https?:\/\//i.test(ref) ? ref : undefined);
    return url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : undefined;
  } catch {
    return undefined;
  }
}
