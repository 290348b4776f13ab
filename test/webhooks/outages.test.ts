import { expect, test } from "vitest";
import type { EndpointMetrics } from "../../shared/contract/discovery.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { createOutageWatch } from "../../daemon/webhooks/watch-outages.ts";
import { AT, ownerCreated, webhookCreated } from "../storage/lines.ts";

const ENDPOINT = { provider: "acme", endpoint: "/search" };
const failed = { ...ENDPOINT, workspaceId: "w1", status: "FAILED", createdAt: AT, completedAt: AT } as const;
const succeeded = { ...failed, status: "COMPLETED" } as const;

/** A store in which some webhooks are, and a health that a test sets. */
async function scene(...webhooks: Parameters<typeof webhookCreated>[]) {
  const store = openMemoryStore();
  await store.commit({ line: ownerCreated() });
  for (const webhook of webhooks) await store.commit({ line: webhookCreated(...webhook) });
  let status: EndpointMetrics["status"] = "outage";
  let atMs = Date.parse(AT);
  const open = () =>
    createOutageWatch({
      store,
      health: { metrics: () => ({ status }) },
      clock: { now: () => (atMs += 1_000) },
      logger: { error: (facts) => expect.unreachable(JSON.stringify(facts)) },
    });
  const told = async (webhookId = "h1") => (await store.listDeliveries(webhookId)).map(({ type }) => type);
  return { store, open, told, set: (now: typeof status) => (status = now) };
}

const [BEGAN, ENDED] = ["endpoint.outage_began", "endpoint.outage_ended"];

test("an outage is told once when it begins, however many runs fail, and once when it ends", async () => {
  const { open, told, set, store } = await scene(["h1"]);
  await using watch = open();

  for (let nth = 0; nth < 5; nth += 1) watch.observe(failed);
  await watch.look();
  watch.observe(failed);
  await watch.look();
  expect(await told()).toEqual([BEGAN]);

  set("healthy");
  watch.observe(succeeded);
  await watch.look();
  watch.observe(succeeded);
  await watch.look();
  expect(await told()).toEqual([BEGAN, ENDED]);
  const [, ended] = await store.listDeliveries("h1");
  expect(ended?.data).toMatchObject({ ...ENDPOINT, status: "healthy", since: expect.any(String) });
});

test("an outage that another process told of is not told again, and its end is", async () => {
  const { open, told, set } = await scene(["h1"]);
  {
    await using before = open();
    before.observe(failed);
    await before.look();
  }
  await using after = open();
  await after.start();
  after.observe(failed);
  await after.look();
  expect(await told()).toEqual([BEGAN]);

  set("unknown");
  await after.look();

  expect(await told()).toEqual([BEGAN, ENDED]);
});

test("the same endpoint's next outage is another event, with an id of its own", async () => {
  const { open, set, store } = await scene(["h1"]);
  await using watch = open();

  for (const status of ["outage", "healthy", "outage", "healthy"] as const) {
    set(status);
    watch.observe(failed);
    await watch.look();
  }

  const deliveries = await store.listDeliveries("h1");
  expect(deliveries.map(({ type }) => type)).toEqual([BEGAN, ENDED, BEGAN, ENDED]);
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(4);
});

test("who takes no outages is told of none, and who comes during one is told at its next failed run", async () => {
  const { open, told, store } = await scene(["h1", { events: ["run.*"] }]);
  await using watch = open();
  watch.observe(failed);
  await watch.look();
  expect([await told(), await store.listConditions()]).toEqual([[], []]);

  await store.commit({ line: webhookCreated("h2") });
  watch.observe(failed);
  await watch.look();

  expect([await told(), await told("h2")]).toEqual([[], [BEGAN]]);
});
