import { type LiteralPlace, endOfText, scanJson } from "./scan-json.ts";

/** Further paths are only counted: a note is for reading. */
const MAX_PATHS = 5;
const MAX_NAME_CHARACTERS = 60;

/** A text without sixteen digits (and points) in a row, and without an exponent, has no number that can be lost. */
const MAY_HAVE_UNHELD = /\d(?:[\d.]{15}|[eE])/;

/** As `JSON.parse`, but numbers that a double cannot hold become texts, digit for digit. Throws as it does. */
export function parseExactly(json: string): unknown {
  return parseQuoting(json, MAY_HAVE_UNHELD.test(json) ? scanJson(json).unheld : []);
}

/** As `parseExactly`, for known literals. */
export function parseQuoting(json: string, unheld: readonly LiteralPlace[]): unknown {
  const value: unknown = JSON.parse(json);
  // Only if it was JSON before: `{10000000000000001: 1}` must not become valid.
  return unheld.length === 0 ? value : JSON.parse(quoteLiterals(json, unheld));
}

/** The first number of a text that JavaScript would change; undefined when there is none, or the text is not JSON. */
export function findUnheldNumber(json: string): { readonly path: string; readonly literal: string } | undefined {
  if (!MAY_HAVE_UNHELD.test(json)) return undefined;
  const [place] = scanJson(json).unheld;
  if (place === undefined || !isJson(json)) return undefined;
  const [path = "$"] = pathsOf(json, [place]);
  return { path, literal: literalAt(json, place) };
}

export function literalAt(json: string, { start, end }: LiteralPlace): string {
  return json.slice(start, end);
}

/** The text with each of these literals in quotes. */
function quoteLiterals(json: string, places: readonly LiteralPlace[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(json.slice(from, start), json.slice(start, end));
    from = end;
  }
  parts.push(json.slice(from));
  // Between two parts a literal begins or ends, so a quote is inserted.
  return parts.join('"');
}

/** The paths of the first of these literals in a JSON text: `$.items[0].id`. */
export function pathsOf(json: string, places: readonly LiteralPlace[]): readonly string[] {
  const wanted = places.slice(0, MAX_PATHS);
  const paths: string[] = [];
  const steps: (string | number)[] = [];
  for (let at = 0; at < json.length && paths.length < wanted.length; at += 1) {
    if (at === wanted[paths.length]?.start) paths.push(`$${steps.map(spell).join("")}`);
    switch (json[at]) {
      case '"': {
        const end = endOfText(json, at + 1);
        if (isBeforeColon(json, end)) steps[steps.length - 1] = nameOf(json.slice(at, end));
        at = end - 1;
        break;
      }
      case "{":
        steps.push("");
        break;
      case "[":
        steps.push(0);
        break;
      case "}":
      case "]":
        steps.pop();
        break;
      case ",": {
        const last = steps.at(-1);
        if (typeof last === "number") steps[steps.length - 1] = last + 1;
        break;
      }
    }
  }
  return paths;
}

/** `9 numbers …: $.id, $.items[0].id and 7 more`. */
export function namePlaces(paths: readonly string[], count: number): string {
  const left = count - paths.length;
  return left > 0 ? `${paths.join(", ")} and ${left} more` : paths.join(", ");
}

function isBeforeColon(json: string, at: number): boolean {
  let here = at;
  while (" \n\r\t".includes(json[here] ?? "-")) here += 1;
  return json[here] === ":";
}

function nameOf(quoted: string): string {
  if (quoted.length > 10 * MAX_NAME_CHARACTERS) return `${quoted.slice(1, MAX_NAME_CHARACTERS)}…`;
  const name = JSON.parse(quoted) as string;
  return name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
}

function spell(step: string | number): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
