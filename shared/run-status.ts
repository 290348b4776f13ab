/** All statuses of a run. */
export const runStatuses = [
  "READY",
  "RUNNING",
  "STOPPING",
  "COMPLETED",
  "FAILED",
  "BLOCKED",
  "STOPPED",
  "TIMED_OUT",
] as const;

const terminal: ReadonlySet<string> = new Set<(typeof runStatuses)[number]>([
  "COMPLETED",
  "FAILED",
  "BLOCKED",
  "STOPPED",
  "TIMED_OUT",
]);

/** Whether the run has ended, with any result. */
export function isTerminal({ status }: { status: string }): boolean {
  return terminal.has(status);
}
