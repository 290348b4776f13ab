const colors: Readonly<Record<string, string>> = {
  COMPLETED: "green",
  ACTIVE: "green",
  healthy: "green",
  stable: "green",
  READY: "cyan",
  RUNNING: "cyan",
  STOPPING: "yellow",
  STOPPED: "yellow",
  degraded: "yellow",
  EXPIRED: "yellow",
  EXPIRING: "yellow",
  SUSPENDED: "yellow",
  PROVISION_FAILED: "red",
  PAUSED: "yellow",
  FAILED: "red",
  BLOCKED: "red",
  TIMED_OUT: "red",
  REVOKED: "red",
  outage: "red",
};

/** The colour of a run's, a key's or an endpoint's status; undefined for one without. */
export function statusColor(status: string | undefined): string | undefined {
  return status === undefined ? undefined : colors[status];
}
