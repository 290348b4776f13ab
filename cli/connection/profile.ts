import { usageError } from "../core/cli-error.ts";
import { didYouMean } from "../core/near-misses.ts";

/** A named deployment: its address, and the credential for it. */
export interface Profile {
  apiUrl: string;
  /** Sent to `apiUrl` and nowhere else. */
  key?: string;
  workspace?: string;
}

/** Everything that is stored. */
export interface Profiles {
  /** The one in use where no flag and no variable names another; absent: the local daemon. */
  current?: string;
  profiles: Readonly<Record<string, Profile>>;
}

/** The profile that needs no entry: the local daemon of the data folder in use. */
export const localProfile = "local";

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isProfileName(name: string): boolean {
  return namePattern.test(name);
}

/** The name, when a profile may be stored under it. Throws a usage error otherwise. */
export function checkProfileName(name: string): string {
  if (name === localProfile) throw usageError(`"${localProfile}" is the local daemon and cannot be another deployment`);
  if (isProfileName(name)) return name;
  throw usageError(`A profile's name is letters, digits, "." "_" and "-", at most 64, but is "${name}"`);
}

/** The profile of a name; undefined for a name that is not stored. */
export function findProfile({ profiles }: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** As `findProfile`; throws a usage error that says where the name came from. */
export function getProfile(stored: Profiles, name: string, place: string): Profile {
  const profile = findProfile(stored, name);
  if (profile !== undefined) return profile;
  const near = didYouMean(name, [localProfile, ...Object.keys(stored.profiles)]);
  throw usageError(`There is no profile "${name}" (${place}).${near}`, "mkt profile list");
}

export function withProfile(stored: Profiles, name: string, profile: Profile): Profiles {
  return { ...stored, profiles: { ...stored.profiles, [name]: profile } };
}

/** Without it; if it was the current one, the local daemon becomes current. */
export function withoutProfile({ current, profiles }: Profiles, name: string): Profiles {
  const others = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
  return { ...(current !== undefined && current !== name && { current }), profiles: others };
}

/** With another current profile. */
export function withCurrent({ profiles }: Profiles, name: string): Profiles {
  return name === localProfile ? { profiles } : { current: name, profiles };
}
