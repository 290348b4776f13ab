import type { Environment } from "../../shared/places.ts";
import { getProfile, localProfile, type Profile } from "./profile.ts";
import { readProfiles } from "./profile-file.ts";

/** What selected the current profile. */
export type ProfileSource = "--profile" | "MKT_PROFILE" | "--data-dir" | "mkt profile use" | "default";

export interface ChosenProfile {
  name: string;
  from: ProfileSource;
  /** Absent for the local daemon. */
  profile?: Profile;
}

/**
 * The profile in use: `--profile`, then the local daemon where `--data-dir` names one, then `MKT_PROFILE`, then that of
 * `mkt profile use`, then the local daemon. Rejects with a usage error for a name that is not stored.
 * docs/command-line.md, "Address, key and workspace".
 */
export async function chooseProfile(
  flags: { profile?: string; dataDir?: string },
  env: Environment,
  configDir: string,
): Promise<ChosenProfile> {
  const stored = await readProfiles(configDir);
  const [name, from] = nameInUse(flags, env, stored.current);
  if (name === localProfile) return { name, from };
  return { name, from, profile: getProfile(stored, name, from) };
}

function nameInUse(
  flags: { profile?: string; dataDir?: string },
  env: Environment,
  current: string | undefined,
): [name: string, from: ProfileSource] {
  if (flags.profile) return [flags.profile, "--profile"];
  if (flags.dataDir !== undefined) return [localProfile, "--data-dir"];
  if (env["MKT_PROFILE"]) return [env["MKT_PROFILE"], "MKT_PROFILE"];
  if (current !== undefined) return [current, "mkt profile use"];
  return [localProfile, "default"];
}
