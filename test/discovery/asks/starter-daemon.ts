import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";
import { type TestDaemon, startTestDaemon } from "../../support/start-daemon.ts";

/** Looks like a secret of every manifest that says how its secrets look. */
const SECRET = "0123456789abcdef0123456789abcdef";

/**
 * A daemon with the whole starter catalog, every secret of which is set: nothing is hidden because it cannot be called.
 * Further manifests by slug lie in a trusted folder beside it.
 */
export async function startStarterDaemon(manifests: Readonly<Record<string, object>> = {}): Promise<TestDaemon> {
  return await startTestDaemon({
    manifests,
    config: { bundledCatalogDir: starterCatalogDir() },
    environment: Object.fromEntries(secretNames().map((name) => [name, SECRET])),
  });
}

/** As the files have them: to load the catalog for its names would load it twice. */
function secretNames(): string[] {
  const dir = starterCatalogDir();
  return readdirSync(dir).flatMap((file) => {
    const { secrets = {} } = JSON.parse(readFileSync(join(dir, file), "utf8")) as { secrets?: Secrets };
    return Object.values(secrets).map(({ env }) => env);
  });
}

type Secrets = Readonly<Record<string, { readonly env: string }>>;
