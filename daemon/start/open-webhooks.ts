import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { HealthSource } from "../discovery/health/health.ts";
import type { DocumentStore } from "../storage/documents/document-store.ts";
import type { Store } from "../storage/store.ts";
import { createDnsLookup } from "../webhooks/dns-lookup.ts";
import { createDeliveryDriver, type DeliveryDriver } from "../webhooks/delivery-driver.ts";
import { createSecretBox } from "../webhooks/secret-box.ts";
import { createOutageWatch, type OutageWatch } from "../webhooks/watch-outages.ts";
import { createWebhookService, type WebhookService } from "../webhooks/webhook-service.ts";

/** A whole attempt, from the look-up of its name to the status of its answer. */
const ATTEMPT_TIMEOUT_MS = 15_000;

export interface OpenWebhooksParts {
  readonly config: Pick<DaemonConfig, "version" | "allowPrivateHosts">;
  readonly documents: Pick<DocumentStore, "webhookKey">;
  readonly store: Store;
  readonly health: HealthSource;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Logger;
}

export interface OpenWebhooks {
  readonly webhooks: WebhookService;
  readonly deliveries: DeliveryDriver;
  readonly outages: OutageWatch;
}

/** Opens webhooks. The code that calls receivers is loaded when one is called: a daemon without webhooks starts without it. */
export function openWebhooks({
  config,
  documents,
  store,
  health,
  clock,
  newId,
  logger,
}: OpenWebhooksParts): OpenWebhooks {
  const box = createSecretBox(documents.webhookKey);
  const loadReceiver = async () => await import("../webhooks/receiver.ts");
  const lookup = createDnsLookup();
  const hostsOf = (mayBePrivate: boolean) => ({
    privateHosts: new Set(mayBePrivate ? config.allowPrivateHosts : []),
    lookup,
  });
  const deliveries = createDeliveryDriver({
    store,
    box,
    clock,
    logger,
    userAgent: `mkt/${config.version}`,
    random: Math.random,
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
    connect: async (mayBePrivate) => (await loadReceiver()).openReceiver(hostsOf(mayBePrivate)),
  });
  return {
    deliveries,
    outages: createOutageWatch({ store, health, clock, logger }),
    webhooks: createWebhookService({
      store,
      box,
      clock,
      newId,
      driver: deliveries,
      checkAddress: async (address, mayBePrivate) =>
        (await loadReceiver()).checkReceiverAddress(address, hostsOf(mayBePrivate)),
      testTimeoutMs: ATTEMPT_TIMEOUT_MS + 2_000,
    }),
  };
}
