import { isoNow } from "../base/clock.ts";
import { commitChange } from "./commit-change.ts";
import type { KeeperParts } from "./keeper-parts.ts";
import { endedAsDuplicate } from "./resource-lifecycle.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";

/**
 * Ends a resource whose id belongs to another resource, and returns true. The provider has only one object of that id,
 * so it is not asked to release it, and no more rent is charged. Rejects as `commitChange` does.
 */
export async function endDuplicate(
  { store, clock, logger }: Pick<KeeperParts, "store" | "clock" | "logger">,
  resource: ResourceRecord,
): Promise<boolean> {
  const holder = await store.findHolder(resource);
  if (holder === undefined || holder.resourceId === resource.resourceId) return false;
  await commitChange(store, { before: resource, after: endedAsDuplicate(resource, isoNow(clock)) });
  const { resourceId, provider, workspaceId } = resource;
  logger.warn(
    { resourceId, provider, workspaceId, holder: holder.resourceId },
    "a resource was ended, as its id at the provider is another one's",
  );
  return true;
}
