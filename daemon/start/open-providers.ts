import type { Clock } from "../base/clock.ts";
import type { RunId } from "../base/ids.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DescriptorShares } from "../config/share-descriptors.ts";
import type { AccountTokens } from "../providers/account-tokens.ts";
import { createBuiltinProviders } from "../providers/builtin-providers.ts";
import { type LateProvider, lateProvider } from "../providers/late-provider.ts";
import type { Redactor } from "../redaction/redact.ts";

export interface OpenProvidersParts {
  readonly config: Pick<DaemonConfig, "allowPrivateHosts">;
  readonly shares: Pick<DescriptorShares, "atlas">;
  readonly catalog: Catalog;
  readonly accounts: AccountTokens;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly traceparentOf?: ((runId: RunId) => string) | undefined;
  readonly opened: OpenParts;
}

/** What calls providers, the bundled ones among them; its code is loaded with the first call, or by `load`. */
export function openProviders(parts: OpenProvidersParts): LateProvider {
  const { config, shares, catalog, accounts, clock, redactor, traceparentOf, opened } = parts;
  const builtins = opened.use(createBuiltinProviders({ maxConnections: shares.atlas }));
  const provider = lateProvider(async () => {
    const { createHttpProvider } = await import("../providers/http-provider.ts");
    return createHttpProvider({
      secretsOf: (version) => catalog.resolveSecrets(version),
      builtinOrigin: (name) => builtins.origin(name),
      allowPrivateHosts: new Set(config.allowPrivateHosts),
      privateHostsGranted: (version) => catalog.grantedPrivateHosts(version),
      accounts,
      redactor,
      ...(traceparentOf && { traceparentOf }),
      clock,
    });
  });
  return opened.use(provider);
}
