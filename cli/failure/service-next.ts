/** Words that a shell takes literally: plain or in single quotes. A service's command may contain nothing else. */
const plainCommand = /^mkt(?: (?:[\w./:=,@-]|'[^'\p{Cc}\p{Cf}]*')+)+$/u;

/**
 * What a service may suggest: commands that use only this service; `connect` opens a browser where a person begins it. None that chooses another address or sends a key
 * (`login`, `profile`), or that changes files of this machine (`mcp install`, `skill --install`, `daemon`).
 */
const itsCommands = new Set([
  "budgets",
  "caps",
  "catalog grant",
  "catalog list",
  "connect",
  "connections",
  "console",
  "discover",
  "get-run",
  "inspect",
  "keys",
  "quote",
  "resources",
  "run",
  "runs",
  "secrets set",
  "usage",
  "wallet",
  "whoami",
  "workspaces",
]);

/** As they are, and with no word more: to approve a run is for a person to choose, never for a service to suggest. */
const itsWholeCommands = new Set(["mkt approvals"]);

/**
 * Flags read files, write them, and name other addresses (`-i @file`, `-o`, `--api-url`); this one does none of that.
 */
const itsFlag = "--workspace";

const mostCharacters = 500;

/**
 * The command that a service's error names as the next one; undefined unless it is a command of `mkt` that a service
 * may name: people type what they read, and agents do so without asking. docs/command-line.md, "Next steps".
 */
export function nextOfService(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("next" in body) || typeof body.next !== "string") return undefined;
  const { next } = body;
  if (itsWholeCommands.has(next)) return next;
  if (next.length > mostCharacters || !plainCommand.test(next)) return undefined;
  const [, command = "", ...words] = next.split(" ");
  const isIts = itsCommands.has(command) || itsCommands.has(`${command} ${words[0]}`);
  return isIts && words.every(isHarmless) ? next : undefined;
}

function isHarmless(word: string): boolean {
  const bare = word.replaceAll("'", "");
  return bare === itsFlag || !/^[-@]/.test(bare);
}
