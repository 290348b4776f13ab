import { expect, test } from "vitest";
import { DeliveryLanes, MOST_AT_ONCE } from "../../daemon/webhooks/delivery-lanes.ts";

/** Lanes to receivers that are never called; `add` puts so many deliveries in line before one. */
function lanesWith(webhooks: readonly { readonly workspaceId: string; readonly count: number }[]) {
  const lanes = new DeliveryLanes(() => new Promise(() => {}));
  const add = (webhookId: string, workspaceId: string, count: number) => {
    for (let nth = 0; nth < count; nth += 1) {
      const delivery = { id: `${webhookId} ${nth}`, type: "run.completed" };
      lanes.add({ webhookId, workspaceId } as never, delivery as never);
    }
  };
  for (const [place, { workspaceId, count }] of webhooks.entries()) add(`h${place}`, workspaceId, count);
  return { lanes, add };
}

function takeAll(lanes: DeliveryLanes) {
  const taken = [];
  for (let next = lanes.take(); next !== undefined; next = lanes.take()) taken.push(next);
  return taken;
}

test("one workspace never has more than half of all attempts", () => {
  const { lanes } = lanesWith(Array.from({ length: 50 }, () => ({ workspaceId: "w1", count: 10 })));

  expect(takeAll(lanes)).toHaveLength(MOST_AT_ONCE / 2);
});

test("the next attempt is of the workspace with the fewest, however many webhooks wait before it", () => {
  const crowds = ["w1", "w2", "w3"].flatMap((workspaceId) =>
    Array.from({ length: 50 }, () => ({ workspaceId, count: 10 })),
  );
  const { lanes, add } = lanesWith(crowds);
  const [first] = takeAll(lanes);
  if (first === undefined) throw new Error("nothing was taken");
  add("late", "w4", 1);

  lanes.leave(first.lane, first.id, false);

  expect(lanes.take()).toMatchObject({ lane: { webhookId: "late" } });
});

test("the webhooks of a workspace have their turns one after the other", () => {
  const { lanes } = lanesWith(Array.from({ length: 3 }, () => ({ workspaceId: "w1", count: 2 })));

  expect(takeAll(lanes).map(({ lane }) => lane.webhookId)).toEqual(["h0", "h1", "h2", "h0", "h1", "h2"]);
});

test("a receiver that fails has one attempt at a time until one succeeds", () => {
  const { lanes } = lanesWith([{ workspaceId: "w1", count: 20 }]);
  const taken = takeAll(lanes);
  for (const { lane, id } of taken) lanes.leave(lane, id, false);

  const [only, ...others] = takeAll(lanes);
  if (only === undefined) throw new Error("nothing was taken");
  lanes.leave(only.lane, only.id, true);

  expect([taken.length, others.length]).toEqual([8, 0]);
  expect(takeAll(lanes)).toHaveLength(8);
});
