/** Excludes characters that an address cannot contain, that a terminal acts on, or that are invisible. */
const WRITTEN = /^https?:\/\/[^\s<>"{}|\\^`\p{Cc}\p{Cf}\p{Cs}]+$/iu;

/** A web address that may be shown to a person, unchanged and without credentials. Undefined for anything else. */
export function webAddress(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > 500 || !WRITTEN.test(text)) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  return username === "" && password === "" ? text : undefined;
}
