import stringWidth from "string-width";
import { isRecord } from "../../../shared/is-record.ts";

export interface FoldLimits {
  /** Width of a line: what fits one is written in one. */
  readonly columns: number;
  /** So many items of each list are shown. */
  readonly items: number;
  /** So many members of each object. */
  readonly members: number;
  /** So many characters of a text. */
  readonly characters: number;
  /** Objects and lists in one another; what is deeper is only counted. */
  readonly depth: number;
  readonly lines: number;
}

export interface FoldedJson {
  readonly lines: readonly string[];
  /** Whether nothing was left out. */
  readonly isWhole: boolean;
}

/**
 * A value as JSON for people: short lists and objects in one line, of long ones the first and how many more there are
 * (`… 120 more`).
 */
export function foldJson(value: unknown, limits: FoldLimits): FoldedJson {
  const folder = new Folder(limits);
  const lines = folder.fold(value, "", 0);
  if (lines.length <= limits.lines) return { lines, isWhole: folder.isWhole };
  return { lines: [...lines.slice(0, limits.lines), more(lines.length - limits.lines, "line")], isWhole: false };
}

const INDENT = "  ";

/** To say that less is left out takes more room than the rest itself. */
const LEAST_LEFT_OUT = 25;

class Folder {
  isWhole = true;
  readonly #limits: FoldLimits;

  constructor(limits: FoldLimits) {
    this.#limits = limits;
  }

  /** The lines of a value; `label` is what stands before it in its first. */
  fold(value: unknown, label: string, depth: number): string[] {
    if (typeof value === "string") return [label + this.#text(value)];
    if (typeof value !== "object" || value === null) return [label + scalarText(value)];
    const inOneLine = depth === 0 ? undefined : this.#oneLine(value, this.#limits.columns - 2 * depth - label.length);
    if (inOneLine !== undefined) return [label + inOneLine];
    return Array.isArray(value) ? this.#list(value, label, depth) : this.#object({ ...value }, label, depth);
  }

  #list(items: readonly unknown[], label: string, depth: number): string[] {
    if (depth >= this.#limits.depth) return [`${label}[${this.#leftOut(items.length, "item")}]`];
    const shown = items.slice(0, this.#limits.items).map((item) => this.fold(item, "", depth + 1));
    return this.#block(`${label}[`, shown, items.length, "]");
  }

  #object(value: Readonly<Record<string, unknown>>, label: string, depth: number): string[] {
    const members = Object.entries(value);
    if (depth >= this.#limits.depth) return [`${label}{${this.#leftOut(members.length, "member")}}`];
    const shown = members
      .slice(0, this.#limits.members)
      .map(([name, member]) => this.fold(member, `${JSON.stringify(name)}: `, depth + 1));
    return this.#block(`${label}{`, shown, members.length, "}");
  }

  /** Parts between two brackets, a comma after each that another follows. */
  #block(open: string, parts: readonly string[][], count: number, close: string): string[] {
    if (count === 0) return [open + close];
    const lines = parts.flatMap((part, index) => {
      const comma = index === parts.length - 1 && count === parts.length ? "" : ",";
      return part.map((line, at) => INDENT + line + (at === part.length - 1 ? comma : ""));
    });
    if (count > parts.length) lines.push(INDENT + this.#leftOut(count - parts.length));
    return [open, ...lines, close];
  }

  #text(text: string): string {
    const { characters } = this.#limits;
    if (text.length <= characters + LEAST_LEFT_OUT) return JSON.stringify(text);
    const kept = text.slice(0, characters).replace(/[\ud800-\udbff]$/, "");
    return `${JSON.stringify(kept)} ${this.#leftOut(text.length - kept.length, "character")}`;
  }

  #leftOut(count: number, what?: string): string {
    this.isWhole = false;
    return more(count, what);
  }

  /** The whole value in one line; undefined where that is too long, which is known without writing all of it. */
  #oneLine(value: unknown, room: number): string | undefined {
    if (typeof value === "string") {
      return value.length <= Math.min(room, this.#limits.characters) ? fitting(JSON.stringify(value), room) : undefined;
    }
    if (typeof value !== "object" || value === null) return fitting(scalarText(value), room);
    const parts: string[] = [];
    let left = room - 2;
    for (const [name, member] of Object.entries(value)) {
      const label = isRecord(value) ? `${JSON.stringify(name)}: ` : "";
      const part = this.#oneLine(member, left - label.length);
      if (part === undefined) return undefined;
      parts.push(label + part);
      left -= stringWidth(label + part) + 2;
    }
    const inside = parts.join(", ");
    if (Array.isArray(value)) return fitting(`[${inside}]`, room);
    return fitting(inside === "" ? "{}" : `{ ${inside} }`, room);
  }
}

function fitting(text: string, room: number): string | undefined {
  return stringWidth(text) <= room ? text : undefined;
}

function scalarText(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

function more(count: number, what?: string): string {
  if (what === undefined) return `… ${count} more`;
  return `… ${count} more ${what}${count === 1 ? "" : "s"}`;
}
