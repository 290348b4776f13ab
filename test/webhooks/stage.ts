import { randomBytes } from "node:crypto";
import { pino } from "pino";
import type { lookup as dnsLookup } from "node:dns";
import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";
import type { Committer, Line } from "../../daemon/ledger/transaction/transaction.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import type { Store } from "../../daemon/storage/store.ts";
import { createDeliveryDriver, type DeliveryDriver } from "../../daemon/webhooks/delivery-driver.ts";
import { checkReceiverAddress, openReceiver } from "../../daemon/webhooks/receiver.ts";
import { createSecretBox } from "../../daemon/webhooks/secret-box.ts";
import { createWebhookService, type WebhookService } from "../../daemon/webhooks/webhook-service.ts";
import { AT, ownerCreated, runAccepted, runDone } from "../storage/lines.ts";

/** A wall clock and the process's own time, each moved by a test. */
export class TestClock {
  wallMs = Date.parse(AT);
  #runningMs = 1_000;

  now = () => this.wallMs;
  runningMs = () => this.#runningMs;

  /** Time passes. */
  pass(ms: number): void {
    this.wallMs += ms;
    this.#runningMs += ms;
  }
}

export const owner: WorkspaceCaller = {
  kind: "API_KEY",
  actor: "API_KEY#k1",
  userId: "u1",
  workspaceId: "w1",
  scopes: ["*"],
  operator: true,
  key: { keyId: "k1", workspaceId: "w1", label: "owner", fingerprint: "k1" },
};

export interface StageOptions {
  readonly store?: Store & Committer;
  readonly clock?: TestClock;
  readonly key?: Buffer;
  readonly attemptTimeoutMs?: number;
  readonly privateHosts?: readonly string[];
  readonly lookup?: typeof dnsLookup;
  /** 0 without it: no jitter. */
  readonly random?: number;
}

export interface Stage extends AsyncDisposable {
  readonly store: Store;
  readonly clock: TestClock;
  readonly driver: DeliveryDriver;
  readonly webhooks: WebhookService;
  /** A run ends, and the webhooks are told. */
  endRun(runId: string, members?: Parameters<typeof runDone>[1]): Promise<void>;
  tell(type: string, data: Readonly<Record<string, unknown>>, key?: string): Promise<void>;
}

let ids = 0;

/** Webhooks on a store, with real receivers and a clock that the test moves. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { clock = new TestClock(), key = randomBytes(32), privateHosts = ["127.0.0.1"], lookup, random = 0 } = options;
  const store = options.store ?? openMemoryStore();
  const isNew = (await store.listWorkspaces()).length === 0;
  if (isNew) await store.commit({ line: ownerCreated() });
  const box = createSecretBox({ find: async () => key, findOrMake: async () => key });
  const receiver = (mayBePrivate: boolean) => ({
    privateHosts: new Set(mayBePrivate ? privateHosts : []),
    ...(lookup !== undefined && { lookup }),
  });
  const driver = createDeliveryDriver({
    store,
    box,
    clock,
    logger: pino({ level: "silent" }),
    userAgent: "mkt/test",
    random: () => random,
    attemptTimeoutMs: options.attemptTimeoutMs ?? 5_000,
    connect: async (mayBePrivate) => openReceiver(receiver(mayBePrivate)),
  });
  await driver.start();
  const webhooks = createWebhookService({
    store,
    box,
    clock,
    newId: () => `id${(ids += 1)}`,
    driver,
    checkAddress: async (address, mayBePrivate) => checkReceiverAddress(address, receiver(mayBePrivate)),
    testTimeoutMs: 5_000,
  });
  const commit = async (line: Line) => await store.commit({ line });
  return {
    store,
    clock,
    driver,
    webhooks,
    async endRun(runId, members = {}) {
      await commit(runAccepted(runId, {}));
      const done = runDone(runId, members);
      const { runEndEvents } = await import("../../daemon/runs/lifecycle/run-events.ts");
      await commit({ ...done, ...runEndEvents(done.rec, { webhooks: await store.listWebhooks("w1") }) });
    },
    async tell(type, data, eventKey = JSON.stringify(data)) {
      const { recordEvents } = await import("../../daemon/ledger/transaction/record-events.ts");
      const event = { type: type as "schedule.paused", key: eventKey, data };
      const events = recordEvents({ webhooks: await store.listWebhooks("w1") }, [event]);
      await commit({ t: "webhook.event", v: 1, at: new Date(clock.now()).toISOString(), ws: "w1", ...events });
    },
    async [Symbol.asyncDispose]() {
      await driver.close();
    },
  };
}
