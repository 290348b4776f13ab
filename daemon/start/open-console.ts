import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import { createDocumentImports, type DocumentImports } from "../console/catalog/document-imports.ts";
import { consoleFiles } from "../console/console-files.ts";
import { type ConsoleSessions, createConsoleSessions } from "../console/console-sessions.ts";
import { EventHub } from "../console/events/event-hub.ts";
import { createSignInWay, type SignInWay } from "../console/sign-in-way.ts";
import type { Pages } from "../http/routes/pages.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";

export interface OpenConsoleParts {
  readonly config: DaemonConfig;
  readonly store: DaemonStore;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
}

export interface OpenConsole {
  readonly events: EventHub;
  readonly consoleSessions: ConsoleSessions;
  readonly signInWay: SignInWay;
  readonly documentImports: DocumentImports;
  readonly consolePages: Pages;
}

/** Opens what only the console uses: its pages, sessions and events, and imports of documents. */
export function openConsole({ config, store, catalog, clock, newId, logger }: OpenConsoleParts): OpenConsole {
  const signInWay = createSignInWay({ jwt: config.jwt, client: config.consoleClient, clock, logger });
  return {
    events: new EventHub({ store, lastNumber: store.lastNumber }),
    consoleSessions: createConsoleSessions({ store, refresh: store.refresh, clock, newId }),
    signInWay,
    documentImports: createDocumentImports({
      configDir: config.configDir,
      bundledDir: config.bundledCatalogDir,
      worker: config.program?.importWorker,
      isShared: store.cluster !== undefined,
      isServed: (slug) => catalog.findProvider(slug) !== undefined || catalog.notLoaded().has(slug),
      clock,
    }),
    consolePages: consoleFiles({
      directory: config.consoleDir ?? config.program?.consoleDir,
      isOn: config.console,
      otherOrigins: signInWay.origins,
    }),
  };
}
