import { findUnheldNumber } from "../../shared/json/parse-exactly.ts";
import { refusedInput } from "../core/cli-error.ts";

/** JSON that somebody typed. Throws SyntaxError, and refused input for a number that would arrive as another one. */
export function parseGivenJson(text: string, what: string): unknown {
  const value: unknown = JSON.parse(text);
  const unheld = findUnheldNumber(text);
  if (unheld !== undefined) throw unheldNumber(what, unheld.literal, unheld.path === "$" ? undefined : unheld.path);
  return value;
}

const MAX_SHOWN_CHARACTERS = 60;

export function unheldNumber(what: string, literal: string, path?: string): Error {
  const shown = literal.length > MAX_SHOWN_CHARACTERS ? `${literal.slice(0, MAX_SHOWN_CHARACTERS)}…` : literal;
  const where = path === undefined ? "" : ` at ${path}`;
  return refusedInput(
    `${what} has the number ${shown}${where}, which JavaScript cannot represent exactly. If the endpoint accepts text, put it in quotes: "${shown}".`,
  );
}
