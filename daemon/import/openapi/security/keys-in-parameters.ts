import type { Auth } from "../../../manifest/manifest.ts";
import { FORBIDDEN_HEADERS } from "../../../manifest/forbidden-headers.ts";
import type { ApiOperation, ApiParameter } from "../operations/api-operation.ts";
import { parameterKey } from "../requests/convert-parameters.ts";
import { isKeyByLook } from "./key-by-look.ts";
import { describeSecret, secretReference, type SecretNames } from "./secret-names.ts";

/** A parameter that carries a credential. */
export type KeyParameter = Pick<ApiParameter, "name" | "in" | "required" | "description">;

export const MAX_KEYS = 5;

/** The auth of parameters that carry credentials. */
export interface KeysOfParameters {
  readonly auth: readonly Auth[];
  readonly secrets: readonly string[];
  /** Those that no required parameter needs. */
  readonly spare: ReadonlySet<string>;
  /** Placeholder of the path → the secret that replaces it. */
  readonly inPath: ReadonlyMap<string, string>;
}

/** Parameters that carry credentials: by name, by description, or because a declared scheme names them. */
export function keysByLook(operation: ApiOperation, declared: ReadonlyMap<string, string>): readonly KeyParameter[] {
  const { path } = operation.place;
  const known = new Set(operation.parameters.filter((one) => one.in === "path").map(({ name }) => name));
  const undeclared = [...path.matchAll(/(?<!\$)\{([^{}/.]{1,80})\}/g)].flatMap(([, name = ""]): KeyParameter[] =>
    known.has(name) ? [] : [{ name, in: "path", required: true, description: "" }],
  );
  return [...operation.parameters, ...undeclared]
    .filter((one) => declared.has(parameterKey(one)) || isKeyByLook(one, path))
    .filter((one) => one.in !== "header" || isHeaderName(one.name))
    .slice(0, MAX_KEYS);
}

/** Names their secrets and says how they are sent; `declared` has the places of the keys of all schemes. */
export function authOfKeys(
  looks: readonly KeyParameter[],
  secretNames: SecretNames,
  declared: ReadonlyMap<string, string>,
): KeysOfParameters {
  const auth: Auth[] = [];
  const secrets = new Set<string>();
  const needed = new Set<string>();
  const inPath = new Map<string, string>();
  for (const one of looks) {
    const isBearer = /^authorization$/i.test(one.name) && /bearer|oauth|jwt/i.test(one.description);
    const secret = isBearer
      ? secretNames.name("parameter authorization", "token", describeSecret(one, "Bearer token"))
      : secretNames.name(
          declared.get(parameterKey(one)) ?? `parameter ${one.name}`,
          "key",
          describeSecret(one, "API key"),
        );
    secrets.add(secret);
    if (one.required) needed.add(secret);
    if (isBearer) auth.push({ type: "bearer", token: secretReference(secret) });
    else auth.push(...keyAuth(one, secret));
    for (const [name, value] of pathSecret(one, secret)) inPath.set(name, value);
  }
  const spare = new Set([...secrets].filter((name) => !needed.has(name)));
  return { auth, secrets: [...secrets], spare, inPath };
}

export function keyAuth({ name, in: place }: KeyParameter, secret: string): Auth[] {
  return place === "path" ? [] : [{ type: "apiKey", in: place, name, value: secretReference(secret) }];
}

export function pathSecret({ name, in: place }: KeyParameter, secret: string): [string, string][] {
  return place === "path" ? [[name, secret]] : [];
}

function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && !FORBIDDEN_HEADERS.has(name.toLowerCase());
}
