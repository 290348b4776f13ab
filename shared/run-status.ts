/** The statuses of a run that has not ended. */
export const openRunStatuses = ["READY", "RUNNING", "STOPPING"] as const;

const terminalRunStatuses = ["COMPLETED", "FAILED", "BLOCKED", "STOPPED", "TIMED_OUT"] as const;

/** All statuses of a run. */
export const runStatuses = [...openRunStatuses, ...terminalRunStatuses] as const;

const terminal: ReadonlySet<string> = new Set(terminalRunStatuses);

/** Whether the run has ended, with any result. */
export function isTerminal({ status }: { status: string }): boolean {
  return terminal.has(status);
}
