import type { Settings } from "../connection/read-settings.ts";
import { isDaemonAlive } from "../connection/daemon-alive.ts";
import { findProfile, localProfile, type Profile, type Profiles } from "../connection/profile.ts";

/** What is shown of a profile: everything but its key. */
export interface ProfileFacts {
  name: string;
  /** Null for the local daemon while it does not run. */
  apiUrl: string | null;
  /** Whether a key is stored with it; the local daemon's is its own affair. */
  hasKey: boolean;
  workspace: string | null;
  /** The one in use in this invocation. */
  inUse: boolean;
}

/** `settings` are absent where they cannot be read: then it is not known which one is in use. */
export function profileFacts(stored: Profiles, name: string, settings: Settings | undefined): ProfileFacts {
  const inUse = settings?.profile.name === name;
  const localDaemon = settings?.localDaemon;
  if (name === localProfile) {
    const runs = localDaemon !== undefined && isDaemonAlive(localDaemon);
    return {
      name,
      apiUrl: runs ? localDaemon.url : null,
      hasKey: localDaemon?.key !== undefined,
      workspace: null,
      inUse,
    };
  }
  return { name, ...factsOf(findProfile(stored, name)), inUse };
}

/** Of every profile, the local daemon first. */
export function allProfileFacts(stored: Profiles, settings: Settings | undefined): ProfileFacts[] {
  return [localProfile, ...Object.keys(stored.profiles).sort()].map((name) => profileFacts(stored, name, settings));
}

function factsOf(profile: Profile | undefined): Pick<ProfileFacts, "apiUrl" | "hasKey" | "workspace"> {
  return {
    apiUrl: profile?.apiUrl ?? null,
    hasKey: profile?.key !== undefined,
    workspace: profile?.workspace ?? null,
  };
}
