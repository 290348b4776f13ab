import { flushFolder, makePrivateFolder } from "../../shared/replace-file.ts";
import { errorText } from "../../shared/error-text.ts";
import { refusedInput } from "../core/cli-error.ts";
import { type Profiles } from "./profile.ts";
import { profileFileName, profileFilePath, readProfiles } from "./profile-file.ts";

/**
 * Changes what is stored, atomically: a new file replaces the old one, readable only by its owner from the first
 * byte, and is durable when this resolves. Rejects for an old file that `readProfiles` rejects, and when the folder
 * cannot be written.
 */
export async function changeProfiles(configDir: string, change: (stored: Profiles) => Profiles): Promise<void> {
  const next = change(await readProfiles(configDir));
  try {
    await makePrivateFolder(configDir);
    // Loaded only here: loading it takes as long as starting an empty process.
    const { default: Conf } = await import("conf");
    const store = new Conf<{ current?: string; profiles?: unknown }>({
      cwd: configDir,
      configName: profileFileName,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    store.store = { ...next };
    // `conf` flushes the file, but not the folder with its name.
    await flushFolder(configDir);
  } catch (cause) {
    const why = errorText(cause);
    throw refusedInput(`${profileFilePath(configDir)} cannot be written: ${why}`);
  }
}
