import { setMaxListeners } from "node:events";
import { type Clock, isoNow, runningMs } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { statusOf } from "../identity/key-status.ts";
import { StorageAway } from "../ledger/transaction/commit-errors.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { RunStore } from "../ledger/stores/run-store.ts";
import type { Committer, Line } from "../ledger/transaction/transaction.ts";
import type { DeliveryRecord, WebhookRecord } from "../ledger/records/webhook-records.ts";
import type { DeliveryRef, WebhookStore } from "../ledger/stores/webhook-store.ts";
import { type Attempted, attemptDelivery, type AttemptParts } from "./attempt-delivery.ts";
import { DueHeap } from "./due-heap.ts";
import { DeliveryLanes, type Lane, MOST_AT_ONCE } from "./delivery-lanes.ts";
import type { Receiver } from "./receiver.ts";
import { leftToWaitMs } from "./retry-schedule.ts";

/** How often due work is looked for while some waits: a timer for the next date alone would miss a machine that slept. */
const LOOK_EVERY_MS = 1_000;
/** A clock that moved more than this against the process was set. */
const CLOCK_SET_MS = 5_000;
/** How often it is said that deliveries had no room to wait. */
const TELL_EVERY_MS = 60_000;
/** How long a delivery waits that could not be read since the database was away. */
const READ_AGAIN_MS = 5_000;
/** Time for attempts in flight to end when the daemon stops. */
const GRACE_MS = 2_000;

export interface DeliveryDriverParts extends Omit<AttemptParts, "store"> {
  readonly store: Committer & WebhookStore & Pick<RunStore, "findRun"> & Pick<IdentityStore, "findKey">;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn" | "error">;
  /** Connects to the receiver of a webhook; `mayBePrivate`: as the operator's setting allows. */
  readonly connect: (mayBePrivate: boolean) => Promise<Receiver>;
}

/** Sends what waits. */
export interface DeliveryDriver extends AsyncDisposable {
  /** Takes up what an earlier process left, and whatever is recorded from now on. */
  start(): Promise<void>;
  /** Begins what is due, and resolves when nothing is due any more. */
  tick(): Promise<void>;
  /** Another daemon has recorded an attempt of the delivery. */
  triedElsewhere(delivery: DeliveryRef): void;
  /** Resolves when an attempt of the delivery is recorded, the signal is aborted, or the driver closes. */
  whenTried(delivery: DeliveryRef, signal: AbortSignal): Promise<void>;
  /** Ends attempts in flight, after a short time for them; the next start takes them up. */
  close(): Promise<void>;
}

/** A delivery that waits, as the driver knows it: one for each. */
interface Waiting extends DeliveryRef {
  /** By the process's own time. */
  readonly dueMs: number;
  /** Another one has replaced it. */
  isReplaced: boolean;
}

/** An attempt whose line is to be written. */
interface Outcome {
  readonly attempted: Attempted;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createDeliveryDriver(parts: DeliveryDriverParts): DeliveryDriver {
  return new Deliveries(parts);
}

/**
 * Deliveries are kept in the store alone; here is only when each is due. One timer serves all, attempts run in lanes that share
 * few sockets, and outcomes that come together are one line.
 */
class Deliveries implements DeliveryDriver {
  readonly #parts: DeliveryDriverParts;
  readonly #later = new DueHeap<Waiting>();
  /** By webhook and id: those that wait for their time. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #lanes: DeliveryLanes;
  readonly #closing = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly #tried = new Map<string, (() => void)[]>();
  #outcomes: Outcome[] = [];
  #isRecording = false;
  #timer: NodeJS.Timeout | undefined;
  #clockOffsetMs: number;
  #isOver = false;
  /** Those that were dead at once and are not told yet, and from when on they are. */
  #untried = 0;
  #tellUntriedMs = 0;

  constructor(parts: DeliveryDriverParts) {
    this.#parts = parts;
    this.#clockOffsetMs = this.#offset();
    this.#lanes = new DeliveryLanes(parts.connect);
    setMaxListeners(MOST_AT_ONCE, this.#closing.signal);
  }

  async start(): Promise<void> {
    this.#parts.store.watchDeliveries((made) => void this.#work(this.#admitAll(made)));
    await this.#admitAll(await this.#parts.store.listWaitingDeliveries());
  }

  async tick(): Promise<void> {
    this.#ring();
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  async whenTried(delivery: DeliveryRef, signal: AbortSignal): Promise<void> {
    if (this.#isOver || signal.aborted) return;
    const name = nameOf(delivery);
    await new Promise<void>((resolve) => {
      this.#tried.set(name, [...(this.#tried.get(name) ?? []), resolve]);
      signal.addEventListener("abort", () => this.#tellTried(delivery), { once: true });
    });
  }

  triedElsewhere(delivery: DeliveryRef): void {
    this.#tellTried(delivery);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const graceOver = setTimeout(() => this.#closing.abort(), GRACE_MS);
    while (this.#working.size > 0) await Promise.all(this.#working);
    clearTimeout(graceOver);
    this.#closing.abort();
    for (const waiters of this.#tried.values()) for (const resolve of waiters) resolve();
    await this.#lanes.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #admitAll(made: readonly (DeliveryRef & Partial<Pick<Waiting, "dueMs">>)[]): Promise<void> {
    for (const one of made) {
      try {
        await this.#admit(one);
      } catch (error) {
        if (!(error instanceof StorageAway)) throw error;
        this.#putOff(one);
      }
    }
    this.#dispatch();
    this.#wind();
  }

  /** Puts a delivery in line, or where it waits for its time, which is at the latest when it already was to be due. */
  async #admit({
    webhookId,
    id,
    dueMs: latestMs = Infinity,
  }: DeliveryRef & Partial<Pick<Waiting, "dueMs">>): Promise<void> {
    const { store, clock } = this.#parts;
    const delivery = await store.findDelivery({ webhookId, id });
    const webhook = await store.findWebhook(webhookId);
    this.#forget({ webhookId, id });
    if (delivery?.state === "DEAD" && delivery.attempts === 0) this.#tellUntried(delivery);
    if (this.#isOver || delivery?.state !== "WAITING" || webhook === undefined) return;
    const nowMs = runningMs(clock);
    const dueMs = Math.min(latestMs, nowMs + leftToWaitMs(delivery, clock.now()));
    if (dueMs <= nowMs) return this.#lanes.add(webhook, delivery);
    this.#wait({ webhookId, id }, dueMs);
  }

  #wait({ webhookId, id }: DeliveryRef, dueMs: number): void {
    const waiting: Waiting = { webhookId, id, dueMs, isReplaced: false };
    this.#waiting.set(nameOf(waiting), waiting);
    this.#later.add(waiting);
  }

  /** Nothing was tried: it is looked at again when the database may be back. */
  #putOff(delivery: DeliveryRef): void {
    if (this.#isOver) return;
    this.#forget(delivery);
    this.#wait(delivery, runningMs(this.#parts.clock) + READ_AGAIN_MS);
    this.#wind();
  }

  #forget(delivery: DeliveryRef): void {
    const name = nameOf(delivery);
    const known = this.#waiting.get(name);
    if (known !== undefined) known.isReplaced = true;
    this.#waiting.delete(name);
  }

  /** Takes what is due from those that wait; all of them again when the clock was set. */
  #ring(): void {
    const offset = this.#offset();
    const wasSet = Math.abs(offset - this.#clockOffsetMs) > CLOCK_SET_MS;
    this.#clockOffsetMs = offset;
    const due: Waiting[] = wasSet ? this.#later.takeAll() : [];
    const nowMs = runningMs(this.#parts.clock);
    for (let next = this.#later.next(); next !== undefined && next.dueMs <= nowMs; next = this.#later.next()) {
      due.push(next);
      this.#later.take();
    }
    void this.#work(this.#admitAll(due.filter(({ isReplaced }) => !isReplaced)));
  }

  #wind(): void {
    if (this.#timer !== undefined || this.#isOver || this.#later.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#ring();
    }, LOOK_EVERY_MS).unref();
  }

  #dispatch(): void {
    while (!this.#isOver) {
      const next = this.#lanes.take();
      if (next === undefined) return;
      void this.#work(this.#send(next.lane, next.id));
    }
  }

  async #send(lane: Lane, id: string): Promise<void> {
    const { store, logger } = this.#parts;
    const { webhookId } = lane;
    let isHealthy: boolean | undefined;
    let isUnread = false;
    try {
      const [delivery, webhook] = [await store.findDelivery({ webhookId, id }), await store.findWebhook(webhookId)];
      if (delivery?.state !== "WAITING" || webhook === undefined || webhook.disabled !== undefined) return;
      if (await this.#hasExpiredKey(webhook)) return;
      const receiver = await this.#lanes.receiverOf(lane, webhook);
      const attempted = await attemptDelivery(
        this.#parts,
        { delivery, webhook },
        { receiver, closing: this.#closing.signal },
      );
      if (attempted === undefined) return;
      isHealthy = attempted.outcome.delivered === true;
      await this.#record(attempted);
    } catch (error) {
      isUnread = error instanceof StorageAway;
      // The daemon ends soon if the disk failed; otherwise the next start takes it up.
      if (!this.#isOver && !isUnread)
        logger.error({ err: error, webhookId, id }, "a delivery could not be made or recorded");
    } finally {
      this.#lanes.leave(lane, id, isHealthy);
      if (isUnread) this.#putOff({ webhookId, id });
      if (isHealthy === false) await this.#admitAll([{ webhookId, id }]);
      this.#tellTried({ webhookId, id });
    }
  }

  /** Disables the webhooks of a key whose time is over; nobody else writes down that it is. */
  async #hasExpiredKey({ keyId }: WebhookRecord): Promise<boolean> {
    const { store, clock } = this.#parts;
    const key = keyId === undefined ? undefined : await store.findKey(keyId);
    if (key === undefined || statusOf(key, clock.now()) !== "EXPIRED") return false;
    await store.commit({ line: { t: "webhook.keyExpired", v: 1, at: isoNow(clock), keyId: key.keyId } });
    return true;
  }

  /** Resolves when the outcome is durable; those that come while a line is written are the next one. */
  async #record(attempted: Attempted): Promise<void> {
    this.#tellLog(attempted);
    const recorded = new Promise<void>((resolve, reject) => this.#outcomes.push({ attempted, resolve, reject }));
    if (!this.#isRecording) void this.#recordAll();
    await recorded;
  }

  async #recordAll(): Promise<void> {
    this.#isRecording = true;
    while (this.#outcomes.length > 0) {
      const taken = this.#outcomes;
      this.#outcomes = [];
      try {
        await this.#parts.store.commit({ line: lineOf(taken, isoNow(this.#parts.clock)) });
        for (const { resolve } of taken) resolve();
      } catch (error) {
        // Nothing more can be recorded: what were sent on would be sent again and again.
        this.#isOver = true;
        for (const { reject } of taken) reject(error);
      }
    }
    this.#isRecording = false;
  }

  #tellLog({ outcome: { webhook, id, status, error, nextAt, delivered }, isGone }: Attempted): void {
    if (delivered === true || nextAt !== undefined) return;
    const facts = { webhookId: webhook, deliveryId: id, ...(status !== undefined && { status }), error };
    const words = isGone ? "a webhook answered that it is gone, and was disabled" : "a delivery of a webhook is dead";
    this.#parts.logger.warn(facts, words);
  }

  /** Too many wait: what is told here once stands for many. */
  #tellUntried({ workspaceId, webhookId, last }: DeliveryRecord): void {
    this.#untried += 1;
    const nowMs = runningMs(this.#parts.clock);
    if (nowMs < this.#tellUntriedMs) return;
    const facts = { workspaceId, webhookId, error: last?.error, deliveries: this.#untried };
    this.#parts.logger.warn(facts, "deliveries of webhooks are dead without an attempt");
    [this.#untried, this.#tellUntriedMs] = [0, nowMs + TELL_EVERY_MS];
  }

  #tellTried(delivery: DeliveryRef): void {
    const name = nameOf(delivery);
    for (const resolve of this.#tried.get(name) ?? []) resolve();
    this.#tried.delete(name);
  }

  async #work(work: Promise<void>): Promise<void> {
    const caught = work.catch((error: unknown) => {
      if (!this.#isOver) this.#parts.logger.error({ err: error }, "deliveries of webhooks could not be looked for");
    });
    this.#working.add(caught);
    await caught;
    this.#working.delete(caught);
    if (!this.#isOver) this.#dispatch();
  }

  /** How far the clock is ahead of the process's own time. */
  #offset(): number {
    return this.#parts.clock.now() - runningMs(this.#parts.clock);
  }
}

function lineOf(outcomes: readonly Outcome[], at: string): Extract<Line, { t: "webhook.tried" }> {
  const tried = outcomes.map(({ attempted }) => attempted);
  const gone = new Set(tried.filter(({ isGone }) => isGone).map(({ outcome }) => outcome.webhook));
  const each = tried.map(({ outcome }) => outcome);
  return { t: "webhook.tried", v: 1, at, each, ...(gone.size > 0 && { gone: [...gone] }) };
}

function nameOf({ webhookId, id }: DeliveryRef): string {
  return `${webhookId} ${id}`;
}
