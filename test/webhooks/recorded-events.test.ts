import { expect, test } from "vitest";
import { eventFilters, eventTypes, takesEvent } from "../../shared/contract/event-types.ts";
import { commitMade } from "../../daemon/ledger/transaction/commit-made.ts";
import { recordCondition } from "../../daemon/ledger/transaction/record-condition.ts";
import { messageId, recordEvents } from "../../daemon/ledger/transaction/record-events.ts";
import type { AttemptOutcome } from "../../daemon/ledger/records/webhook-records.ts";
import { applyToBook, emptyBook } from "../../daemon/storage/book/book.ts";
import {
  ENDED_KEPT,
  ENDED_KEPT_OF_WORKSPACE,
  MAX_WAITING,
  MAX_WAITING_OF_ALL,
  ROOM_OF_EACH,
} from "../../daemon/storage/book/webhooks-book.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { AT, keyCreated, keyRevoked, ownerCreated, runAccepted, runDone, webhookCreated } from "../storage/lines.ts";

const paused = { type: "schedule.paused", key: "s1 1", data: { scheduleId: "s1" } } as const;

async function storeWith(...webhooks: ReturnType<typeof webhookCreated>[]) {
  const store = openMemoryStore();
  await store.commit({ line: ownerCreated() });
  for (const line of webhooks) await store.commit({ line });
  return store;
}

async function tell(store: ReturnType<typeof openMemoryStore>, event: Parameters<typeof recordEvents>[1][number]) {
  return await commitMade(store, {
    of: { workspaceId: "w1" },
    make: (money) => ({
      line: { t: "webhook.event" as const, v: 1 as const, at: AT, ws: "w1", ...recordEvents(money, [event]) },
    }),
  });
}

function tried(id: string, members: Partial<AttemptOutcome> = {}) {
  return {
    t: "webhook.tried" as const,
    v: 1 as const,
    at: AT,
    each: [{ webhook: "h1", id, at: AT, ms: 5, ...members }],
  };
}

test("an event waits for each webhook that takes its type, and is told of when it is durable", async () => {
  const store = await storeWith(
    webhookCreated("h1"),
    webhookCreated("h2", { events: ["schedule.*"] }),
    webhookCreated("h3", { events: ["run.failed"] }),
    webhookCreated("h4", { disabled: { at: AT, why: "ASKED" } }),
    webhookCreated("h5", { workspaceId: "w2" }),
  );
  const seen: string[] = [];
  store.watchDeliveries((made) => seen.push(...made.map(({ webhookId }) => webhookId)));

  await tell(store, paused);

  expect(seen).toEqual(["h1", "h2"]);
  expect(await store.listDeliveries("h1")).toEqual([
    {
      id: messageId("h1", "schedule.paused", "s1 1"),
      webhookId: "h1",
      workspaceId: "w1",
      type: "schedule.paused",
      at: AT,
      data: { scheduleId: "s1" },
      attempts: 0,
      state: "WAITING",
    },
  ]);
  expect(await store.listWaitingDeliveries()).toHaveLength(2);
});

test("where nobody takes an event, its line carries none", async () => {
  const store = await storeWith(webhookCreated("h3", { events: ["run.failed"] }));

  expect((await tell(store, paused)).line).not.toHaveProperty("events");
});

test("the same event that is recorded twice is one delivery, and each receiver has its own id", async () => {
  const store = await storeWith(webhookCreated("h1"), webhookCreated("h2"));

  await tell(store, paused);
  await tell(store, paused);

  const waiting = await store.listWaitingDeliveries();
  expect(new Set(waiting.map(({ id }) => id)).size).toBe(2);
  expect(waiting).toHaveLength(2);
  expect(waiting.every(({ id }) => /^msg_[0-9a-f]{32}$/.test(id))).toBe(true);
});

test("the end of a run and its delivery are one line", async () => {
  const store = await storeWith(webhookCreated("h1"));
  await store.commit({ line: runAccepted("r1") });

  await store.commit({ line: { ...runDone("r1"), events: [{ type: "run.completed", to: [["h1", "msg_1"]] }] } });

  expect(await store.findDelivery({ webhookId: "h1", id: "msg_1" })).toMatchObject({ runId: "r1", state: "WAITING" });
});

test("an attempt moves a delivery on, and its end takes it from those that wait", async () => {
  const store = await storeWith(webhookCreated("h1"));
  await tell(store, paused);
  const id = messageId("h1", "schedule.paused", "s1 1");
  const nextAt = "2026-11-21T10:00:05.000Z";

  await store.commit({ line: tried(id, { status: 500, error: "it answered 500", nextAt }) });
  expect(await store.findDelivery({ webhookId: "h1", id })).toMatchObject({ state: "WAITING", attempts: 1, nextAt });

  await store.commit({ line: tried(id, { status: 204, delivered: true }) });
  const ended = await store.findDelivery({ webhookId: "h1", id });
  expect(ended).toMatchObject({ state: "DELIVERED", attempts: 2, last: { status: 204 } });
  expect(ended).not.toHaveProperty("nextAt");
  expect(await store.listWaitingDeliveries()).toEqual([]);

  await store.commit({ line: { t: "webhook.resent", v: 1, at: AT, ws: "w1", by: "x", webhookId: "h1", ids: [id] } });
  expect(await store.findDelivery({ webhookId: "h1", id })).toMatchObject({ state: "WAITING", attempts: 0 });
});

test("a webhook that answered 410 is disabled, and nothing waits for it any more", async () => {
  const store = await storeWith(webhookCreated("h1"));
  await tell(store, paused);
  await tell(store, { ...paused, key: "s1 2" });
  const id = messageId("h1", "schedule.paused", "s1 1");

  await store.commit({ line: { ...tried(id, { status: 410 }), gone: ["h1"] } });
  await tell(store, { ...paused, key: "s1 3" });

  expect(await store.findWebhook("h1")).toMatchObject({ disabled: { why: "GONE" } });
  expect((await store.listDeliveries("h1")).map(({ state }) => state)).toEqual(["DEAD", "DEAD"]);
});

test("the webhooks of a key are disabled when it is revoked or replaced", async () => {
  const store = await storeWith(webhookCreated("h1", { keyId: "k2" }), webhookCreated("h2", { keyId: "k1" }));
  await store.commit({ line: keyCreated("k2") });

  await store.commit({ line: keyRevoked("k2") });
  expect(await store.findWebhook("h1")).toMatchObject({ disabled: { why: "KEY_REVOKED" } });
  expect(await store.findWebhook("h2")).not.toHaveProperty("disabled");

  await store.commit({ line: keyCreated("k3", {}, ["k1"]) });
  expect(await store.findWebhook("h2")).toMatchObject({ disabled: { why: "KEY_REVOKED" } });
});

test("what lasts is told once when it begins and once when it ends", async () => {
  const store = await storeWith(webhookCreated("h1"));
  const began = { type: "endpoint.outage_began", key: "a/b 1", data: { endpoint: "a/b" } } as const;
  const ended = { type: "endpoint.outage_ended", key: "a/b 1", data: { endpoint: "a/b" } } as const;
  const outage = { workspaceId: "w1", condition: "outage a/b", at: AT };

  const told = await Promise.all([
    recordCondition(store, { ...outage, holds: true, event: began }),
    recordCondition(store, { ...outage, holds: true, event: began }),
  ]);
  expect(told).toEqual([true, false]);
  expect(await store.listConditions()).toEqual([{ workspaceId: "w1", condition: "outage a/b", since: AT }]);
  expect(await recordCondition(store, { ...outage, holds: false, event: ended })).toBe(true);
  expect(await recordCondition(store, { ...outage, holds: false, event: ended })).toBe(false);
  expect((await store.listDeliveries("h1")).map(({ type }) => type)).toEqual([began.type, ended.type]);
});

test("nothing is recorded of a beginning that nobody wants to be told of", async () => {
  const store = await storeWith(webhookCreated("h1", { events: ["run.*"] }));
  const event = { type: "endpoint.outage_began", key: "a/b 1" } as const;

  expect(await recordCondition(store, { workspaceId: "w1", condition: "c", holds: true, at: AT, event })).toBe(false);
  expect(await store.listConditions()).toEqual([]);
});

test("a receiver that never answers fills the memory up to a limit: what is beyond is dead at once", () => {
  const book = emptyBook();
  for (const line of [ownerCreated(), webhookCreated("h1")]) applyToBook(book, line);
  const to = Array.from({ length: MAX_WAITING + 3 }, (_, place): [string, string] => ["h1", `msg_${place}`]);

  applyToBook(book, { t: "webhook.event", v: 1, at: AT, ws: "w1", events: [{ type: "webhook.test", to }] });

  expect(book.webhooks.waiting.get("h1")?.size).toBe(MAX_WAITING);
  expect([...(book.webhooks.ended.get("h1")?.values() ?? [])].map(({ state }) => state)).toEqual([
    "DEAD",
    "DEAD",
    "DEAD",
  ]);
});

test("all receivers of the service fill the memory up to a limit, and none of them takes the room of a workspace that needs little", () => {
  const book = emptyBook();
  const fill = (place: number, count: number) => {
    applyToBook(book, webhookCreated(`h${place}`, { workspaceId: `w${place}` }));
    const to = Array.from({ length: count }, (_, one): [string, string] => [`h${place}`, `msg_${one}`]);
    applyToBook(book, { t: "webhook.event", v: 1, at: AT, ws: `w${place}`, events: [{ type: "webhook.test", to }] });
    return { waiting: book.webhooks.waiting.get(`h${place}`)?.size, ended: book.webhooks.ended.get(`h${place}`) };
  };
  const greedy = MAX_WAITING_OF_ALL / MAX_WAITING;
  for (let place = 0; place < greedy; place += 1) expect(fill(place, MAX_WAITING).waiting).toBe(MAX_WAITING);

  const small = fill(greedy, ROOM_OF_EACH);
  const larger = fill(greedy + 1, ROOM_OF_EACH + 1);

  expect(small).toEqual({ waiting: ROOM_OF_EACH, ended: undefined });
  expect(larger.waiting).toBe(ROOM_OF_EACH);
  expect([...(larger.ended?.values() ?? [])]).toMatchObject([
    { state: "DEAD", last: { error: "200000 deliveries of the whole service waited" } },
  ]);
});

test("of the deliveries that have ended the newest are kept", () => {
  const book = emptyBook();
  for (const line of [ownerCreated(), webhookCreated("h1")]) applyToBook(book, line);
  for (let place = 0; place < ENDED_KEPT + 2; place += 1) {
    const id = `msg_${place}`;
    applyToBook(book, {
      t: "webhook.event",
      v: 1,
      at: AT,
      ws: "w1",
      events: [{ type: "webhook.test", to: [["h1", id]] }],
    });
    applyToBook(book, tried(id, { delivered: true }));
  }

  expect([...(book.webhooks.ended.get("h1")?.keys() ?? [])].at(0)).toBe("msg_2");
  expect(book.webhooks.ended.get("h1")?.size).toBe(ENDED_KEPT);
});

test("of a workspace with many webhooks the one that has most ended deliveries loses its oldest", () => {
  const book = emptyBook();
  const webhookIds = Array.from({ length: 12 }, (_, number) => `h${number}`);
  const deliver = (webhookId: string, id: string) => {
    const events = [{ type: "webhook.test" as const, to: [[webhookId, id] as [string, string]] }];
    applyToBook(book, { t: "webhook.event", v: 1, at: AT, ws: "w1", events });
    const each = [{ webhook: webhookId, id, at: AT, ms: 1, delivered: true as const }];
    applyToBook(book, { t: "webhook.tried", v: 1, at: AT, each });
  };
  for (const line of [ownerCreated(), ...webhookIds.map((id) => webhookCreated(id))]) applyToBook(book, line);
  deliver("h11", "rare");
  for (const webhookId of webhookIds.slice(0, 11)) {
    for (let place = 0; place < ENDED_KEPT; place += 1) deliver(webhookId, `${webhookId}_${place}`);
  }

  const sizes = webhookIds.map((id) => book.webhooks.ended.get(id)?.size ?? 0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(ENDED_KEPT_OF_WORKSPACE);
  expect([...(book.webhooks.ended.get("h11")?.keys() ?? [])]).toEqual(["rare"]);
  expect(Math.min(...sizes.slice(0, 11))).toBeGreaterThan(ENDED_KEPT / 2);
});

test("of a workspace with many webhooks delivered ones go before dead ones, which can be sent again", () => {
  const book = emptyBook();
  const webhookIds = Array.from({ length: 11 }, (_, number) => `h${number}`);
  const end = (webhookId: string, id: string, how: { readonly delivered: true } | { readonly error: string }) => {
    const events = [{ type: "webhook.test" as const, to: [[webhookId, id] as [string, string]] }];
    applyToBook(book, { t: "webhook.event", v: 1, at: AT, ws: "w1", events });
    applyToBook(book, { t: "webhook.tried", v: 1, at: AT, each: [{ webhook: webhookId, id, at: AT, ms: 1, ...how }] });
  };
  for (const line of [ownerCreated(), ...webhookIds.map((id) => webhookCreated(id))]) applyToBook(book, line);
  for (let place = 0; place < 100; place += 1) end("h0", `dead_${place}`, { error: "it answered 500" });
  for (const webhookId of webhookIds) {
    for (let place = 0; place < ENDED_KEPT; place += 1) end(webhookId, `${webhookId}_${place}`, { delivered: true });
  }

  const all = webhookIds.flatMap((id) => [...(book.webhooks.ended.get(id)?.values() ?? [])]);
  expect(all).toHaveLength(ENDED_KEPT_OF_WORKSPACE);
  expect(all.filter(({ state }) => state === "DEAD")).toHaveLength(100);
});

test("of a workspace whose deliveries are all dead the longest list loses its oldest", () => {
  const book = emptyBook();
  const webhookIds = Array.from({ length: 11 }, (_, number) => `h${number}`);
  for (const line of [ownerCreated(), ...webhookIds.map((id) => webhookCreated(id))]) applyToBook(book, line);
  for (const webhookId of webhookIds) {
    for (let place = 0; place < ENDED_KEPT; place += 1) {
      const id = `${webhookId}_${place}`;
      const events = [{ type: "webhook.test" as const, to: [[webhookId, id] as [string, string]] }];
      applyToBook(book, { t: "webhook.event", v: 1, at: AT, ws: "w1", events });
      const each = [{ webhook: webhookId, id, at: AT, ms: 1, error: "it answered 500" }];
      applyToBook(book, { t: "webhook.tried", v: 1, at: AT, each });
    }
  }

  const sizes = webhookIds.map((id) => book.webhooks.ended.get(id)?.size ?? 0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(ENDED_KEPT_OF_WORKSPACE);
  expect(book.webhooks.ended.get("h0")?.has("h0_0")).toBe(false);
});

test("a dead delivery is still listed after any number of delivered ones", () => {
  const book = emptyBook();
  for (const line of [ownerCreated(), webhookCreated("h1")]) applyToBook(book, line);
  for (let place = 0; place < ENDED_KEPT + 5; place += 1) {
    const id = `msg_${place}`;
    const to: [string, string][] = [["h1", id]];
    applyToBook(book, { t: "webhook.event", v: 1, at: AT, ws: "w1", events: [{ type: "webhook.test", to }] });
    applyToBook(book, tried(id, place < 3 ? { error: "it answered 500" } : { delivered: true }));
  }

  const kept = [...(book.webhooks.ended.get("h1")?.values() ?? [])];
  expect(kept.filter(({ state }) => state === "DEAD").map(({ id }) => id)).toEqual(["msg_0", "msg_1", "msg_2"]);
  expect(kept.filter(({ state }) => state === "DELIVERED")).toHaveLength(ENDED_KEPT);
});

test("a filter is a type, a group or everything", () => {
  expect(eventTypes.every((type) => takesEvent(["*"], type) && takesEvent([type], type))).toBe(true);
  expect(takesEvent(["run.*"], "run.failed")).toBe(true);
  expect(takesEvent(["run.*", "budget.reached"], "schedule.paused")).toBe(false);
  expect(eventFilters).toContain("endpoint.*");
});
