import { expect, test } from "vitest";
import { TlsTickets } from "../../../daemon/providers/transport/tls-tickets.ts";

const ticket = (name: string) => Buffer.from(name);

test("a ticket is used once, the newest first, and the last one again and again", () => {
  const tickets = new TlsTickets();
  tickets.keep("a:443", ticket("one"));
  tickets.keep("a:443", ticket("two"));

  expect([tickets.take("a:443"), tickets.take("a:443"), tickets.take("a:443")].map(String)).toEqual([
    "two",
    "one",
    "one",
  ]);
});

test("a ticket is only for the server that gave it", () => {
  const tickets = new TlsTickets();
  tickets.keep("a:443", ticket("one"));

  expect(tickets.take("a:8443")).toBeUndefined();
  expect(tickets.take("b:443")).toBeUndefined();
});

test("a ticket is not used after an hour", () => {
  let now = 0;
  const tickets = new TlsTickets(() => now);
  tickets.keep("a:443", ticket("one"));

  now = 3_600_001;

  expect(tickets.take("a:443")).toBeUndefined();
});

test("tickets of many servers do not add up", () => {
  const tickets = new TlsTickets();
  for (let index = 0; index < 1_000; index++) tickets.keep(`host-${index}:443`, ticket("one"));

  expect(tickets.take("host-0:443")).toBeUndefined();
  expect(tickets.take("host-999:443")).toBeDefined();
});
