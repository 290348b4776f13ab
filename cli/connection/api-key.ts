import { readFile } from "node:fs/promises";
import { errorText } from "../../shared/error-text.ts";
import { refusedInput } from "../core/cli-error.ts";

/**
 * The key in a file, as `keyIn` finds it. Rejects with refused input when it cannot be read or holds something else.
 */
export async function readKeyFile(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw refusedInput(`The key file ${path} cannot be read: ${errorText(cause)}`);
  }
  return keyIn(text, `The key file ${path}`);
}

/**
 * The key in a text: alone, or in what `mkt keys create` writes, which is a JSON object with `key`, or that text in
 * quotes. Throws refused input for anything else; the message contains nothing of the text.
 */
export function keyIn(text: string, place: string): string {
  return checkKey(fromJson(text) ?? text.trim(), place);
}

function fromJson(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const key = typeof value === "object" && value !== null && "key" in value ? value.key : value;
  return typeof key === "string" ? key : undefined;
}

/** The key itself, when it is one: printable ASCII without spaces, so that it can stand in a header. */
export function checkKey(key: string, place: string): string {
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw refusedInput(`${place} must contain one API key, such as mkt_live_…, or what \`mkt keys create -o\` wrote`);
}
