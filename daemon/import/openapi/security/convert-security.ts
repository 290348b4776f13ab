import { memberOf } from "../../../../shared/member-of.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import type { Auth, Secret } from "../../../manifest/manifest.ts";
import { listOf, type Members } from "../../conversion/members.ts";
import type { ApiOperation, ApiParameter } from "../operations/api-operation.ts";
import { parameterKey } from "../requests/convert-parameters.ts";
import { isKeyByLook } from "./key-by-look.ts";
import { authOfKeys, keyAuth, type KeyParameter, keysByLook, MAX_KEYS, pathSecret } from "./keys-in-parameters.ts";
import { describeSecret, SecretNames, secretReference } from "./secret-names.ts";
import type { SecurityFacts } from "./security-facts.ts";
import { SchemeReader, type UsableScheme, WEIGHTS } from "./security-schemes.ts";

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

/**
 * Reads the security of a whole document; secrets are named when an operation uses them, so that unused schemes get no
 * name.
 */
export class SecurityReader {
  readonly #facts: SecurityFacts;
  readonly #secrets: SecretNames;
  readonly #schemes: SchemeReader;

  constructor(facts: SecurityFacts) {
    this.#facts = facts;
    this.#secrets = new SecretNames(facts.slug);
    this.#schemes = new SchemeReader(facts, this.#secrets);
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
    const looks = keysByLook(operation, this.#schemes.keys());
    // Without an account, a login refuses the run; a token in a parameter has to be a secret.
    const isLogin = !optional && !looks.some((one) => one.required && isToken(one));
    const read = demands
      .filter((demand) => Object.keys(demand).length > 0)
      .map((demand) => this.#readDemand(demand, isLogin));
    const usable = read.filter((one) => "auth" in one).sort((one, other) => one.weight - other.weight);
    const [best] = usable;
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
  #readDemand(
    demand: Members,
    isLogin: boolean,
  ): { auth: Auth[]; secrets: string[]; weight: number } | { readonly unusable: string } {
    const schemes = Object.entries(demand)
      .slice(0, 10)
      .map(([name, scopes]) => this.#schemes.read(name, scopes, isLogin));
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
    const added = authOfKeys(own, this.#secrets, this.#schemes.keys());
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
    const { auth, secrets, spare, inPath } = authOfKeys(looks, this.#secrets, this.#schemes.keys());
    const optional = looks.length > 0 && looks.every(({ required }) => !required);
    return { auth, secrets, spare, inPath, optional, keys: new Set(looks.map(parameterKey)) };
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
          : this.#secrets.name(`parameter ${one.name}`, "key", describeSecret(one, "API key"));
      return { secret, auth: { type: "apiKey", in: "body", name: one.name, value: secretReference(secret) } };
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
}

/** A field of a body; only what is needed to recognise a key. */
export interface BodyField {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A token beside a bearer token, or a key beside a key. */
function isSameKind(auth: Auth, { name }: { readonly name: string }): boolean {
  if (auth.type === "bearer") return isToken({ name });
  return auth.type === "apiKey" && !/(?:user|auth|access|session)[-_]?token/i.test(name);
}

function isToken({ name }: { readonly name: string }): boolean {
  return /token|auth/i.test(name) && !/^authorization$/i.test(name);
}

/** In thousands of documents the flows of one login are separate schemes; the token of any of them is the same. */
function oneLogin(schemes: readonly UsableScheme[]): readonly UsableScheme[] {
  const isLogin = ({ weight }: UsableScheme) => weight === WEIGHTS.login || weight === WEIGHTS.userToken;
  const [best] = schemes.filter(isLogin).sort((one, other) => one.weight - other.weight);
  return schemes.filter((scheme) => !isLogin(scheme) || scheme === best);
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
