import { readFile } from "node:fs/promises";
import { refusedInput } from "../cli-error.ts";

/** The key in a file, alone in it. Rejects with refused input when it cannot be read or holds something else. */
export async function readKeyFile(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw refusedInput(
      `The key file ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  return checkKey(text.trim(), `The key file ${path}`);
}

/** The key, when it is one: printable ASCII without spaces, so that it can stand in a header. */
export function checkKey(key: string, place: string): string {
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw refusedInput(`${place} must hold one API key and nothing else, such as mkt_live_…`);
}
