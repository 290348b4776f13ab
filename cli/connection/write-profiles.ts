import { flushFolder, makePrivateFolder } from "../../shared/replace-file.ts";
import { errorText } from "../../shared/error-text.ts";
import { refusedInput } from "../core/cli-error.ts";
import { type Profiles } from "./profile.ts";
import { profileFileName, profileFilePath, readProfiles } from "./profile-file.ts";

/**
 * Changes what is stored, in one step: a new file takes the place of the old one, readable by its owner alone from the
 * first byte, and on the disk when this resolves. Rejects for an old file that `readProfiles` rejects, and when the folder cannot be written.
 */
export async function changeProfiles(configDir: string, change: (stored: Profiles) => Profiles): Promise<void> {
  const next = change(await readProfiles(configDir));
  try {
    await makePrivateFolder(configDir);
    // Only here: loading it costs as much as an empty process.
    const { default: Conf } = await import("conf");
    const store = new Conf<{ current?: string; profiles?: unknown }>({
      cwd: configDir,
      configName: profileFileName,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    store.store = { ...next };
    // `conf` flushes the file, and not the name that it gets.
    await flushFolder(configDir);
  } catch (cause) {
    const why = errorText(cause);
    throw refusedInput(`${profileFilePath(configDir)} cannot be written: ${why}`);
  }
}
