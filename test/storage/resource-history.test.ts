import { expect, test } from "vitest";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import { LineIndex } from "../../daemon/storage/line-index.ts";
import { ResourceHistory } from "../../daemon/storage/resource-history.ts";
import { LineMoved } from "../../daemon/storage/storage-errors.ts";
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

test("a scan goes through an index once, and goes on where it was when a segment is rewritten meanwhile", async () => {
  const all = Array.from({ length: 1_000 }, (_, number) => released(`01${String(number).padStart(4, "0")}`));
  const index = new LineIndex<number>();
  for (const [where, line] of all.entries()) index.add(line, { seq: where + 1, accepted: where + 1 }, where);
  let opened = 0;
  const endedBlocks = index.endedBlocks.bind(index);
  index.endedBlocks = (...asked) => {
    opened += 1;
    return endedBlocks(...asked);
  };
  let reads = 0;
  const readLine = async (where: number) => {
    reads += 1;
    if (reads === 300) throw new LineMoved("a segment");
    return all[where] ?? all[0]!;
  };

  const ids: string[] = [];
  const scan = new ResourceHistory({ parts: () => [index], readLine }).scanEnded("w1", {});
  for await (const { resourceId } of scan) ids.push(resourceId);

  expect(ids).toEqual(all.map(({ resource }) => resource.resourceId).reverse());
  expect(opened).toBe(2);
});

test("a page of those that had ended before an upgrade looks at few of them", async () => {
  let looked = 0;
  const earlier = Array.from({ length: 5_000 }, (_, number) => {
    const { resource } = released(`01${String(number).padStart(4, "0")}`);
    return Object.defineProperty({ ...resource }, "resourceId", {
      get() {
        looked += 1;
        return resource.resourceId;
      },
    });
  });
  const lines = { parts: () => [], readLine: async () => released("01"), endedBefore: () => earlier };
  const history = new ResourceHistory(lines);
  await history.list(() => [], "w1", {}, { limit: 10 });
  looked = 0;

  const { items } = await history.list(() => [], "w1", {}, { limit: 10, after: "012000" });

  expect(items.map(({ resourceId }) => resourceId).slice(0, 2)).toEqual(["011999", "011998"]);
  expect(looked).toBeLessThan(1_500);
});
