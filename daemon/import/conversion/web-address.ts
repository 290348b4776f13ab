/** Without what an address cannot hold, a terminal acts on or nobody sees. */
const WRITTEN = /^https?:\/\/[^\s<>"{}|\\^`\p{Cc}\p{Cf}\p{Cs}]+$/iu;

/** An address of the web that a person may be sent to, as it is written: without credentials. Undefined for all else. */
export function webAddress(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > 500 || !WRITTEN.test(text)) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  return username === "" && password === "" ? text : undefined;
}
