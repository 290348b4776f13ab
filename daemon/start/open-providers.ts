import type { Clock } from "../base/clock.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import { createBuiltinProviders } from "../providers/builtin-providers.ts";
import { type LateProvider, lateProvider } from "../providers/late-provider.ts";
import type { Redactor } from "../redaction/redact.ts";

export interface OpenProvidersParts {
  readonly config: Pick<DaemonConfig, "allowPrivateHosts">;
  readonly shares: Pick<DescriptorShares, "atlas">;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly opened: OpenParts;
}

/** What calls providers, the bundled ones among them; its code is loaded with the first call, or by `load`. */
export function openProviders({ config, shares, catalog, clock, redactor, opened }: OpenProvidersParts): LateProvider {
  const builtins = opened.use(createBuiltinProviders({ maxConnections: shares.atlas }));
  const provider = lateProvider(async () => {
    const { createHttpProvider } = await import("../providers/http-provider.ts");
    return createHttpProvider({
      secretsOf: (version) => catalog.resolveSecrets(version),
      builtinOrigin: (name) => builtins.origin(name),
      allowPrivateHosts: new Set(config.allowPrivateHosts),
      privateHostsGranted: (version) => catalog.grantedPrivateHosts(version),
      redactor,
      clock,
    });
  });
  return opened.use(provider);
}
