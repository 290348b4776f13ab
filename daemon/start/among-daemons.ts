import type { Authenticate } from "../http/callers/access.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ScheduleDriver } from "../schedules/schedule-driver.ts";
import type { DaemonStore } from "../storage/daemon-store.ts";
import type { DeliveryDriver } from "../webhooks/delivery-driver.ts";

/** Starts what only one daemon may do: at once where this one is alone on its store, else when it leads. */
export async function whenLeading(cluster: Cluster | undefined, start: () => Promise<void>): Promise<void> {
  if (cluster === undefined) await start();
  else cluster.whenLeading(start);
}

/** Tells the drivers what other daemons have written, which nobody else here does. */
export function hearOthers(
  cluster: Cluster | undefined,
  { scheduleDriver, deliveries }: { readonly scheduleDriver: ScheduleDriver; readonly deliveries: DeliveryDriver },
): void {
  cluster?.watchLines((line, isOwn) => {
    if (isOwn) return;
    if (line.t === "webhook.tried") {
      for (const { webhook, id } of line.each) deliveries.triedElsewhere({ webhookId: webhook, id });
    } else if ("schedule" in line && line.t !== "schedule.skipped") {
      scheduleDriver.changed({ scheduleId: line.schedule, workspaceId: line.ws });
    }
  });
}

/** Where other daemons write too: a key that one of them revoked is refused here, and a run that it began is found. */
export function seeingOthers(authenticate: Authenticate, { refresh }: DaemonStore): Authenticate {
  if (refresh === undefined) return authenticate;
  return async (credentials) => {
    await refresh();
    return await authenticate(credentials);
  };
}
