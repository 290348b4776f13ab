import { shellLine } from "../../shared/words/shell-line.ts";

/** The flags that choose the service and the credential of an invocation. */
export interface ChoosingFlags {
  dataDir?: string;
  profile?: string;
  apiUrl?: string;
  keyFile?: string;
  workspace?: string;
}

const wordsOfFlags = {
  dataDir: "--data-dir",
  profile: "--profile",
  apiUrl: "--api-url",
  keyFile: "--key-file",
  workspace: "--workspace",
} as const;

/** Commands on this machine: they ask no service, or name their own. */
const localCommands = /^mkt (?:daemon|profile|login|completion)(?: |$)/;
const listsWorkspaces = /^mkt workspaces(?: |$)/;

/**
 * A command of `mkt` that we print, for the service of this invocation: the flags that chose it are kept where they
 * were given, else the command would speak to another one. Commands of others, and those for help, stay as they are.
 */
export function ownCommand(line: string, flags: ChoosingFlags): string {
  return line
    .split(" && ")
    .map((command) => ownPart(command, flags))
    .join(" && ");
}

function ownPart(command: string, flags: ChoosingFlags): string {
  if (!command.startsWith("mkt ") || command.endsWith(" --help")) return command;
  const kept = flagsToKeep(command, flags).flatMap((name) => {
    const [flag, value] = [wordsOfFlags[name], flags[name]];
    return value === undefined || new RegExp(` ${flag}[ =]`).test(command) ? [] : [flag, value];
  });
  // In front: behind a comment or `--` it would be no flag.
  return kept.length === 0 ? command : `${shellLine("mkt", ...kept)}${command.slice("mkt".length)}`;
}

type FlagName = keyof typeof wordsOfFlags;

function flagsToKeep(command: string, { profile, apiUrl }: ChoosingFlags): FlagName[] {
  if (localCommands.test(command)) return ["dataDir"];
  // The local daemon has its own key, and a wrong key is fixed by leaving out the flag.
  const withoutKey: FlagName[] = ["dataDir", "profile", "apiUrl"];
  // The one that was named may be none: this command is for finding another.
  if (!listsWorkspaces.test(command)) withoutKey.push("workspace");
  return profile === undefined && apiUrl === undefined ? withoutKey : [...withoutKey, "keyFile"];
}
