import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

/** One installation of `mkt`: folders of its own and nothing of the surroundings but PATH. */
export interface MktHome extends Disposable {
  readonly path: string;
  readonly dataDir: string;
  readonly configDir: string;
  /**
   * The whole environment of a process that lives here. A local daemon is not started by itself, and serves no bundled
   * catalog, which would be most of what its start takes; see {@link BUNDLED_CATALOG}.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes manifests by slug as JSON into a folder below this home, which is made if need be, and gives its path. */
  writeCatalog(name: string, manifests: Readonly<Record<string, object>>): string;
}

/** Over a home's environment: a daemon serves the bundled catalog, unless a flag says otherwise. */
export const BUNDLED_CATALOG = { MKT_NO_BUNDLED_CATALOG: "" } as const;

/** A fresh home, gone with `using`. */
export function mktHome(): MktHome {
  const folder = tempDir();
  const path = folder.path;
  const [dataDir, configDir, home] = [join(path, "data"), join(path, "config"), join(path, "home")];
  mkdirSync(home);
  return {
    path,
    dataDir,
    configDir,
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      MKT_DATA_DIR: dataDir,
      MKT_CONFIG_DIR: configDir,
      MKT_NO_AUTOSTART: "1",
      MKT_BALLAST_BYTES: "0",
      MKT_NO_BUNDLED_CATALOG: "1",
    },
    writeCatalog(name, manifests) {
      const dir = join(path, name);
      mkdirSync(dir, { recursive: true });
      for (const [slug, manifest] of Object.entries(manifests)) {
        writeFileSync(join(dir, `${slug}.json`), JSON.stringify({ mkt: 1, provider: slug, ...manifest }));
      }
      return dir;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
