/** What a table of ours holds: texts, lists of texts, and one level of tables of texts. */
export type TomlTable = Readonly<Record<string, string | readonly string[] | Readonly<Record<string, string>>>>;

/**
 * The text with the table `[parent.name]`, and the tables below it, set to these values: what stood there goes, everything
 * else, comments included, stays as it is. Throws SyntaxError where the parent is written in a form that a table of its own
 * would contradict (inline or dotted). Pure.
 */
export function setTomlTable(text: string, parent: string, name: string, values: TomlTable): string {
  const lines = splitLines(text);
  refuseOtherForms(lines, parent, name);
  const own = lines.findIndex(({ header }) => isOwn(header, parent, name));
  const kept = lines.filter(({ table }) => !isOwn(table, parent, name));
  const written = writeTable([parent, name], values);
  if (own < 0) {
    const before = text.trimEnd();
    return `${before}${before === "" ? "" : "\n\n"}${written}`;
  }
  const position = lines.slice(0, own).filter(({ table }) => !isOwn(table, parent, name)).length;
  const head = kept.slice(0, position).map(({ line }) => line);
  const tail = kept.slice(position).map(({ line }) => line);
  const rest = tail.join("\n").trim() === "" ? "" : `\n${tail.join("\n").replace(/^\n+/, "")}`;
  return `${head.length === 0 ? "" : `${head.join("\n").trimEnd()}\n\n`}${written}${rest}`;
}

/** Whether the text has the table `[parent.name]`. Pure. */
export function hasTomlTable(text: string, parent: string, name: string): boolean {
  return splitLines(text).some(({ header }) => isOwn(header, parent, name));
}

interface Line {
  readonly line: string;
  /** The keys of the header, where the line is one. */
  readonly header?: readonly string[];
  /** The table that the line is part of: the last header's. */
  readonly table: readonly string[];
}

const bareHeader = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/;
const tripleQuotes = /"""|'''/g;

function splitLines(text: string): Line[] {
  let table: readonly string[] = [];
  let openedBy: string | undefined;
  return text.split("\n").map((line) => {
    const keys = openedBy === undefined ? bareHeader.exec(line)?.[1] : undefined;
    openedBy = openQuotes(line, openedBy);
    if (keys === undefined) return { line, table };
    table = splitKeys(keys);
    return { line, header: table, table };
  });
}

/** Which quotes of a text over several lines are open at the end of the line. */
function openQuotes(line: string, openedBy: string | undefined): string | undefined {
  let open = openedBy;
  for (const [quotes] of line.matchAll(tripleQuotes)) {
    if (open === undefined) open = quotes;
    else if (open === quotes) open = undefined;
  }
  return open;
}

/** `a."b.c".d` as its three keys. */
function splitKeys(keys: string): string[] {
  return [...keys.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^.\s"']+)/g)].map(
    ([, quoted, literal, bare]) => quoted ?? literal ?? bare ?? "",
  );
}

function isOwn(table: readonly string[] | undefined, parent: string, name: string): boolean {
  return table?.[0] === parent && table[1] === name;
}

function refuseOtherForms(lines: readonly Line[], parent: string, name: string): void {
  for (const { line, header, table } of lines) {
    if (header !== undefined) continue;
    const keys = splitKeys(/^\s*([^=#[\]]+?)\s*=/.exec(line)?.[1] ?? "");
    const isInline = table.length === 0 && keys[0] === parent && (keys.length === 1 || keys[1] === name);
    const isBelow = table.length === 1 && table[0] === parent && keys[0] === name;
    if (isInline || isBelow) throw new SyntaxError(`sets ${parent} as ${line.trim().slice(0, 40)} …, not as a table`);
  }
}

function writeTable(path: readonly string[], values: TomlTable): string {
  const own = Object.entries(values).filter(([, value]) => typeof value === "string" || Array.isArray(value));
  const below = Object.entries(values).filter(([, value]) => typeof value !== "string" && !Array.isArray(value));
  const lines = [
    `[${path.map(writeKey).join(".")}]`,
    ...own.map(([key, value]) => `${writeKey(key)} = ${writeValue(value as string | readonly string[])}`),
  ];
  const tables = below.map(([key, value]) => `\n${writeTable([...path, key], value as TomlTable)}`);
  return `${lines.join("\n")}\n${tables.join("")}`;
}

function writeKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : writeText(key);
}

function writeValue(value: string | readonly string[]): string {
  return typeof value === "string" ? writeText(value) : `[${value.map(writeText).join(", ")}]`;
}

/** A basic string: JSON's escapes are TOML's too, but for DEL. */
function writeText(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
