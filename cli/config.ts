import { readFile, stat } from "node:fs/promises";
import { localDaemonFilePath, readLocalDaemonFile, type LocalDaemonFile } from "../shared/local-daemon-file.ts";
import { findPlaces, type Environment, type Places } from "../shared/places.ts";
import { exitCodes } from "./exit-codes.ts";
import { CliError, refusedInput, usageError } from "./cli-error.ts";
import { isDaemonAlive } from "./daemon-alive.ts";
import { shellLine } from "./shell-line.ts";

/** Where a value came from, in words for `whoami` and for errors. */
export type Source =
  | "--api-url"
  | "MKT_API_URL"
  | "--key-file"
  | "MKT_API_KEY"
  | "--workspace"
  | "MKT_WORKSPACE"
  | "the local daemon";

export interface Sourced {
  value: string;
  from: Source;
}

/** Which service one invocation talks to, and as whom. CLI rule 6, without profiles. */
export interface Settings {
  places: Places;
  /** Absent when no address is set and no local daemon is known to run. */
  baseUrl?: Sourced;
  key?: Sourced;
  /** The address is the local daemon's, which does not run: its key is not sent to whoever listens there now. */
  keyWithheld?: true;
  workspace?: Sourced;
  /** What the daemon of this data folder left on disk; it need not run any more. */
  localDaemon?: LocalDaemonFile;
}

export interface SettingFlags {
  dataDir?: string;
  apiUrl?: string;
  keyFile?: string;
  workspace?: string;
}

/** Flag, then environment, then the local daemon's file. Rejects with a CliError for a value that cannot be used. */
export async function readSettings(flags: SettingFlags, env: Environment): Promise<Settings> {
  const places = findPlaces({ ...env, ...(flags.dataDir !== undefined && { MKT_DATA_DIR: flags.dataDir }) });
  const localDaemon = await readLocalDaemon(places);
  const running = localDaemon !== undefined && isDaemonAlive(localDaemon) ? localDaemon : undefined;

  const baseUrl = firstSet([flags.apiUrl, "--api-url"], [env["MKT_API_URL"], "MKT_API_URL"]) ?? localUrl(running);
  if (baseUrl) checkUrl(baseUrl);
  const given = await givenKey(flags, env);
  const key = given ?? localKey(running, baseUrl);
  const keyWithheld = key === undefined && localKey(localDaemon, baseUrl) !== undefined;
  const workspace = firstSet([flags.workspace, "--workspace"], [env["MKT_WORKSPACE"], "MKT_WORKSPACE"]);
  return {
    places,
    ...(baseUrl && { baseUrl }),
    ...(key && { key }),
    ...(keyWithheld && { keyWithheld }),
    ...(workspace && { workspace }),
    ...(localDaemon && { localDaemon }),
  };
}

async function readLocalDaemon(places: Places): Promise<LocalDaemonFile | undefined> {
  let file: LocalDaemonFile | undefined;
  try {
    file = await readLocalDaemonFile(places.configDir, places.dataDir);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(exitCodes.failed, `The local daemon's file cannot be read: ${why}`, { cause });
  }
  if (file?.key !== undefined) await refuseShared(await localDaemonFilePath(places.configDir, places.dataDir));
  return file;
}

// Security design, T18. Windows has no such bits and shows them all set.
async function refuseShared(path: string): Promise<void> {
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  throw refusedInput(
    `The file ${path} holds the local daemon's key, and others than you may use it (mode ${mode.toString(8)}). ` +
      `Make it yours alone; if somebody else has been on this machine, then make a new key with the daemon stopped: ` +
      `mkt daemon reset-owner-key`,
    shellLine("chmod", "600", path),
  );
}

function firstSet(...candidates: readonly (readonly [string | undefined, Source])[]): Sourced | undefined {
  for (const [value, from] of candidates) {
    if (value !== undefined && value !== "") return { value, from };
  }
  return undefined;
}

function localUrl(running: LocalDaemonFile | undefined): Sourced | undefined {
  return running && { value: running.url, from: "the local daemon" };
}

function localKey(file: LocalDaemonFile | undefined, baseUrl: Sourced | undefined): Sourced | undefined {
  if (file?.key === undefined || baseUrl === undefined || !isSameAddress(baseUrl.value, file.url)) return undefined;
  return { value: file.key, from: "the local daemon" };
}

async function givenKey(flags: SettingFlags, env: Environment): Promise<Sourced | undefined> {
  if (flags.keyFile !== undefined) return { value: await readKeyFile(flags.keyFile), from: "--key-file" };
  const fromEnvironment = firstSet([env["MKT_API_KEY"]?.trim(), "MKT_API_KEY"]);
  if (fromEnvironment) checkKey(fromEnvironment.value, "MKT_API_KEY");
  return fromEnvironment;
}

async function readKeyFile(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw refusedInput(
      `The key file ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  const key = text.trim();
  checkKey(key, `The key file ${path}`);
  return key;
}

function checkKey(key: string, place: string): void {
  if (!/^[\u0021-\u007e]+$/.test(key)) {
    throw refusedInput(`${place} must hold one API key and nothing else, such as mkt_live_…`);
  }
}

function checkUrl({ value, from }: Sourced): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return;
  throw usageError(`${from} must be an http or https address, such as http://127.0.0.1:7717, but is "${value}"`);
}

function isSameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && plainAddress(a) === plainAddress(b);
}

function plainAddress(address: string): string {
  return new URL(address).href.replace(/\/+$/, "");
}
