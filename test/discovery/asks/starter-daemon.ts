import { loadFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";
import { type TestDaemon, startTestDaemon } from "../../support/start-daemon.ts";

/** Looks like a secret of every manifest that says how its secrets look. */
const SECRET = "0123456789abcdef0123456789abcdef";

/**
 * A daemon with the whole starter catalog, every secret of which is set: nothing is hidden because it cannot be called.
 * Further manifests by slug lie in a trusted folder beside it.
 */
export async function startStarterDaemon(manifests: Readonly<Record<string, object>> = {}): Promise<TestDaemon> {
  const { providers } = await loadFolders([{ dir: starterCatalogDir(), bundled: true, trusted: true }]);
  const names = providers.flatMap(({ provider }) => Object.values(provider.secrets).map(({ env }) => env));
  return await startTestDaemon({
    manifests,
    config: { bundledCatalogDir: starterCatalogDir() },
    environment: Object.fromEntries(names.map((name) => [name, SECRET])),
  });
}
