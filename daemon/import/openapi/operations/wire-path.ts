import { isForbiddenKey } from "../../../catalog/parsing/catalog-text.ts";
import { removeControls } from "../../conversion/clean-text.ts";

/** The parts of a path in a document. */
export interface WirePath {
  /** For `request.path`: placeholders with their clean names, no query, no fragment. */
  readonly path: string;
  /** The document's names of its placeholders → their names in an input. */
  readonly names: ReadonlyMap<string, string>;
  /** Fixed parameters in the path's query; values may contain `{name}`. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The part after `#`: it distinguishes operations and is never sent. */
  readonly fragment: string;
}

const MAX_PATH = 500;
/** A document must never introduce a template of the manifest. */
const OPENING = /\$+\{/g;
const PLACEHOLDER = /\{([^{}/]{1,80})\}/g;

/**
 * Converts a document's path to the one that is sent. `${id}`, `{+id}` and `{id*}` are `{id}`; `?a=b` becomes fixed
 * parameters, also after `%26`, as some converters write it. An object with the reason when it cannot be a path.
 */
export function readWirePath(written: string): WirePath | { readonly why: string } {
  if (written.length > MAX_PATH) return { why: `its path has more than ${MAX_PATH} characters` };
  const text = removeControls(written).trim().replaceAll(OPENING, "{").replaceAll(" ", "%20");
  const [beforeFragment = "", ...fragments] = splitOutside(text, "#");
  const [rawPath = "", ...queries] = splitOutside(beforeFragment, "?");
  const names = new Map<string, string>();
  const rename = (_: string, inside: string) => `{${nameFor(inside, names)}}`;
  const path = withSlash(rawPath.replace(/^https?:\/\/[^/{}]*/i, "")).replaceAll(PLACEHOLDER, rename);
  // Any other braces are invalid in a path.
  const literals = path.replaceAll(/\{[A-Za-z0-9_-]+\}/g, "x");
  if (/[{}\\\s"<>|^`]/.test(literals)) return { why: "its path has characters that no path has" };
  if (literals.split("/").some((segment) => segment === "." || segment === "..")) {
    return { why: "its path has steps such as .. that leave the place" };
  }
  const query = readQuery(queries.join("?")).map(
    ([name, value]) => [name, value.replaceAll(PLACEHOLDER, rename)] as const,
  );
  return { path, names, query, fragment: fragments.join("#") };
}

/** Splits at a character outside of `{…}`. */
function splitOutside(text: string, character: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  for (const one of text) {
    if (one === "{") depth += 1;
    else if (one === "}") depth = Math.max(0, depth - 1);
    if (one === character && depth === 0) parts.push("");
    else parts[parts.length - 1] += one;
  }
  return parts;
}

function withSlash(path: string): string {
  return path.startsWith("/") ? path : `/${path}`;
}

function nameFor(inside: string, names: Map<string, string>): string {
  const before = names.get(inside);
  if (before !== undefined) return before;
  const bare = inside.replaceAll("%20", " ").trim();
  const cleaned = bare.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^[_-]+|[_-]+$/g, "");
  const base = cleaned === "" || isForbiddenKey(cleaned) ? "value" : cleaned;
  const taken = new Set(names.values());
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  names.set(inside, name);
  return name;
}

function readQuery(query: string): (readonly [string, string])[] {
  return query
    .split(/&|%26/i)
    .filter((pair) => pair.trim() !== "")
    .map((pair) => {
      const equals = pair.indexOf("=");
      return equals < 0
        ? ([decode(pair), ""] as const)
        : ([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))] as const);
    })
    .filter(([name]) => name !== "" && !isForbiddenKey(name));
}

function decode(text: string): string {
  try {
    return removeControls(decodeURIComponent(text)).replaceAll(OPENING, "{");
  } catch {
    return text;
  }
}
