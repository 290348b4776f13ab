/**
 * Letters that no screen shows and that models read: the tag characters (U+E0000 to U+E007F), by which a provider's text can
 * hold instructions that nobody sees. The flags that are made of them (England, Scotland, Wales …) stay.
 */
const hidden = /(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F})|[\u{E0000}-\u{E007F}]/gu;

/** A JSON value without such letters in any text, names of members included. Pure. */
export function withoutHiddenText(value: unknown): unknown {
  if (typeof value === "string") return value.replace(hidden, "$1");
  if (Array.isArray(value)) return value.map(withoutHiddenText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replace(hidden, "$1"), withoutHiddenText(member)]),
  );
}
