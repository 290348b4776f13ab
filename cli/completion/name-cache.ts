import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceCacheFile } from "../../shared/replace-file.ts";
import { plainAddress } from "../connection/api-url.ts";
import type { Settings } from "../connection/read-settings.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/**
 * Names that completion offers, remembered from answers: a text file for each kind and each service, one name per line,
 * below `<config>/cache`. All of it may be removed at any time.
 */
export type NameKind = "endpoints" | "inputs" | "runs";

/** Between an endpoint and a name of its input. */
export const ofEndpoint = "#";

/** What a shell takes literally, so that a name from a service can never become a command when it is completed. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._~/@%+-]{0,199}(?:#[A-Za-z_][\w.-]{0,99})?$/;
const largestFileBytes = 1024 * 1024;
const keptRuns = 50;
const mostRunLines = 200;

/** The folder of caches; undefined when there is no configuration folder, which is not created just for a cache. */
export function cacheFolder(configDir: string): string | undefined {
  try {
    return statSync(configDir, { throwIfNoEntry: false })?.isDirectory() ? join(configDir, "cache") : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the service in use. That of the local daemon stays the same when its port changes. */
export function namesFolder(settings: Pick<Settings, "baseUrl" | "places">): string | undefined {
  const { baseUrl, places } = settings;
  const isLocal = baseUrl === undefined || baseUrl.from === "the local daemon";
  const service = isLocal ? `local ${places.dataDir}` : plainAddress(baseUrl.value);
  const cache = cacheFolder(places.configDir);
  return cache && join(cache, createHash("sha256").update(service).digest("hex").slice(0, 16));
}

/** The remembered names, oldest first; none when nothing is remembered. */
export function readNames(folder: string, kind: NameKind): string[] {
  return readText(fileOf(folder, kind))
    .split("\n")
    .filter((name) => plainName.test(name));
}

/**
 * Remembers names besides those that are there. At once: a call waits for it before it ends, and each turn through the thread
 * pool takes longer than the work.
 */
export async function addNames(folder: string, kind: NameKind, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const file = fileOf(folder, kind);
  const text = `\n${readText(file)}`;
  const news = new Set(names.filter((name) => plainName.test(name) && !text.includes(`\n${name}\n`)));
  if (news.size === 0 || text.length > largestFileBytes) return;
  makeFolder(folder);
  appendFileSync(file, [...news].map((name) => `${name}\n`).join(""), { mode: 0o600 });
  if (kind === "runs" && text.split("\n").length > mostRunLines) await keepLastRuns(folder);
}

/** Replaces all endpoint names with these. */
export async function replaceEndpoints(folder: string, names: readonly string[]): Promise<void> {
  const plain = names.filter((name) => plainName.test(name));
  makeFolder(folder);
  await replaceCacheFile(fileOf(folder, "endpoints"), plain.map((name) => `${name}\n`).join(""));
}

async function keepLastRuns(folder: string): Promise<void> {
  const last = readNames(folder, "runs").slice(-keptRuns);
  await replaceCacheFile(fileOf(folder, "runs"), last.map((name) => `${name}\n`).join(""));
}

/**
 * Whether the service was not asked for its endpoints for this long. Then it counts as asked from now on, so that a
 * service that does not answer is not asked at every keypress.
 */
export async function claimRefresh(folder: string, afterMs: number): Promise<boolean> {
  const stamp = join(folder, "asked");
  const asked = await stat(stamp).catch(() => undefined);
  if (asked !== undefined && Date.now() - asked.mtimeMs < afterMs) return false;
  makeFolder(folder);
  if (asked === undefined) await writeFile(stamp, "", { mode: 0o600 });
  else await utimes(stamp, new Date(), new Date());
  return true;
}

function fileOf(folder: string, kind: NameKind): string {
  return join(folder, `${kind}.txt`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function makeFolder(folder: string): void {
  // Not `recursive`: the configuration folder exists, and where no folder can be created in it Node 20 would try for
  // ever.
  for (const path of [dirname(folder), folder]) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    }
  }
}
