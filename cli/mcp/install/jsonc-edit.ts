import { applyEdits, modify, parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { isRecord } from "../../../shared/is-record.ts";

/**
 * The text with the member at `path` set to the value: objects on the way are made, everything else, comments included, stays
 * as it is. An empty text counts as `{}`. Throws SyntaxError for a text that is not JSON with comments, and where something
 * on the way is no object. Pure.
 */
export function setJsonMember(text: string, path: readonly [string, ...string[]], value: unknown): string {
  const before = text.trim() === "" ? "{}\n" : text;
  let place = readJsonc(before);
  for (const name of path) {
    if (place !== undefined && !isRecord(place)) {
      throw new SyntaxError(`holds no object where ${JSON.stringify(name)} belongs`);
    }
    place = place !== undefined && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return applyEdits(before, modify(before, [...path], value, { formattingOptions: indentation(before) }));
}

/** The value of a text in JSON with comments and commas at the end. Throws SyntaxError for any other. */
export function readJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split("\n").length;
  throw new SyntaxError(`is not JSON: ${printParseErrorCode(first.error)} in line ${line}`);
}

/** How the text is indented: by its first indented line, else by two blanks. */
function indentation(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  return { insertSpaces: !unit.startsWith("\t"), tabSize: unit.length, eol: "\n" };
}
