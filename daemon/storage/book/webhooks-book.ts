import type { WorkspaceId } from "../../base/ids.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import type { WebhookLine } from "../../ledger/lines/webhook-lines.ts";
import type {
  AttemptOutcome,
  DeliveryRecord,
  RecordedEvent,
  WebhookRecord,
} from "../../ledger/records/webhook-records.ts";
import type { DeliveryRef } from "../../ledger/stores/webhook-store.ts";

/** Deliveries of one workspace that may wait; more are dead at once, so that a dead receiver cannot fill the memory. */
export const MAX_WAITING = 20_000;
/** Deliveries of all workspaces that may wait, but for those that every workspace has room for. docs/webhooks.md, "Dead deliveries". */
export const MAX_WAITING_OF_ALL = 200_000;
/** So many of a workspace may wait however many of the others do. */
export const ROOM_OF_EACH = 100;
/** Deliveries of one webhook that were delivered, and as many that are dead, which are still listed: the newest of each. */
export const ENDED_KEPT = 500;
/**
 * Ended deliveries of one workspace that are still listed. The longest list with a delivered one loses the oldest of these; dead
 * ones, which can be sent again, go only when no delivered one is left.
 */
export const ENDED_KEPT_OF_WORKSPACE = 5_000;

/** Webhooks, and the deliveries that their lines caused. docs/webhooks.md. */
export interface WebhooksBook {
  /** Workspace id → webhook id → webhook, in the order of creation. */
  readonly byWorkspace: Map<string, Map<string, WebhookRecord>>;
  readonly workspaceOf: Map<string, string>;
  /** Webhook id → message id → delivery, oldest first. */
  readonly waiting: Map<string, Map<string, DeliveryRecord>>;
  readonly ended: Map<string, Map<string, DeliveryRecord>>;
  /** Workspace and condition → since when it holds. */
  readonly conditions: Map<string, string>;
}

export function emptyWebhooksBook(): WebhooksBook {
  return {
    byWorkspace: new Map(),
    workspaceOf: new Map(),
    waiting: new Map(),
    ended: new Map(),
    conditions: new Map(),
  };
}

export function applyWebhook(book: WebhooksBook, line: WebhookLine): void {
  switch (line.t) {
    case "webhook.created":
    case "webhook.changed":
      putWebhook(book, line.webhook);
      break;
    case "webhook.deleted":
      book.byWorkspace.get(line.ws)?.delete(line.webhookId);
      for (const one of [book.workspaceOf, book.waiting, book.ended]) one.delete(line.webhookId);
      break;
    case "webhook.tried":
      for (const outcome of line.each) applyOutcome(book, outcome);
      for (const webhookId of line.gone ?? []) disable(book, webhookId, { at: line.at, why: "GONE" });
      break;
    case "webhook.keyExpired":
      disableWebhooksOfKey(book, line.keyId, { at: line.at, why: "KEY_EXPIRED" });
      break;
    case "webhook.resent":
      for (const id of line.ids) sendAgain(book, line, id);
      break;
    case "webhook.condition": {
      const key = conditionKey(line.ws, line.condition);
      if (line.holds) book.conditions.set(key, line.at);
      else book.conditions.delete(key);
      break;
    }
    case "webhook.event":
      break;
  }
}

/** The deliveries of the events that a line causes. */
export function applyEvents(book: WebhooksBook, line: Line): void {
  if (!("events" in line) || line.events === undefined) return;
  const runId = "run" in line ? line.run : undefined;
  for (const event of line.events) {
    for (const [webhookId, id] of event.to) {
      addDelivery(book, deliveryOf(event, { id, webhookId, workspaceId: line.ws, at: line.at, runId }));
    }
  }
}

/** The deliveries that a line makes wait. */
export function madeWaiting(line: Line): readonly DeliveryRef[] {
  if (line.t === "webhook.resent") return line.ids.map((id) => ({ webhookId: line.webhookId, id }));
  if (!("events" in line) || line.events === undefined) return [];
  return line.events.flatMap(({ to }) => to.map(([webhookId, id]) => ({ webhookId, id })));
}

/** Whoever made or enabled a webhook with a key loses it with the key. */
export function disableWebhooksOfKey(
  book: WebhooksBook,
  keyId: string,
  disabled: NonNullable<WebhookRecord["disabled"]>,
): void {
  for (const own of book.byWorkspace.values()) {
    for (const webhook of own.values()) {
      if (webhook.keyId === keyId) disable(book, webhook.webhookId, disabled);
    }
  }
}

export function listWebhooks(book: WebhooksBook, workspaceId: WorkspaceId): WebhookRecord[] {
  return [...(book.byWorkspace.get(workspaceId)?.values() ?? [])];
}

export function findWebhook(book: WebhooksBook, webhookId: string): WebhookRecord | undefined {
  return book.byWorkspace.get(book.workspaceOf.get(webhookId) ?? "")?.get(webhookId);
}

export function findDelivery(book: WebhooksBook, { webhookId, id }: DeliveryRef): DeliveryRecord | undefined {
  return book.waiting.get(webhookId)?.get(id) ?? book.ended.get(webhookId)?.get(id);
}

export function conditionKey(workspaceId: WorkspaceId, condition: string): string {
  return `${workspaceId}\n${condition}`;
}

function putWebhook(book: WebhooksBook, webhook: WebhookRecord): void {
  const { webhookId, workspaceId, disabled } = webhook;
  const own = book.byWorkspace.get(workspaceId) ?? new Map<string, WebhookRecord>();
  book.byWorkspace.set(workspaceId, own);
  own.set(webhookId, webhook);
  book.workspaceOf.set(webhookId, workspaceId);
  if (disabled !== undefined) endAllWaiting(book, webhookId, disabled.at);
}

function disable(book: WebhooksBook, webhookId: string, disabled: NonNullable<WebhookRecord["disabled"]>): void {
  const webhook = findWebhook(book, webhookId);
  if (webhook !== undefined && webhook.disabled === undefined) putWebhook(book, { ...webhook, disabled });
}

function deliveryOf(
  { type, data }: RecordedEvent,
  { runId, ...of }: Pick<DeliveryRecord, "id" | "webhookId" | "workspaceId" | "at"> & { runId: string | undefined },
): DeliveryRecord {
  return {
    ...of,
    type,
    ...(data !== undefined && { data }),
    ...(runId !== undefined && { runId }),
    attempts: 0,
    state: "WAITING",
  };
}

/** A delivery that is known is not sent a second time. */
function addDelivery(book: WebhooksBook, delivery: DeliveryRecord): void {
  const { webhookId, at } = delivery;
  if (findWebhook(book, webhookId) === undefined || findDelivery(book, delivery) !== undefined) return;
  const error = whyNoRoom(book, delivery.workspaceId);
  if (error === undefined) deliveriesOf(book.waiting, webhookId).set(delivery.id, delivery);
  else keepEnded(book, { ...delivery, state: "DEAD", last: { at, error } });
}

function whyNoRoom(book: WebhooksBook, workspaceId: string): string | undefined {
  const own = countWaiting(book, workspaceId);
  if (own >= MAX_WAITING) return `${MAX_WAITING} other deliveries waited`;
  if (own < ROOM_OF_EACH) return undefined;
  let all = 0;
  for (const { size } of book.waiting.values()) all += size;
  return all < MAX_WAITING_OF_ALL ? undefined : `${MAX_WAITING_OF_ALL} deliveries of the whole service waited`;
}

function countWaiting(book: WebhooksBook, workspaceId: string): number {
  let count = 0;
  for (const webhookId of book.byWorkspace.get(workspaceId)?.keys() ?? [])
    count += book.waiting.get(webhookId)?.size ?? 0;
  return count;
}

function applyOutcome(
  book: WebhooksBook,
  { webhook, id, at, ms, status, error, nextAt, delivered }: AttemptOutcome,
): void {
  const known = book.waiting.get(webhook)?.get(id);
  if (known === undefined) return;
  const { nextAt: _due, ...rest } = known;
  const last = { at, ms, ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
  const tried = { ...rest, attempts: known.attempts + 1, last };
  if (nextAt !== undefined) return void deliveriesOf(book.waiting, webhook).set(id, { ...tried, nextAt });
  book.waiting.get(webhook)?.delete(id);
  keepEnded(book, { ...tried, state: delivered === true ? "DELIVERED" : "DEAD" });
}

function sendAgain(
  book: WebhooksBook,
  { webhookId, at }: Pick<Extract<WebhookLine, { t: "webhook.resent" }>, "webhookId" | "at">,
  id: string,
): void {
  const ended = book.ended.get(webhookId)?.get(id);
  if (ended === undefined) return;
  const error = whyNoRoom(book, ended.workspaceId);
  if (error !== undefined) return keepEnded(book, { ...ended, state: "DEAD", last: { ...ended.last, at, error } });
  book.ended.get(webhookId)?.delete(id);
  deliveriesOf(book.waiting, webhookId).set(id, { ...ended, attempts: 0, state: "WAITING" });
}

function endAllWaiting(book: WebhooksBook, webhookId: string, at: string): void {
  for (const waiting of book.waiting.get(webhookId)?.values() ?? []) {
    const { nextAt: _due, ...rest } = waiting;
    keepEnded(book, { ...rest, state: "DEAD", last: { ...waiting.last, at, error: "the webhook was disabled" } });
  }
  book.waiting.delete(webhookId);
}

function keepEnded(book: WebhooksBook, delivery: DeliveryRecord): void {
  const ended = deliveriesOf(book.ended, delivery.webhookId);
  ended.set(delivery.id, delivery);
  if (ended.size > ENDED_KEPT) {
    const alike = [...ended.values()].filter(({ state }) => state === delivery.state);
    const [oldest] = alike;
    if (oldest !== undefined && alike.length > ENDED_KEPT) ended.delete(oldest.id);
  }
  boundEnded(book, delivery.workspaceId);
}

function boundEnded(book: WebhooksBook, workspaceId: string): void {
  const own = [...(book.byWorkspace.get(workspaceId)?.keys() ?? [])].map((webhookId) => book.ended.get(webhookId));
  const lists = own.filter((ended) => ended !== undefined);
  if (lists.reduce((count, { size }) => count + size, 0) <= ENDED_KEPT_OF_WORKSPACE) return;
  lists.sort((one, other) => other.size - one.size);
  for (const ended of lists) {
    const oldest = oldestDelivered(ended);
    if (oldest !== undefined) return void ended.delete(oldest);
  }
  const [oldestDead] = lists[0]?.keys() ?? [];
  if (oldestDead !== undefined) lists[0]?.delete(oldestDead);
}

function oldestDelivered(ended: ReadonlyMap<string, DeliveryRecord>): string | undefined {
  for (const { id, state } of ended.values()) if (state === "DELIVERED") return id;
  return undefined;
}

function deliveriesOf(all: Map<string, Map<string, DeliveryRecord>>, webhookId: string): Map<string, DeliveryRecord> {
  const known = all.get(webhookId) ?? new Map<string, DeliveryRecord>();
  all.set(webhookId, known);
  return known;
}
