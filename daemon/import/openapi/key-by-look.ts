import type { ApiParameter } from "./api-operation.ts";

/** Names that nothing but a key has. */
const KEY_NAMES =
  /^(?:x[-_])?(?:(?:api|access|auth|subscription|secret|service|rapidapi|functions|ocp[-_]apim[-_]subscription)[-_]?(?:key|token)|apikey|appid|app[-_]key|application[-_]key)$/i;
/** Names that are keys where their description says so. */
const MAYBE_KEY_NAMES =
  /^(?:(?:user[-_]?)?key|token|auth|app[-_]?id|application[-_]?id|client[-_]?id|access[-_]?token|x-token|x-auth)$/i;
const KEY_WORDS =
  /\b(?:api|app|application|access|auth(?:entication|orization)?|secret|subscription|developer|client|personal|your|security)[ -]?(?:key|token|id)\b|\bauthenticat|\bauthoriz|\bcredential/i;

/** Whether a parameter without any security scheme is the caller's key all the same: it must not be an input then. */
export function isKeyByLook({ name, in: place, description }: ApiParameter): boolean {
  if (place !== "query" && place !== "header") return false;
  if (/^authorization$/i.test(name)) return place === "header";
  return KEY_NAMES.test(name) || (MAYBE_KEY_NAMES.test(name) && KEY_WORDS.test(description));
}
