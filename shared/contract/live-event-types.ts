/** What a stream of events tells beside `ready` and `reset`. docs/contract.md, "Events as they happen". */
export const LIVE_EVENTS = [
  "run",
  "wallet",
  "control",
  "approval",
  "schedule",
  "webhook",
  "resource",
  "secret",
  "catalog",
  "key",
] as const;
export type LiveEventType = (typeof LIVE_EVENTS)[number];
