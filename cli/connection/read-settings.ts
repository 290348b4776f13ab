import { localDaemonFilePath, readLocalDaemonFile, type LocalDaemonFile } from "../../shared/local-daemon-file.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { findPlaces, type Environment, type Places } from "../../shared/places.ts";
import { errorText } from "../../shared/error-text.ts";
import { checkKey, readKeyFile } from "./api-key.ts";
import { checkApiUrl, isLocalAddressOf, isSameAddress } from "./api-url.ts";
import { exitCodes } from "../core/exit-codes.ts";
import { CliError } from "../core/cli-error.ts";
import { isDaemonAlive } from "./daemon-alive.ts";
import { chooseProfile, type ChosenProfile, type ProfileSource } from "./choose-profile.ts";
import { refuseShared } from "./refuse-shared.ts";

/** Where a value came from, in words for `whoami` and for errors. */
export type Source =
  | "--api-url"
  | "MKT_API_URL"
  | "--key-file"
  | "MKT_API_KEY"
  | "--workspace"
  | "MKT_WORKSPACE"
  | "mkt login"
  | "the local daemon"
  | `the profile ${string}`;

export interface Sourced {
  value: string;
  from: Source;
}

/** Which service one invocation uses, and with which credential. docs/command-line.md, "Address, key and workspace". */
export interface Settings {
  places: Places;
  profile: { name: string; from: ProfileSource };
  /** Absent when no address is set and no local daemon is known to run. */
  baseUrl?: Sourced;
  key?: Sourced;
  /** The address is the local daemon's, which does not run: its key is not sent to whatever listens there now. */
  keyWithheld?: true;
  /** The profile has a key, but the address is not the profile's: the key is not sent there. */
  profileKeyWithheld?: true;
  /** The address that an existing key belongs to; the key was not sent because another address is used. */
  keyKeptFor?: string;
  workspace?: Sourced;
  /** What the daemon of this data folder left on disk; it need not run any more. */
  localDaemon?: LocalDaemonFile;
}

export interface SettingFlags {
  dataDir?: string;
  profile?: string;
  apiUrl?: string;
  keyFile?: string;
  workspace?: string;
}

/**
 * Flag, then environment, then the profile, which is the local daemon's file unless another is in use. A profile's key
 * and workspace go to the profile's own address alone. Rejects with a CliError for a value that cannot be used.
 */
export async function readSettings(flags: SettingFlags, env: Environment): Promise<Settings> {
  const places = findPlaces({ ...env, ...(flags.dataDir !== undefined && { MKT_DATA_DIR: flags.dataDir }) });
  const [chosen, localDaemon] = await Promise.all([
    chooseProfile(flags, env, places.configDir),
    readLocalDaemon(places),
  ]);
  const running = localDaemon !== undefined && isDaemonAlive(localDaemon) ? localDaemon : undefined;

  const baseUrl =
    firstSet([flags.apiUrl, "--api-url"], [env["MKT_API_URL"], "MKT_API_URL"]) ?? profileUrl(chosen, running);
  if (baseUrl) checkApiUrl(baseUrl.value, baseUrl.from);
  const given = await givenKey(flags, env);
  const key = given ?? profileKey(chosen, baseUrl) ?? localKey(running, baseUrl);
  const keyKeptFor = key === undefined && baseUrl ? addressOfKey(chosen, localDaemon, baseUrl) : undefined;
  const keyWithheld = key === undefined && localKey(localDaemon, baseUrl) !== undefined;
  const profileKeyWithheld = key === undefined && chosen.profile?.key !== undefined;
  const workspace =
    firstSet([flags.workspace, "--workspace"], [env["MKT_WORKSPACE"], "MKT_WORKSPACE"]) ??
    profileWorkspace(chosen, baseUrl);
  return {
    places,
    profile: { name: chosen.name, from: chosen.from },
    // With the daemon's own key, its own address is used: `localhost` may resolve to another program.
    ...(baseUrl && {
      baseUrl: key?.from === "the local daemon" && running ? { ...baseUrl, value: running.url } : baseUrl,
    }),
    ...(key && { key }),
    ...(keyWithheld && { keyWithheld }),
    ...(profileKeyWithheld && { profileKeyWithheld }),
    ...(keyKeptFor !== undefined && { keyKeptFor }),
    ...(workspace && { workspace }),
    ...(localDaemon && { localDaemon }),
  };
}

async function readLocalDaemon(places: Places): Promise<LocalDaemonFile | undefined> {
  let file: LocalDaemonFile | undefined;
  try {
    file = await readLocalDaemonFile(places.configDir, places.dataDir);
  } catch (cause) {
    const why = errorText(cause);
    throw new CliError(exitCodes.failed, `The local daemon's file cannot be read: ${why}`, { cause });
  }
  if (file?.key !== undefined) {
    refuseShared(
      localDaemonFilePath(places.configDir, places.dataDir),
      "the local daemon's key",
      "; if somebody else has been on this machine, then make a new key with the daemon stopped: mkt daemon reset-owner-key",
    );
  }
  return file;
}

function firstSet(...candidates: readonly (readonly [string | undefined, Source])[]): Sourced | undefined {
  for (const [value, from] of candidates) {
    if (value !== undefined && value !== "") return { value, from };
  }
  return undefined;
}

function profileUrl({ name, profile }: ChosenProfile, running: LocalDaemonFile | undefined): Sourced | undefined {
  if (profile !== undefined) return { value: profile.apiUrl, from: `the profile ${name}` };
  return running && { value: running.url, from: "the local daemon" };
}

function profileKey({ name, profile }: ChosenProfile, baseUrl: Sourced | undefined): Sourced | undefined {
  if (profile?.key === undefined || baseUrl === undefined || !isSameAddress(baseUrl.value, profile.apiUrl)) {
    return undefined;
  }
  const from: Source = `the profile ${name}`;
  return { value: checkKey(profile.key, from), from };
}

function profileWorkspace({ name, profile }: ChosenProfile, baseUrl: Sourced | undefined): Sourced | undefined {
  if (!profile?.workspace || baseUrl === undefined || !isSameAddress(baseUrl.value, profile.apiUrl)) return undefined;
  return { value: profile.workspace, from: `the profile ${name}` };
}

/** Of the current profile, else of the local daemon if this machine is addressed. */
function addressOfKey(
  { profile }: ChosenProfile,
  local: LocalDaemonFile | undefined,
  { value }: Sourced,
): string | undefined {
  if (profile !== undefined) return profile.key === undefined ? undefined : profile.apiUrl;
  if (local?.key === undefined || isLocalAddressOf(value, local.url)) return undefined;
  return isLoopback(new URL(value).hostname) ? local.url : undefined;
}

function localKey(file: LocalDaemonFile | undefined, baseUrl: Sourced | undefined): Sourced | undefined {
  if (file?.key === undefined || baseUrl === undefined || !isLocalAddressOf(baseUrl.value, file.url)) return undefined;
  return { value: file.key, from: "the local daemon" };
}

async function givenKey(flags: SettingFlags, env: Environment): Promise<Sourced | undefined> {
  if (flags.keyFile !== undefined) return { value: await readKeyFile(flags.keyFile), from: "--key-file" };
  const fromEnvironment = firstSet([env["MKT_API_KEY"]?.trim(), "MKT_API_KEY"]);
  if (fromEnvironment) checkKey(fromEnvironment.value, "MKT_API_KEY");
  return fromEnvironment;
}
