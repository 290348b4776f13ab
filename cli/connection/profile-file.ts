import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../shared/is-record.ts";
import { refusedInput } from "../core/cli-error.ts";
import { refuseShared } from "./refuse-shared.ts";
import type { Profile, Profiles } from "./profile.ts";
import { systemErrorCode } from "../../shared/system-error-code.ts";

/** Without its ending, as `conf` wants it. */
export const profileFileName = "profiles";

export function profileFilePath(configDir: string): string {
  return join(configDir, `${profileFileName}.json`);
}

const nothingStored: Profiles = { profiles: {} };

/**
 * What is stored; nothing stored when there is no file. Rejects, naming the file, when it is a link, when others may
 * read the keys in it, and when it cannot be understood. docs/security.md, T18.
 */
export async function readProfiles(configDir: string): Promise<Profiles> {
  const path = profileFilePath(configDir);
  const text = readText(path);
  if (text === undefined) return nothingStored;
  const stored = parse(text);
  if (stored === undefined) {
    throw refusedInput(`The profile file ${path} cannot be parsed. Fix it, or remove it and log in again.`);
  }
  if (Object.values(stored.profiles).some(({ key }) => key !== undefined)) {
    refuseShared(path, "the keys of your profiles");
  }
  return stored;
}

// Read here and not by `conf`, which costs as much as an empty process, and at once: every call of the CLI waits for it.
function readText(path: string): string | undefined {
  try {
    if (lstatSync(path).isSymbolicLink()) {
      throw refusedInput(`${path} is a link; keys are read only from a regular file. Replace it with the file.`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parse(text: string): Profiles | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // What `conf` writes when there are no profiles at all.
  if (isRecord(value) && Object.keys(value).length === 0) return nothingStored;
  return isProfiles(value) ? value : undefined;
}

// By hand and not with zod, which costs as much as an empty process.
function isProfiles(value: unknown): value is Profiles {
  if (!isRecord(value) || !isRecord(value["profiles"])) return false;
  if (!isTextOrAbsent(value["current"])) return false;
  return Object.values(value["profiles"]).every(isProfile);
}

function isProfile(value: unknown): value is Profile {
  if (!isRecord(value) || typeof value["apiUrl"] !== "string") return false;
  return isTextOrAbsent(value["key"]) && isTextOrAbsent(value["workspace"]);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
