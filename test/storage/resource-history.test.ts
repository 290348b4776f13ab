import { expect, test } from "vitest";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import { LineIndex } from "../../daemon/storage/line-index.ts";
import { ResourceHistory } from "../../daemon/storage/resource-history.ts";
import { makeResource, resourceReleased } from "./lines.ts";

const released = (resourceId: string, members: Partial<ResourceRecord> = {}) =>
  resourceReleased(makeResource({ resourceId, externalId: resourceId, ...members }));

test("one that ended before an upgrade is found although the last old index is made again while it is looked for", async () => {
  const { resource } = released("01B");
  let earlier: readonly ResourceRecord[] = [resource];
  const renewed = new LineIndex<number>();
  const asked = new LineIndex<number>();
  for (const [number, id] of ["01A", "01C"].entries()) asked.add(released(id), { seq: 9, accepted: 9 }, number);
  asked.findEndedResource = async () => {
    renewed.add(released("01B"), { seq: 1, accepted: 1 }, 2);
    earlier = [];
    return undefined;
  };
  // The list of before has the old index, which knows of none.
  const lines = { parts: () => [asked], readLine: async () => released("01B"), endedBefore: () => earlier };

  expect(await new ResourceHistory(lines).findEnded("w1", "01B")).toEqual(resource);
});

test("nobody is shown a resource of somebody else because an index says that it is his", async () => {
  const mine = released("01A", { provisionedBy: "API_KEY#mine" });
  const others = released("01B", { provisionedBy: "API_KEY#other" });
  const elsewhere = released("01C", { provisionedBy: "API_KEY#mine", workspaceId: "w2" });
  const all = [mine, others, elsewhere];
  const index = new LineIndex<number>();
  for (const [where, line] of all.entries()) {
    const resource = { ...line.resource, provisionedBy: "API_KEY#mine", workspaceId: "w1" as never };
    index.add({ ...line, resource }, { seq: where + 1, accepted: where + 1 }, where);
  }
  const history = new ResourceHistory({ parts: () => [index], readLine: async (where) => all[where] ?? mine });

  const page = await history.list(() => [], "w1", { provisionedBy: "API_KEY#mine" }, { limit: 2 });

  expect(page).toEqual({ items: [mine.resource] });
  expect(await history.findEnded("w1", "01C")).toBeUndefined();
  expect(await history.findEnded("w1", "01B")).toEqual(others.resource);
});
