import { errorText } from "../../shared/error-text.ts";

/** A setting that cannot be used: exit 78. The message names the setting and what it takes. */
export class ConfigRefused extends Error {
  override readonly name = "ConfigRefused";
}

/** What to say when the folder that holds the owner's key cannot be read or written. */
export function unusableConfigDir(configDir: string, error: unknown): ConfigRefused {
  return new ConfigRefused(
    `The configuration folder ${configDir} cannot be used: ${errorText(error)}. Correct it, or name another with MKT_CONFIG_DIR`,
  );
}
