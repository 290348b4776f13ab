import { resolve } from "node:path";
import envPaths from "env-paths";

/** The two folders of one installation, as absolute paths. They need not exist yet. */
export interface Places {
  /** Runs, money, identity and the background daemon's log. `MKT_DATA_DIR`, otherwise the platform's default. */
  dataDir: string;
  /** Secrets, own catalog files and the files of local daemons. `MKT_CONFIG_DIR`, otherwise the platform's default. */
  configDir: string;
}

/** Environment variables as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folders of data and configuration: `MKT_DATA_DIR` and `MKT_CONFIG_DIR` of the given environment, otherwise the
 * platform's defaults (`~/.local/share/mkt` and `~/.config/mkt` on Linux). An empty variable counts as not set.
 * Relative folders are relative to the current folder.
 */
export function findPlaces(environment: Environment): Places {
  const platform = envPaths("mkt", { suffix: "" });
  return {
    dataDir: resolve(environment["MKT_DATA_DIR"] || platform.data),
    configDir: resolve(environment["MKT_CONFIG_DIR"] || platform.config),
  };
}
