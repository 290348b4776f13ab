import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { OpenParts } from "../base/open-parts.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { ConnectionAlerts } from "../connections/connection-alerts.ts";
import { ConnectedAccounts } from "../connections/connected-accounts.ts";
import { ConnectionService } from "../connections/connection-service.ts";
import type { OAuthClient } from "../connections/oauth-client.ts";
import type { WireIds } from "../identity/wire-ids.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { Redactor } from "../redaction/redact.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";

export interface OpenConnectionsParts {
  readonly config: Pick<DaemonConfig, "allowPrivateHosts">;
  readonly documents: Pick<DocumentStore, "openConnections">;
  readonly store: IdentityStore & Committer;
  readonly catalog: Catalog;
  readonly ids: WireIds;
  /** Where browsers reach this service; undefined if nobody said, and other machines may reach it. */
  readonly baseUrl: () => string | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly opened: OpenParts;
}

export interface OpenConnections {
  readonly accounts: ConnectedAccounts;
  readonly connections: ConnectionService;
}

/** The accounts of workspaces at providers with a login. Rejects with `ConfigRefused`. */
export async function openConnections(parts: OpenConnectionsParts): Promise<OpenConnections> {
  const { documents, store: identity, redactor, opened } = parts;
  const client = loadsClient(parts);
  const store = await documents.openConnections((secret) => redactor.remember(secret));
  const alerts = new ConnectionAlerts({ ...parts, store: identity });
  const accounts = new ConnectedAccounts({ ...parts, store, client, alerts });
  const connections = new ConnectionService({ ...parts, store, accounts, identity, client, alerts });
  opened.defer(() => connections.close());
  await connections.tellInterrupted();
  return { accounts, connections };
}

/** Its code is loaded with the first login or renewal. */
function loadsClient({ config, catalog, redactor, opened }: OpenConnectionsParts): () => Promise<OAuthClient> {
  let loaded: Promise<OAuthClient> | undefined;
  return async () => {
    loaded ??= (async () => {
      const [{ OAuthClient }, { Connections }] = await Promise.all([
        import("../connections/oauth-client.ts"),
        import("../providers/sending/connections.ts"),
      ]);
      const connections = new Connections({
        allowPrivateHosts: new Set(config.allowPrivateHosts),
        privateHostsGranted: (version) => catalog.grantedPrivateHosts(version),
      });
      opened.defer(() => connections.close());
      return new OAuthClient({ connections, redactor });
    })();
    loaded.catch(() => (loaded = undefined));
    return await loaded;
  };
}
