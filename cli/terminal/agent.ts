import type { Environment } from "../../shared/places.ts";

// Where Codex lives and its key are set by people for their own shells.
const markers = /^(?:CLAUDECODE|CODEX_(?!HOME$|API_KEY$)\w+|CURSOR_AGENT|GEMINI_CLI|OPENCODE)$/;

/**
 * Whether a coding agent types, by the variables that agents set for what they start. It changes style alone (no colours,
 * nothing that moves, a word about long outputs), never data. docs/command-line.md, "Without a terminal".
 */
export function isAgent(env: Environment): boolean {
  return Object.entries(env).some(
    ([name, value]) => value !== undefined && value !== "" && value !== "0" && markers.test(name),
  );
}
