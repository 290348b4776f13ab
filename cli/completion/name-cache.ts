import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
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
export async function cacheFolder(configDir: string): Promise<string | undefined> {
  const exists = await stat(configDir).catch(() => undefined);
  return exists?.isDirectory() ? join(configDir, "cache") : undefined;
}

/** The folder of the service in use. That of the local daemon stays the same when its port changes. */
export async function namesFolder(settings: Pick<Settings, "baseUrl" | "places">): Promise<string | undefined> {
  const { baseUrl, places } = settings;
  const isLocal = baseUrl === undefined || baseUrl.from === "the local daemon";
  const service = isLocal ? `local ${places.dataDir}` : plainAddress(baseUrl.value);
  const cache = await cacheFolder(places.configDir);
  return cache && join(cache, createHash("sha256").update(service).digest("hex").slice(0, 16));
}

/** The remembered names, oldest first; none when nothing is remembered. */
export async function readNames(folder: string, kind: NameKind): Promise<string[]> {
  const text = await readFile(fileOf(folder, kind), "utf8").catch(() => "");
  return text.split("\n").filter((name) => plainName.test(name));
}

/** Remembers names besides those that are there. */
export async function addNames(folder: string, kind: NameKind, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const file = fileOf(folder, kind);
  const text = `\n${await readFile(file, "utf8").catch(() => "")}`;
  const news = new Set(names.filter((name) => plainName.test(name) && !text.includes(`\n${name}\n`)));
  if (news.size === 0 || text.length > largestFileBytes) return;
  await makeFolder(folder);
  await appendFile(file, [...news].map((name) => `${name}\n`).join(""), { mode: 0o600 });
  if (kind === "runs" && text.split("\n").length > mostRunLines) await keepLastRuns(folder);
}

/** Replaces all endpoint names with these. */
export async function replaceEndpoints(folder: string, names: readonly string[]): Promise<void> {
  const plain = names.filter((name) => plainName.test(name));
  await makeFolder(folder);
  await replaceCacheFile(fileOf(folder, "endpoints"), plain.map((name) => `${name}\n`).join(""));
}

async function keepLastRuns(folder: string): Promise<void> {
  const last = (await readNames(folder, "runs")).slice(-keptRuns);
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
  await makeFolder(folder);
  if (asked === undefined) await writeFile(stamp, "", { mode: 0o600 });
  else await utimes(stamp, new Date(), new Date());
  return true;
}

function fileOf(folder: string, kind: NameKind): string {
  return join(folder, `${kind}.txt`);
}

async function makeFolder(folder: string): Promise<void> {
  // Not `recursive`: the configuration folder exists, and where no folder can be created in it Node 20 would try for
  // ever.
  for (const path of [dirname(folder), folder]) {
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (systemErrorCode(error) !== "EEXIST") throw error;
    });
  }
}
