import { createIdSource } from "../daemon/base/new-id.ts";
import type { ResourceRecord } from "../daemon/ledger/records/resource-record.ts";
import { nodeFiles } from "../daemon/storage/files.ts";
import { openJournalStore } from "../daemon/storage/journal/journal-store.ts";
import { microDollars } from "../shared/micro-dollars.ts";
import { makeResource, resourceChanged, resourceReleased } from "../test/storage/lines.ts";
import { unflushed } from "../test/support/unflushed-files.ts";

const AT_ONCE = 1_024;

/**
 * Makes so many resources in the data folder of a daemon that was closed, gives all of them back, and closes it again. Every other
 * one has paid rent again, which usage reads. Resolves to some of their ids.
 */
export async function addEndedResources(dataDir: string, count: number, kept: number): Promise<string[]> {
  const onFatal = (error: Error) => {
    throw error;
  };
  const store = await openJournalStore({ dataDir, files: unflushed(nodeFiles()), onFatal });
  const [workspace] = await store.listWorkspaces();
  const newId = createIdSource();
  const sample: string[] = [];
  const oneOf = Math.max(1, Math.floor(count / kept));
  let begun = 0;
  const client = async () => {
    while (begun < count) {
      begun += 1;
      const resourceId = newId();
      if (begun % oneOf === 0) sample.push(resourceId);
      const facts = { resourceId, externalId: resourceId, workspaceId: workspace?.workspaceId ?? ("" as never) };
      const at = new Date().toISOString();
      const events = [{ eventId: newId(), type: "PROVISIONED", at } as const];
      const rented = begun % 2 === 0 ? rentedSince(at, newId) : { events };
      const resource = makeResource({ ...facts, createdAt: at, updatedAt: at, ...rented });
      await store.commit({ line: resourceChanged(resource) });
      const ended = { eventId: newId(), type: "RELEASED", at } as const;
      await store.commit({ line: resourceReleased({ ...resource, events: [...resource.events, ended] }) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await store.close();
  return sample;
}

/** With two periods that were paid after the first one. */
function rentedSince(at: string, newId: () => string): Pick<ResourceRecord, "renewal" | "events"> {
  const amountMicroDollars = microDollars(5);
  const paid = [2, 3].map((cycle) => ({ eventId: newId(), type: "RENEWED", cycle, amountMicroDollars, at }) as const);
  const times = { startedAt: at, currentPeriodStart: at, currentPeriodEnd: at, renewAttemptAt: at };
  return {
    renewal: { amountMicroDollars, period: { unit: "DAY", count: 1 }, cycle: 3, ...times },
    events: [{ eventId: newId(), type: "PROVISIONED", at }, ...paid],
  };
}
