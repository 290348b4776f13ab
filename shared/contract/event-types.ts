/** How a run ended, one type for each status that ends a run. */
export const runEventTypes = {
  COMPLETED: "run.completed",
  FAILED: "run.failed",
  TIMED_OUT: "run.timed_out",
  STOPPED: "run.stopped",
  BLOCKED: "run.blocked",
} as const;

/** What a webhook may be told of. */
export const eventTypes = [
  ...Object.values(runEventTypes),
  "budget.reached",
  "endpoint.outage_began",
  "endpoint.outage_ended",
  "secret.failing",
  "connection.failing",
  "schedule.paused",
  "approval.requested",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Sent on request only, whatever the webhook's filter says. */
export const TEST_EVENT = "webhook.test";

/** A filter of events: one type, a group (`run.*`), or everything. */
export type EventFilter = EventType | `${string}.*` | "*";

/** Every group of types, and the filter for all. */
export const eventFilters: readonly string[] = [
  "*",
  ...new Set(eventTypes.map((type) => `${groupOf(type)}.*`)),
  ...eventTypes,
];

/** Whether a webhook with these filters is told of events of this type. */
export function takesEvent(filters: readonly string[], type: string): boolean {
  return filters.includes("*") || filters.includes(type) || filters.includes(`${groupOf(type)}.*`);
}

function groupOf(type: string): string {
  return type.slice(0, type.indexOf("."));
}
