/** Texts of a document are cut before they are cleaned, so that five megabytes cost no more than twenty kilobytes. */
const MAX_RAW_CHARACTERS = 20_000;
const MOST_CHARACTERS = 2_000;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  rsquo: "’",
  lsquo: "‘",
  ldquo: "“",
  rdquo: "”",
};

/** What a terminal acts on: commands with a text in them (titles, links), commands with numbers, single ones. ECMA-48. */
const ESCAPES = [
  // eslint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]{0,1000}(?:\u0007|\u001b\\|\u009c)?/g,
  // eslint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]{0,100}[ -/]{0,10}[@-~]?/g,
  // eslint-disable-next-line no-control-regex
  /\u001b[ -~]?/g,
];
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * Characters that change the direction of a text or are invisible: they could disguise a name, or hide text from
 * readers.
 */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Most texts have none of what the replacements below look for: one look instead of twenty. */
const WITHOUT_CONTROLS = /^[\t\n -~]*$/;
const MAYBE_HTML = /[<&]/;
/** Spaces that go or become others; without them a text has its final form. */
const UNEVEN_SPACES = /[\t\u00a0]| {2}|\s\n|\n\s/;
const MAYBE_MARKDOWN = /`|~~~|\[|\*\*|__|^[ \t]*[#>]|^[ \t:|-]{3,}$/m;

/**
 * A text of a document as plain words: HTML and Markdown reduced, control characters, terminal escapes and direction
 * marks removed, at most `most` characters, cut between words. `""` for anything but text.
 */
export function cleanText(value: unknown, most: number = MOST_CHARACTERS): string {
  if (typeof value !== "string") return "";
  const raw = value.slice(0, MAX_RAW_CHARACTERS);
  const plain = reduceMarkdown(reduceHtml(removeControls(raw)));
  const lines = UNEVEN_SPACES.test(plain) ? evenSpaces(plain) : plain.trim();
  return shorten(lines, most);
}

function evenSpaces(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replaceAll(/[ \t\u00a0]+/g, " ").trim())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** The same on one line, for names and labels. */
export function cleanLine(value: unknown, most: number): string {
  return shorten(cleanText(value, most * 4).replaceAll(/\s+/g, " "), most);
}

/** Removes control characters and invisible marks only; for names that are sent. */
export function removeControls(text: string): string {
  if (WITHOUT_CONTROLS.test(text)) return text;
  return ESCAPES.reduce((left, escape) => left.replaceAll(escape, ""), text)
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n")
    .replaceAll(CONTROLS, "")
    .replaceAll(INVISIBLE, "")
    .replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

function reduceHtml(text: string): string {
  if (!MAYBE_HTML.test(text)) return text;
  return text
    .replaceAll(/<(script|style)\b[^<>]{0,500}>[^<]{0,5000}(?:<\/\1\s*>|$)/gi, "")
    .replaceAll(/<!--[^<>]{0,2000}-->/g, "")
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6]|\/ul|\/ol|\/table)\b[^<>]{0,300}>/gi, "\n")
    .replaceAll(/<li\b[^<>]{0,300}>/gi, "- ")
    .replaceAll(/<\/?[a-z][a-z0-9-]{0,30}(?:\s[^<>]{0,800})?\/?>/gi, "")
    .replaceAll(/&(#x?[0-9a-f]{1,6}|[a-z]{2,8});/gi, decodeEntity);
}

function decodeEntity(entity: string, inside: string): string {
  const name = inside.toLowerCase();
  if (!name.startsWith("#")) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? entity) : entity;
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  if (!Number.isInteger(code) || code < 32 || code > 0x10ffff) return "";
  return removeControls(String.fromCodePoint(code));
}

function reduceMarkdown(text: string): string {
  if (!MAYBE_MARKDOWN.test(text)) return text;
  return text
    .replaceAll(/^[ \t]*(?:```|~~~).{0,80}$/gm, "")
    .replaceAll(/^[ \t]*\|?[ \t:|-]{3,400}\|?[ \t]*$/gm, (line) => (line.includes("-") ? "" : line))
    .replaceAll(/!\[([^\][]{0,300})\]\([^()\s]{0,800}(?: "[^"]{0,200}")?\)/g, "$1")
    .replaceAll(/\[([^\][]{1,300})\]\([^()\s]{0,800}(?: "[^"]{0,200}")?\)/g, "$1")
    .replaceAll(/^[ \t]{0,3}#{1,6}[ \t]+/gm, "")
    .replaceAll(/^[ \t]{0,3}>[ \t]?/gm, "")
    .replaceAll(/(\*\*|__)(?=\S)([^*_\n]{1,400}?)(?<=\S)\1/g, "$2")
    .replaceAll(/`{1,3}([^`\n]{1,400})`{1,3}/g, "$1");
}

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const room = text.slice(0, most - 1);
  const sentence = Math.max(room.lastIndexOf(". "), room.lastIndexOf(".\n"));
  if (sentence > most * 0.6) return room.slice(0, sentence + 1);
  const word = Math.max(room.lastIndexOf(" "), room.lastIndexOf("\n"));
  return `${(word > most * 0.6 ? room.slice(0, word) : room).replace(/\p{Surrogate}$/u, "").trimEnd()}…`;
}
