import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { FixedDocument } from "../../daemon/http/answers/fixed-document.ts";
import { reply, route } from "../../daemon/http/routes/route.ts";
import { defineOperation } from "../../shared/contract/operation.ts";
import { type IdentityServer, type IdentityServerOptions, startIdentityServer } from "../support/identity-server.ts";
import { rawHead } from "../support/raw-request.ts";

/** More than the buffers of the system take from a client that does not read. */
const LARGE_BYTES = 32 * 1_024 * 1_024;
/** Made once: to make each answer of that size takes a busy machine longer than the tests wait. */
const LARGE = new FixedDocument("application/json", JSON.stringify("x".repeat(LARGE_BYTES)));

const operation = { method: "GET", tier: "mkt", tag: "Test", auth: "none", summary: "test" } as const;
const waiting = defineOperation({
  ...operation,
  operationId: "wait",
  path: "/public/v1/wait",
  responses: { 200: z.object({}) },
});
const large = defineOperation({
  ...operation,
  operationId: "large",
  path: "/public/v1/large",
  responses: { 200: z.string() },
});
const take = defineOperation({
  ...operation,
  operationId: "take",
  method: "POST",
  path: "/public/v1/take",
  body: z.object({}),
  responses: { 200: z.object({}) },
});

/** A server with a route that answers when it is told to, one with a large answer, and one that takes a body. */
async function start(options: IdentityServerOptions = {}) {
  const begun = { waits: 0 };
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const server = await startIdentityServer({
    ...options,
    routes: [
      route(waiting, async () => {
        begun.waits += 1;
        await released;
        return reply(200, {});
      }),
      route(large, () => reply(200, LARGE)),
      route(take, () => reply(200, {})),
    ],
  });
  onTestFinished(async () => {
    release();
    await server.http.close({ timeoutMs: 50 });
    await server[Symbol.asyncDispose]();
  });
  return { server, begun, release };
}

interface Talk {
  readonly socket: Socket;
  /** What came in so far. */
  readonly text: () => string;
  readonly closed: Promise<unknown>;
  readonly isClosed: () => boolean;
  send(path: string, times?: number): void;
  statuses(): number[];
}

/** A connection that reads what comes, unless it is paused. */
async function open({ http }: IdentityServer, localAddress = "127.0.0.1"): Promise<Talk> {
  const socket = connect({ port: http.port, host: "127.0.0.1", localAddress }).setEncoding("latin1");
  let text = "";
  let isClosed = false;
  socket.on("data", (chunk: string) => (text += chunk)).on("error", () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      isClosed = true;
      resolve();
    });
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return {
    socket,
    text: () => text,
    closed,
    isClosed: () => isClosed,
    send: (path, times = 1) =>
      void socket.write(rawHead(`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${http.port}`).repeat(times)),
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)),
  };
}

async function askFromElsewhere(server: IdentityServer): Promise<Talk> {
  const talk = await open(server);
  talk.send("/nothing");
  await until(() => talk.statuses().length === 1);
  return talk;
}

async function until(holds: () => boolean): Promise<void> {
  for (const giveUpAt = Date.now() + 10_000; !holds();) {
    if (Date.now() > giveUpAt) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const moments = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

test("a handful of requests sent without waiting are answered in their order", async () => {
  const { server, release } = await start();
  const talk = await open(server);

  talk.send("/public/v1/wait");
  talk.send("/nothing", 4);
  talk.send("/v1/auth/whoami");
  release();
  await until(() => talk.statuses().length === 6);

  expect(talk.statuses()).toEqual([200, 404, 404, 404, 404, 401]);
});

test("a connection may wait for 16 answers, and is closed when it asks for a seventeenth", async () => {
  const { server, begun, release } = await start();
  const [patient, greedy] = [await open(server), await open(server)];

  patient.send("/public/v1/wait", 16);
  greedy.send("/public/v1/wait", 17);
  await greedy.closed;
  await until(() => begun.waits > 0);
  await moments(50);
  const begunAtOnce = begun.waits;
  release();
  await until(() => patient.statuses().length === 16);

  // The next is begun when the one before is out; none for who has been closed by then.
  expect(begunAtOnce).toBe(1);
  expect(greedy.text()).toBe("");
  expect(patient.statuses()).toEqual(Array.from({ length: 16 }, () => 200));
});

test("who does not read its first answer gets no second one made", async () => {
  const { server } = await start();
  const talk = await open(server);
  talk.socket.pause();

  talk.send("/public/v1/large");
  talk.send("/public/v1/wait", 5);
  await moments(500);

  expect(server.log.join()).not.toContain('"operation":"wait"');
  talk.socket.resume();
  await until(() => talk.text().length > LARGE_BYTES);
  expect(talk.isClosed()).toBe(false);
});

test("beyond the limit the connection that is idle longest gives way, and one at work never does", async () => {
  const { server, begun, release } = await start({ connections: { maxConnections: 3 } });
  const atWork = await open(server);
  atWork.send("/public/v1/wait");
  await until(() => begun.waits === 1);
  const [silent, used] = [await open(server), await open(server)];
  used.send("/nothing");
  await until(() => used.statuses().length === 1);

  const newcomer = await open(server);
  newcomer.send("/nothing");
  await silent.closed;
  await until(() => newcomer.statuses().length === 1);
  release();
  await until(() => atWork.statuses().length === 1);

  expect([used.isClosed(), atWork.isClosed(), newcomer.isClosed()]).toEqual([false, false, false]);
  expect(newcomer.statuses()).toEqual([404]);
  expect(server.log.join()).toContain("all connections are taken");
});

test("where all are at work, a new one is told to try again", async () => {
  const { server, begun } = await start({ connections: { maxConnections: 2 } });
  for (let count = 1; count <= 2; count += 1) {
    (await open(server)).send("/public/v1/wait");
    await until(() => begun.waits === count);
  }

  const newcomer = await open(server);
  await newcomer.closed;

  expect(newcomer.statuses()).toEqual([503]);
  expect(newcomer.text()).toMatch(/retry-after: 1\r\n/);
});

test("a sender who takes its time over a body does not keep its place", async () => {
  const { server } = await start({ connections: { maxConnections: 1 } });
  const dripping = await open(server);
  dripping.socket.write(
    rawHead(
      "POST /public/v1/take HTTP/1.1",
      `Host: 127.0.0.1:${server.http.port}`,
      "Content-Type: application/json",
      "Content-Length: 100",
    ) + "{",
  );
  await moments(100);

  const newcomer = await open(server);
  newcomer.send("/nothing");
  await dripping.closed;
  await until(() => newcomer.statuses().length === 1);

  expect(newcomer.statuses()).toEqual([404]);
});

test("a source that has many connections gives way to another, and not the other way round", async () => {
  const { server } = await start({ connections: { maxConnections: 4 } });
  const few = await open(server, "127.0.0.2");
  const many = [await open(server), await open(server), await open(server)];

  many.push(await open(server), await open(server), await open(server));
  const other = await open(server, "127.0.0.3");
  other.send("/nothing");
  few.send("/nothing");
  await until(() => few.statuses().length === 1 && other.statuses().length === 1);

  expect([few.isClosed(), other.isClosed()]).toEqual([false, false]);
  await until(() => many.filter((talk) => talk.isClosed()).length === 4);
});

test("who reads nothing is closed after a while, and who reads slowly gets all of it", async () => {
  const { server } = await start({ connections: { maxStallMs: 400 } });
  const [deaf, slow] = [await open(server), await open(server)];
  deaf.socket.pause();
  const reading = setInterval(() => void (slow.socket.isPaused() ? slow.socket.resume() : slow.socket.pause()), 40);
  onTestFinished(() => clearInterval(reading));

  deaf.send("/public/v1/large");
  slow.send("/public/v1/large");
  await until(() => slow.text().length > LARGE_BYTES);
  await moments(800);
  deaf.socket.resume();
  await deaf.closed;

  expect(deaf.text().length).toBeLessThan(LARGE_BYTES);
});

test("who leaves too much unread is told to try again, and nobody else is; then it goes on", async () => {
  const { server } = await start({ connections: { maxStallMs: 1_500, maxUnreadBytes: 1_024 * 1_024 } });
  const deaf = await open(server, "127.0.0.2");
  deaf.socket.pause();
  deaf.send("/public/v1/large");
  await moments(600);

  const other = await server.call("GET", "/v1/auth/whoami");
  const same = await open(server, "127.0.0.2");
  same.send("/v1/auth/whoami");
  await until(() => same.statuses().length === 1);
  const refused = same.text();
  for (const giveUpAt = Date.now() + 10_000; same.statuses().at(-1) !== 401 && Date.now() < giveUpAt;) {
    await moments(100);
    same.send("/v1/auth/whoami");
  }

  expect(other.status).toBe(200);
  expect(refused).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5\r\n/);
  expect(same.statuses().at(-1)).toBe(401);
});

test("who takes a little of its answer again and again is closed, once too much waits for it", async () => {
  const { server } = await start({ connections: { maxStallMs: 1_500, maxUnreadBytes: 1_024 * 1_024 } });
  const dripping = await open(server, "127.0.0.2");
  dripping.socket.pause();
  let taken = 0;
  const reading = setInterval(() => {
    for (let piece = 0; piece < 16; piece++) taken += String(dripping.socket.read(16_384) ?? "").length;
  }, 50);
  onTestFinished(() => clearInterval(reading));

  dripping.send("/public/v1/large");
  await moments(4_000);
  clearInterval(reading);
  const takenInTime = taken;
  dripping.socket.resume();
  await until(() => dripping.isClosed());

  expect(takenInTime).toBeGreaterThan(1_024 * 1_024);
  expect(dripping.text().length).toBeLessThan(LARGE_BYTES);
});

test("clients that read nothing take every connection, and give way to whoever comes from elsewhere", async () => {
  const { server, release } = await start({ connections: { maxConnections: 4 } });
  const working = await open(server, "127.0.0.3");
  working.send("/public/v1/wait");
  const deaf = await Promise.all(["a", "b", "c"].map(async () => await open(server, "127.0.0.2")));
  for (const talk of deaf) {
    talk.socket.pause();
    talk.send("/public/v1/large");
  }
  await moments(2_000);

  const oneMore = await open(server, "127.0.0.2");
  oneMore.send("/nothing");
  await oneMore.closed;
  // They count as deaf a second after their answers were written, which takes longer on a busy machine.
  let other = await askFromElsewhere(server);
  for (const giveUpAt = Date.now() + 10_000; other.statuses()[0] === 503 && Date.now() < giveUpAt;) {
    await moments(250);
    other = await askFromElsewhere(server);
  }
  release();
  await until(() => working.statuses().length === 1);

  expect(oneMore.statuses()).toEqual([503]);
  expect(other.statuses()).toEqual([404]);
  expect(working.statuses()).toEqual([200]);
});

test("a caller who hangs up while it waits for its turn is no error in the log", async () => {
  const { server, begun } = await start();
  const begin = async () => {
    const talk = await open(server);
    talk.send("/public/v1/wait");
    return talk;
  };
  for (let searches = 1; searches <= 16; searches++) {
    await begin();
    await until(() => begun.waits === searches);
  }

  const waits = await begin();
  await moments(100);
  waits.socket.destroy();
  await waits.closed;
  await moments(200);

  expect(begun.waits).toBe(16);
  expect(server.log.join()).not.toContain("a request failed");
});
