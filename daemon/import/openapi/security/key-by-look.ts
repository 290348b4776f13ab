import type { ApiParameter } from "../operations/api-operation.ts";

/** What is used to recognise a caller's key: a parameter, or a field of a body. */
export interface KeyLook {
  readonly name: string;
  /**
   * `form`: a field of a form; `body`: a field of any other body, where the subject of a call may be somebody else's
   * key.
   */
  readonly in: ApiParameter["in"] | "form" | "body";
  readonly description: string;
}

/** Words that turn a following `key` or `token` into a credential: `api_key`, `X-ListenAPI-Key`, `authToken`. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  "api access auth authentication authorization subscription secret private service app application consumer developer dev functions".split(
    " ",
  ),
);
/** The same written as one word, and names that only a key has. */
const WHOLE_WORDS: ReadonlySet<string> = new Set(
  "apikey apitoken accesskey accesstoken authkey authtoken appkey apptoken appid secretkey clientsecret rapidapikey".split(
    " ",
  ),
);
/** Names that are keys if their description says so. */
const MAYBE_NAMES =
  /^(?:(?:user[-_]?)?key|token|auth|app[-_]?id|application[-_]?id|client[-_]?id|x-token|x-auth|x-[\w-]+-(?:key|token))$/i;
const MAYBE_IN_PATH = /^(?:key|token|auth)$/i;
const KEY_WORDS =
  /\b(?:api|app|application|access|auth(?:entication|orization)?|secret|subscription|developer|client|personal|your|security)[ -]?(?:key|token|id)\b|\bauthenticat|\bauthoriz|\bcredential/i;
/** A description that is only about the caller's own key, whatever the name of the parameter. */
const IS_YOUR_KEY =
  /^\W*(?:(?:your|a|an|the|valid|personal|unique)\s+)*(?:[\w.]+\s+){0,2}(?:api|access|auth(?:entication|orization)?|subscription|developer)[ -]?(?:key|token)s?\b(?!\s+(?:id|identifier|name|label|to\s+(?:be\s+)?(?:delete|revoke|check|update|rotate|remove|create)))/i;
/** Names that are never the value of a key, whatever the description says. */
const NO_KEY_NAMES =
  /(?:^|[-_ .]|[a-z])(?:ids?|name|label|type|scope|expiry|expires|format|url|uri|page|cursor|next|csrf|xsrf|idempotency|grant)$/i;
/** Calls whose subject is a key or a token: OAuth's own, and those that manage keys. */
const ABOUT_KEYS =
  /(?:^|[/._-])(?:tokens?|token[-_]?info|introspect|revoke|(?:api|access|auth)[-_]?(?:keys?|tokens?)|keys)(?:[/.]\{[^{}]*\})?\/?$/i;

/**
 * Whether a parameter or a field is the caller's key, although no security scheme says so; then it must not be an
 * input.
 */
export function isKeyByLook(look: KeyLook, path: string): boolean {
  const { name, in: place, description } = look;
  if (/^authorization$/i.test(name)) return place === "header";
  const isAboutKeys = ABOUT_KEYS.test(path);
  if (place === "path") return !isAboutKeys && isKeyInPath(look, path);
  const isNamed = hasKeyName(name) || MAYBE_IN_PATH.test(name);
  const isYours = isNamed && !isAboutKeys && IS_YOUR_KEY.test(description);
  if (place === "form") return isYours;
  if (place === "body") return isYours && /\byour\b/i.test(description);
  if (hasKeyName(name)) return !(isAboutKeys && place === "query" && !/^x-|api/i.test(name));
  if (MAYBE_NAMES.test(name)) return KEY_WORDS.test(description) && !isAboutKeys;
  return !isAboutKeys && !NO_KEY_NAMES.test(name) && name.length <= 30 && IS_YOUR_KEY.test(description);
}

/**
 * `/v1/{apiKey}/search` has the caller's key; in `/keys/{key}` and `/users/{user}/tokens/{token}` a key is the subject.
 */
function isKeyInPath({ name, description }: KeyLook, path: string): boolean {
  const before = path.split("/").at(path.split("/").findIndex((segment) => segment.includes(`{${name}}`)) - 1) ?? "";
  if (/(?:keys?|tokens?|credentials?|secrets?)$/i.test(before)) return false;
  return hasKeyName(name) || (MAYBE_IN_PATH.test(name) && IS_YOUR_KEY.test(description));
}

function hasKeyName(name: string): boolean {
  const words = wordsOf(name);
  const [before = "", last = ""] = words.slice(-2).length === 2 ? words.slice(-2) : ["", ...words];
  if (WHOLE_WORDS.has(last)) return true;
  if (before === "client" && last === "secret") return true;
  return (last === "key" || last === "token") && QUALIFIERS.has(before);
}

/** `X-ListenAPI-Key` → x, listen, api, key. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
