import { TEST_EVENT } from "../../shared/contract/event-types.ts";
import type { DeliveryRecord, WebhookRecord } from "../ledger/records/webhook-records.ts";
import type { Receiver } from "./receiver.ts";

/** Attempts at once, of all webhooks: each holds at most one socket. */
export const MOST_AT_ONCE = 32;
const MOST_OF_WORKSPACE = 16;
const MOST_OF_WEBHOOK = 8;

/** What is due for one webhook. */
export interface Lane {
  readonly webhookId: string;
  readonly workspaceId: string;
  /** Ids in the order of their coming; those that somebody looks at first. */
  readonly urgent: Set<string>;
  readonly ready: Set<string>;
  readonly flying: Set<string>;
  /** The latest attempt failed: until one succeeds, there is one at a time. */
  isFailing: boolean;
  receiver: Promise<Receiver> | undefined;
}

/**
 * The lines before the receivers: the workspace with the fewest attempts under way is next, and of it each webhook in turn, so that
 * one with slow receivers, or with thousands of deliveries, does not hold up the others.
 */
export class DeliveryLanes {
  readonly #connect: (mayBePrivate: boolean) => Promise<Receiver>;
  /** By webhook id; the one that had its turn last is last. */
  readonly #lanes = new Map<string, Lane>();
  readonly #flyingOf = new Map<string, number>();
  #flying = 0;

  constructor(connect: (mayBePrivate: boolean) => Promise<Receiver>) {
    this.#connect = connect;
  }

  add({ webhookId, workspaceId }: WebhookRecord, { id, type }: DeliveryRecord): void {
    const lane = this.#lanes.get(webhookId) ?? newLane(webhookId, workspaceId);
    this.#lanes.set(webhookId, lane);
    if (lane.flying.has(id)) return;
    (type === TEST_EVENT ? lane.urgent : lane.ready).add(id);
  }

  /** The next delivery that may be sent now; `leave` ends it. */
  take(): { readonly lane: Lane; readonly id: string } | undefined {
    if (this.#flying >= MOST_AT_ONCE) return undefined;
    const lane = this.#next();
    const id = lane && firstOf(lane);
    if (lane === undefined || id === undefined) return undefined;
    this.#lanes.delete(lane.webhookId);
    this.#lanes.set(lane.webhookId, lane);
    lane.flying.add(id);
    this.#count(lane, 1);
    return { lane, id };
  }

  /** An attempt has ended; `isHealthy` is undefined when none was made. */
  leave(lane: Lane, id: string, isHealthy: boolean | undefined): void {
    lane.flying.delete(id);
    this.#count(lane, -1);
    if (isHealthy !== undefined) lane.isFailing = !isHealthy;
    if (lane.flying.size > 0 || lane.ready.size > 0 || lane.urgent.size > 0) return;
    this.#lanes.delete(lane.webhookId);
    void lane.receiver?.then(async (receiver) => await receiver.close()).catch(() => undefined);
  }

  /** The connections of a lane, opened at its first attempt. */
  async receiverOf(lane: Lane, { mayBePrivate }: WebhookRecord): Promise<Receiver> {
    lane.receiver ??= this.#connect(mayBePrivate === true);
    return await lane.receiver;
  }

  async close(): Promise<void> {
    const lanes = [...this.#lanes.values()];
    this.#lanes.clear();
    await Promise.all(lanes.map(async ({ receiver }) => await (await receiver)?.close()));
  }

  #next(): Lane | undefined {
    let [next, fewest] = [undefined as Lane | undefined, MOST_OF_WORKSPACE];
    for (const lane of this.#lanes.values()) {
      const flying = this.#flyingOf.get(lane.workspaceId) ?? 0;
      if (flying < fewest && mayFly(lane)) [next, fewest] = [lane, flying];
    }
    return next;
  }

  #count({ workspaceId }: Lane, by: number): void {
    this.#flying += by;
    const left = (this.#flyingOf.get(workspaceId) ?? 0) + by;
    if (left === 0) this.#flyingOf.delete(workspaceId);
    else this.#flyingOf.set(workspaceId, left);
  }
}

function newLane(webhookId: string, workspaceId: string): Lane {
  return {
    webhookId,
    workspaceId,
    urgent: new Set(),
    ready: new Set(),
    flying: new Set(),
    isFailing: false,
    receiver: undefined,
  };
}

function mayFly({ urgent, ready, flying, isFailing }: Lane): boolean {
  return flying.size < (isFailing ? 1 : MOST_OF_WEBHOOK) && (urgent.size > 0 || ready.size > 0);
}

function firstOf({ urgent, ready }: Lane): string | undefined {
  const line = urgent.size > 0 ? urgent : ready;
  const [id] = line;
  if (id !== undefined) line.delete(id);
  return id;
}
