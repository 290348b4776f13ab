/** A value made small enough, and what was left out of it. */
export interface Fitted {
  readonly value: unknown;
  /** Where something was left out: `days: 20 of 365`. Empty if nothing was. */
  readonly cut: readonly string[];
}

interface Limits {
  readonly items: number;
  readonly characters: number;
  readonly members: number;
}

/** From generous to scant; the last of them fits whatever the value is, or everything is left out. */
const steps: readonly Limits[] = [
  { items: 200, characters: 4_000, members: 200 },
  { items: 100, characters: 2_000, members: 100 },
  { items: 50, characters: 1_000, members: 100 },
  { items: 20, characters: 500, members: 50 },
  { items: 10, characters: 300, members: 50 },
  { items: 5, characters: 200, members: 30 },
  { items: 3, characters: 100, members: 20 },
  { items: 1, characters: 50, members: 10 },
];

const mostTold = 10;
const deepest = 12;

/**
 * The value with lists, texts and objects cut until its JSON has at most `maxCharacters` characters: the beginning of
 * each is kept, and every cut is reported. Pure.
 */
export function fitValue(value: unknown, maxCharacters: number, name = "output"): Fitted {
  if (sizeOf(value) <= maxCharacters) return { value, cut: [] };
  for (const limits of steps) {
    const cut = new Map<string, string>();
    const smaller = shorten(value, limits, name, 0, cut);
    if (sizeOf(smaller) <= maxCharacters) return { value: smaller, cut: told([...cut.values()]) };
  }
  return { value: null, cut: [`${name}: all of it (${sizeOf(value)} characters of JSON)`] };
}

function shorten(value: unknown, limits: Limits, path: string, depth: number, cut: Map<string, string>): unknown {
  if (typeof value === "string") {
    if (value.length <= limits.characters) return value;
    note(cut, path, `${path}: ${limits.characters} of ${value.length} characters`);
    return `${value.slice(0, limits.characters)}…`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) {
    note(cut, path, `${path}: all that lies below`);
    return null;
  }
  if (Array.isArray(value)) {
    if (value.length > limits.items) note(cut, path, `${path}: ${limits.items} of ${value.length} items`);
    return value.slice(0, limits.items).map((item) => shorten(item, limits, `${path}[]`, depth + 1, cut));
  }
  const members = Object.entries(value);
  if (members.length > limits.members) note(cut, path, `${path}: ${limits.members} of ${members.length} members`);
  return Object.fromEntries(
    members
      .slice(0, limits.members)
      .map(([member, below]) => [member, shorten(below, limits, `${path}.${member}`, depth + 1, cut)]),
  );
}

/** Once a place: items of a list have the same path. */
function note(cut: Map<string, string>, path: string, words: string): void {
  if (!cut.has(path)) cut.set(path, words);
}

function told(cut: string[]): string[] {
  return cut.length <= mostTold ? cut : [...cut.slice(0, mostTold), `and ${cut.length - mostTold} other places`];
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
