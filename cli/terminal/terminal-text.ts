import { toAscii } from "./to-ascii.ts";

/** A drawn screen as the terminal can show it: without colours, or in ASCII, where that is all it has. */
export function terminalText(drawn: string, { color, unicode }: { color: boolean; unicode: boolean }): string {
  const readable = unicode ? drawn : toAscii(drawn);
  return color ? readable : readable.replace(colorSequences, "");
}

// Ink decides about colours by the process's stdout when it is loaded; the flag and a test's streams come later.
// eslint-disable-next-line no-control-regex -- the sequences to take out begin with one
const colorSequences = /\u001b\[[0-9;]*m/g;
