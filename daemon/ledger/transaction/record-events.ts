import { createHash } from "node:crypto";
import { type EventType, takesEvent } from "../../../shared/contract/event-types.ts";
import type { MoneyReads } from "./money-reads.ts";
import type { RecordedEvent, WebhookRecord } from "../records/webhook-records.ts";

/** Something that a workspace may want to be told of. */
export interface NewEvent {
  readonly type: EventType;
  /**
   * Tells this event from all others of its type in the workspace, as a run's id does: the message ids come from it, so that
   * whatever is repeated until its line is durable is told under the same id.
   */
  readonly key: string;
  /** What is told, as JSON of at most a few kilobytes: never an input, an output or a secret. Absent for the end of a run. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The member `events` of the line that causes them: `{ ...line, ...recordEvents(money, events) }`, inside of `commitMade`. So an
 * event is recorded with its cause, or neither is; its delivery then goes by itself. Empty when no webhook of the workspace takes
 * one of them.
 */
export function recordEvents(
  { webhooks }: Pick<MoneyReads, "webhooks">,
  events: readonly NewEvent[],
): { events?: RecordedEvent[] } {
  if (webhooks.length === 0) return {};
  const recorded = events.map((event) => recordOne(webhooks, event)).filter(({ to }) => to.length > 0);
  return recorded.length === 0 ? {} : { events: recorded };
}

/** Whether some webhook takes events of this type. */
export function takesSome({ webhooks }: Pick<MoneyReads, "webhooks">, type: EventType): boolean {
  return webhooks.some((webhook) => isTold(webhook, type));
}

function recordOne(webhooks: readonly WebhookRecord[], { type, key, data }: NewEvent): RecordedEvent {
  const to = webhooks
    .filter((webhook) => isTold(webhook, type))
    .map(({ webhookId }): [string, string] => [webhookId, messageId(webhookId, type, key)]);
  return { type, ...(data !== undefined && { data: { ...data } }), to };
}

function isTold({ disabled, events }: WebhookRecord, type: string): boolean {
  return disabled === undefined && takesEvent(events, type);
}

/** One for each event and receiver, without dots, as the Standard Webhooks specification asks. */
export function messageId(webhookId: string, type: string, key: string): string {
  const digest = createHash("sha256").update(`${webhookId}\n${type}\n${key}`).digest("hex");
  return `msg_${digest.slice(0, 32)}`;
}
