import { isDelivered } from "../words/run-status-words.ts";
import { palette, type PaletteColor } from "./palette.ts";

const colors: Readonly<Record<string, PaletteColor>> = {
  COMPLETED: palette.good,
  ACTIVE: palette.good,
  ENABLED: palette.good,
  DELIVERED: palette.good,
  healthy: palette.good,
  stable: palette.good,
  READY: palette.busy,
  APPROVED: palette.good,
  DENIED: palette.bad,
  RUNNING: palette.busy,
  WAITING: palette.busy,
  STOPPING: palette.notable,
  STOPPED: palette.notable,
  degraded: palette.notable,
  EXPIRED: palette.notable,
  EXPIRING: palette.notable,
  SUSPENDED: palette.notable,
  PAUSED: palette.notable,
  PROVISION_FAILED: palette.bad,
  FAILED: palette.bad,
  DEAD: palette.bad,
  DISABLED: palette.notable,
  BLOCKED: palette.bad,
  TIMED_OUT: palette.bad,
  REVOKED: palette.bad,
  outage: palette.bad,
};

/** The colour of how a run stands: a provider's error is no success. */
export function runStatusColor(run: Parameters<typeof isDelivered>[0]): PaletteColor | undefined {
  return run.status === "COMPLETED" && !isDelivered(run) ? palette.bad : statusColor(run.status);
}

/** The colour of a key's or an endpoint's status; undefined for one without. */
export function statusColor(status: string | undefined): PaletteColor | undefined {
  return status === undefined ? undefined : colors[status];
}
