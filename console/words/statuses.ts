/** How something stands: the colour of its mark. Its word is always beside it. */
export type Tone = "good" | "busy" | "warn" | "bad" | "quiet";

const TONES: Readonly<Record<string, Tone>> = {
  COMPLETED: "good",
  RUNNING: "busy",
  READY: "busy",
  STOPPING: "busy",
  FAILED: "bad",
  TIMED_OUT: "bad",
  BLOCKED: "warn",
  STOPPED: "quiet",
  WAITING: "warn",
  APPROVED: "good",
  DENIED: "bad",
  EXPIRED: "quiet",
  WITHDRAWN: "quiet",
  ACTIVE: "good",
  PAUSED: "quiet",
  REVOKED: "quiet",
  ENABLED: "good",
  DISABLED: "bad",
  DELIVERED: "good",
  DEAD: "bad",
  RUN: "good",
  MISSED: "warn",
  OVERLAP: "warn",
  REFUSED: "bad",
  healthy: "good",
  stable: "good",
  degraded: "warn",
  outage: "bad",
  unknown: "quiet",
  works: "good",
  failing: "bad",
  strong: "good",
  possible: "warn",
  weak: "quiet",
};

export function toneOf(status: string): Tone {
  return TONES[status] ?? "quiet";
}

/** `Timed out` for `TIMED_OUT`. */
export function statusText(status: string): string {
  const words = status.replaceAll("_", " ").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
