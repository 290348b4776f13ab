import { spawn } from "node:child_process";
import { findPlaces } from "../shared/places.ts";
import type { CliIo } from "./core/cli-io.ts";
import { readSettings, type SettingFlags } from "./connection/read-settings.ts";
import { readProfiles } from "./connection/profile-file.ts";
import { isProfileName, localProfile } from "./connection/profile.ts";
import type { Mount } from "./program.ts";
import { complete, type Completion } from "./completion/complete.ts";
import { completionDoor } from "./completion/completion-door.ts";
import { keptCommandTree } from "./completion/kept-command-tree.ts";
import { claimRefresh, type NameKind, namesFolder, ofEndpoint, readNames } from "./completion/name-cache.ts";
import { splitLine } from "./completion/split-line.ts";

const refreshAfterMs = 60 * 60 * 1000;

/**
 * Answers a shell: one line for each word that fits at the cursor, a tab and what it is; and a line `:files` if the
 * shell should offer files. Prints nothing if it knows nothing; never throws, never starts a daemon, and never waits.
 *
 * | words after `mkt __complete` | |
 * |---|---|
 * | `--line <line>` | the command line up to the cursor, `mkt` included |
 * | `-- <word>…` | its words after `mkt`, the last being the one at the cursor |
 * | `--refresh <flags>…` | asks the service for its endpoints, in the background |
 */
export async function answerCompletion(
  [how, ...words]: readonly string[],
  { io, programPath, mount }: { io: CliIo; programPath: string; mount?: Mount },
): Promise<void> {
  try {
    if (how === "--refresh") {
      const { refreshNames } = await import("./completion/refresh-names.ts");
      return await refreshNames(await readSettings(settingFlags(words), io.env), io);
    }
    const line = how === "--line" ? splitLine(words[0] ?? "").slice(1) : words;
    const before = line.slice(0, -1);
    const { configDir } = findPlaces(io.env);
    const tree = await keptCommandTree(configDir, { path: programPath, version: io.version }, async () => {
      const [{ createProgram }, { Invocation }] = await Promise.all([
        import("./program.ts"),
        import("./invocation.ts"),
      ]);
      return await createProgram(new Invocation(io, []), mount);
    });
    const completion = await complete(tree, { words: before, current: line.at(-1) ?? "" }, knownNames(before, io));
    io.stdout.write(toLines(completion));
  } catch {
    // An error must not be printed into the middle of somebody's command line.
  }
}

function toLines({ offers, withFiles }: Completion): string {
  const lines = offers.map(({ word, about }) => (about === "" ? word : `${word}\t${about}`));
  return [...lines, ...(withFiles ? [":files"] : [])].map((line) => `${line}\n`).join("");
}

function knownNames(words: readonly string[], io: CliIo) {
  const flags = settingFlags(words);
  const folder = async () => namesFolder(await readSettings(flags, io.env));
  const read = async (kind: NameKind) => {
    const found = await folder();
    return found === undefined ? [] : readNames(found, kind);
  };
  return {
    async endpoints() {
      const names = await read("endpoints");
      await refreshInBackground(flags, io);
      return names;
    },
    async inputs(endpoint: string) {
      const before = `${endpoint}${ofEndpoint}`;
      const names = (await read("inputs")).filter((name) => name.startsWith(before));
      return names.map((name) => name.slice(before.length));
    },
    runs: () => read("runs"),
    async profiles() {
      const { profiles } = await readProfiles(findPlaces(io.env).configDir);
      return [localProfile, ...Object.keys(profiles).filter(isProfileName)];
    },
  };
}

async function refreshInBackground(flags: SettingFlags, io: CliIo): Promise<void> {
  const settings = await readSettings(flags, io.env);
  const folder = namesFolder(settings);
  if (folder === undefined || settings.baseUrl === undefined || !(await claimRefresh(folder, refreshAfterMs))) return;
  const [program = process.execPath, ...words] = io.selfCommand;
  const given = Object.entries(flagNames).flatMap(([name, flag]) => {
    const value = flags[name as keyof typeof flagNames];
    return value === undefined ? [] : [flag, value];
  });
  const child = spawn(program, [...words, completionDoor, "--refresh", ...given], {
    detached: true,
    stdio: "ignore",
    env: io.env as NodeJS.ProcessEnv,
  });
  child.on("error", () => {});
  child.unref();
}

const flagNames = { dataDir: "--data-dir", profile: "--profile", apiUrl: "--api-url" } as const;

/** The flags that choose the service, from words that may be an incomplete command line. */
function settingFlags(words: readonly string[]): SettingFlags {
  const flags: SettingFlags = {};
  for (const [name, flag] of Object.entries(flagNames) as [keyof typeof flagNames, string][]) {
    const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
    const value = words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
    if (value !== undefined && value !== "") flags[name] = value;
  }
  return flags;
}
