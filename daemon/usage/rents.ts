import type { WorkspaceId } from "../base/ids.ts";
import { type MicroDollars, negate, NO_MONEY } from "../../shared/micro-dollars.ts";
import { balanceAccount, movedOn } from "../ledger/money/postings.ts";
import type { ResourceRecord } from "../ledger/records/resource-record.ts";
import type { ResourceStore } from "../ledger/stores/resource-store.ts";
import type { RunFilter } from "../ledger/stores/run-store.ts";
import type { AccountStore } from "../ledger/stores/account-store.ts";

/** What is kept of a resource for each of its rents: a workspace may have paid very many. */
export type RentedResource = Pick<ResourceRecord, "workspaceId" | "provider" | "runId" | "provisionedBy">;

/** The charge for a renewal of a resource; the first period is part of the charge of the run that made it. */
export interface Rent {
  readonly resource: RentedResource;
  /** ISO 8601. */
  readonly at: string;
  readonly amountMicroDollars: MicroDollars;
}

type Range = Pick<RunFilter, "since" | "until">;

/**
 * All rent that was paid within the range. Resources keep it as events, but drop older ones if there are very many;
 * only then, and when the record of one is damaged, is the whole ledger of the workspace read.
 */
export async function listRents(
  store: ResourceStore & AccountStore,
  workspaceId: WorkspaceId,
  range: Range,
): Promise<readonly Rent[]> {
  const { since = "", until } = range;
  const isMeant = ({ at }: Rent) => at >= since && (until === undefined || at < until);
  const rents: Rent[] = [];
  for await (const resource of store.scanRentedResources(workspaceId, range.since)) {
    if ("damaged" in resource || mayHaveForgotten(resource, range))
      return (await rentsInLedger(store, workspaceId)).filter(isMeant);
    rents.push(...rentsInEvents(resource).filter(isMeant));
  }
  return rents;
}

/** Each paid period is an event. The first event is always kept, and dropped ones come before the second. */
function mayHaveForgotten({ renewal, events }: ResourceRecord, { since = "" }: Range): boolean {
  if (renewal === undefined) return false;
  const known = events.filter(({ type }) => type === "RENEWED").length;
  return known < renewal.cycle - 1 && since < (events[1]?.at ?? renewal.startedAt);
}

function rentsInEvents(record: ResourceRecord): Rent[] {
  const resource = rentedOf(record);
  return record.events.flatMap(({ type, at, amountMicroDollars = NO_MONEY }) =>
    type === "RENEWED" && amountMicroDollars > 0 ? [{ resource, at, amountMicroDollars }] : [],
  );
}

function rentedOf({ workspaceId, provider, runId, provisionedBy }: ResourceRecord): RentedResource {
  return { workspaceId, provider, runId, provisionedBy };
}

const MOVEMENTS_AT_A_STRETCH = 200;

async function rentsInLedger(store: AccountStore, workspaceId: WorkspaceId): Promise<Rent[]> {
  const account = balanceAccount(workspaceId);
  const rents: Rent[] = [];
  let before: number | undefined;
  do {
    const page = await store.listMovements(workspaceId, {
      limit: MOVEMENTS_AT_A_STRETCH,
      ...(before !== undefined && { before }),
    });
    for (const item of page.items) {
      // It may be rent; without it the sum would silently be too small.
      if ("damaged" in item) throw item.damaged;
      const { line } = item;
      if (line.t !== "resource.changed") continue;
      const moved = movedOn(account, line.led);
      if (moved < 0) rents.push({ resource: rentedOf(line.resource), at: line.at, amountMicroDollars: negate(moved) });
    }
    before = page.next;
  } while (before !== undefined);
  return rents;
}
