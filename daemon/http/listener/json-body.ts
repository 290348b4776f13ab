import { ApiError } from "../../../shared/errors.ts";
import { literalAt, pathsOf } from "../../../shared/json/parse-exactly.ts";
import { type JsonFacts, type LiteralPlace, scanJson } from "../../../shared/json/scan-json.ts";
import { errorText } from "../../../shared/error-text.ts";

const MAX_DEPTH = 64;
/**
 * The time that a request takes on the event loop depends more on these counts than on its bytes. At each of these
 * limits it takes about 0.2 s of one core to check and record it. A list of numbers counts each number as a value;
 * 1,250 rows of 20 fields are 25,000 members.
 */
const MAX_VALUES = 150_000;
const MAX_MEMBERS = 25_000;
const MAX_CONTAINERS = 25_000;
/** Maximum length of a quote from the caller's body in a message. */
const MAX_SHOWN_CHARACTERS = 60;

/**
 * The JSON in a request's body; undefined for an empty one, which clients send with a JSON content type. 400 for anything
 * that is not JSON in UTF-8, for nesting deeper than 64, for more values or members than are taken, for a number that
 * JavaScript would change on its way, and for the member `__proto__`, which would change what the objects it is copied into
 * are. docs/security.md, T13, T14 and T23.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) {
    return undefined;
  }
  const text = decode(bytes);
  const facts = scanJson(text, { maxValues: MAX_VALUES });
  checkSize(facts);
  const value = parse(text);
  if (PROTO_NAME.test(text)) checkNames(value);
  const [unheld] = facts.unheld;
  if (unheld !== undefined) throw unheldNumber(text, unheld);
  return value;
}

/** Called before any value is built. */
function checkSize({ values, members, containers, depth }: JsonFacts): void {
  if (depth > MAX_DEPTH) {
    throw new ApiError("invalidInput", `The body is nested deeper than ${MAX_DEPTH} levels`);
  }
  refuseAbove(MAX_MEMBERS, members, "members");
  refuseAbove(MAX_CONTAINERS, containers, "objects and lists");
  refuseAbove(MAX_VALUES, values, "values");
}

function refuseAbove(limit: number, count: number, what: string): void {
  if (count <= limit) return;
  throw new ApiError(
    "invalidInput",
    `The body has ${count} ${what}, and at most ${limit} are taken; send less at a time`,
  );
}

function unheldNumber(text: string, place: LiteralPlace): ApiError {
  const [path = "$"] = pathsOf(text, [place]);
  const literal = literalAt(text, place);
  const shown = literal.length > MAX_SHOWN_CHARACTERS ? `${literal.slice(0, MAX_SHOWN_CHARACTERS)}…` : literal;
  const name = path.replace(/^\$\.?/, "") || "body";
  return new ApiError(
    "invalidInput",
    `${name.slice(0, 4 * MAX_SHOWN_CHARACTERS)}: the number ${shown} would change on its way; send it as text, in quotes`,
  );
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError("invalidInput", "The body is not valid UTF-8", { cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = errorText(cause);
    throw new ApiError("invalidInput", `The body is not valid JSON: ${reason}${lineAndColumn(text, reason)}`, {
      cause,
    });
  }
}

/** Newer engines give line and column themselves. */
function lineAndColumn(text: string, reason: string): string {
  const position = /at position (\d+)$/.exec(reason)?.[1];
  if (position === undefined) {
    return "";
  }
  const lines = text.slice(0, Number(position)).split("\n");
  return ` (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

/**
 * Matches every way to write the name `__proto__` in JSON, with any of its characters escaped, up to the colon. It
 * never misses one, but may match the end of a longer name; so the parsed value is searched only if this matches.
 */
const PROTO_NAME = new RegExp(
  `${[..."__proto__"].map((letter) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16)})`).join("")}"\\s*:`,
  "i",
);

function checkNames(root: unknown): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null) continue;
    if (Object.hasOwn(value, "__proto__")) {
      throw new ApiError("invalidInput", 'The body has a member "__proto__", which is not accepted');
    }
    for (const member of Object.values(value)) if (typeof member === "object") pending.push(member);
  }
}
