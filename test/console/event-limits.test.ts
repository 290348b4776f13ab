import { afterEach, expect, test } from "vitest";
import type { LiveEvent } from "../../daemon/console/events/events-of-line.ts";
import { EventHub, type EventStream } from "../../daemon/console/events/event-hub.ts";
import { eventText } from "../../daemon/console/events/event-text.ts";
import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";

/* What bounds a stream of events, without the thousands of events and the seconds that it takes over a connection. */

const caller = { workspaceId: "ws", actor: "API_KEY#k", scopes: ["*"], operator: true } as unknown as WorkspaceCaller;
const secret: LiveEvent = {
  type: "secret",
  scope: "operator",
  data: { kind: "putSecret", at: "2026-01-01T00:00:00.000Z" },
};

let hub: EventHub;
afterEach(() => hub.close());

function openHub(waiting: number): EventHub {
  hub = new EventHub({ store: { followLines: () => () => {} }, lastNumber: 7, limits: { waiting } });
  return hub;
}

const textOf = (stream: EventStream, heartbeatMs: number) =>
  eventText({
    stream,
    seal: String,
    readWallet: async () => ({ balance: { value: 0, currency: "USD" }, held: { value: 0, currency: "USD" } }),
    isActive: async () => true,
    gone: new AbortController().signal,
    heartbeatMs,
  });

test("a reader that leaves more events unread than may wait is cut off, and one that reads is not", () => {
  const events = openHub(3);
  const slow = events.open(caller, undefined);
  const quick = events.open({ ...caller, actor: "API_KEY#other" } as WorkspaceCaller, undefined);

  const read = Array.from({ length: 4 }, () => {
    events.tell(secret);
    return quick.take(100).length;
  });

  expect(read).toEqual([1, 1, 1, 1]);
  expect([slow.cut.aborted, slow.ended.aborted, slow.take(100)]).toEqual([true, true, []]);
  expect([quick.cut.aborted, quick.ended.aborted]).toEqual([false, false]);
});

test("a stream that was cut off makes room for another of the same key", () => {
  const events = openHub(1);
  const streams = Array.from({ length: 8 }, () => events.open(caller, undefined));
  expect(() => events.open(caller, undefined)).toThrow(/8 times already/);

  for (let told = 0; told < 2; told += 1) {
    events.tell(secret);
    for (const stream of streams.slice(1)) stream.take(100);
  }

  expect(events.open(caller, undefined).ended.aborted).toBe(false);
});

test("a quiet stream sends a comment, and the next event after it", async () => {
  const events = openHub(10);
  const text = textOf(events.open(caller, undefined), 1);

  const first = await text.next();
  const second = await text.next();
  events.tell(secret);
  let third = await text.next();
  while (third.value === ":\n\n") third = await text.next();
  await text.return(undefined);

  expect(first.value).toMatch(/^id: \d+\nevent: ready\ndata: \{\}\n\n$/);
  expect(second.value).toBe(":\n\n");
  expect(third.value).toContain("event: secret\n");
});

test("a stream that is not quiet sends no comment", async () => {
  const events = openHub(10);
  const text = textOf(events.open(caller, undefined), 600_000);

  await text.next();
  events.tell(secret);
  const event = await text.next();
  const next = text.next();
  events.close();

  expect(event.value).toContain("event: secret\n");
  expect(await next).toEqual({ done: true, value: undefined });
});
