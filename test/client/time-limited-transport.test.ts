import { expect, onTestFinished, test, vi } from "vitest";
import { nodeTransport } from "../../shared/client/node-transport.ts";
import { timeLimitedTransport } from "../../shared/client/time-limited-transport.ts";
import { startFakeProvider } from "../support/fake-provider.ts";

test("gives up a request that a service takes and never answers, saying how long it waited", async () => {
  await using service = await startFakeProvider();
  service.on("GET /silent", { hang: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 0.2, write: 60, pause: 60 });

  const answer = transport({ method: "GET", url: `${service.url}/silent`, headers: {} });

  await expect(answer).rejects.toThrow("no answer within 0.2 seconds");
});

test("lets a signal of the request's own end it sooner, with its reason", async () => {
  await using service = await startFakeProvider();
  service.on("GET /silent", { hang: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 60, write: 60, pause: 60 });
  const own = AbortSignal.timeout(100);

  const answer = transport({ method: "GET", url: `${service.url}/silent`, headers: {}, signal: own });

  await expect(answer).rejects.toMatchObject({ name: "TimeoutError" });
});

test("gives up in time whatever signal the request has: one that nobody aborts would wait for ever", async () => {
  await using service = await startFakeProvider();
  service.on("GET /silent", { hang: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 0.2, write: 60, pause: 60 });
  const { signal } = new AbortController();

  const answer = transport({ method: "GET", url: `${service.url}/silent`, headers: {}, signal });

  await expect(answer).rejects.toThrow("no answer within 0.2 seconds");
});

test("lets the request's own signal end an answer that has begun", async () => {
  await using service = await startFakeProvider();
  service.on("GET /slow", { text: "x", unfinished: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 60, write: 60, pause: 60 });
  const own = new AbortController();

  const { body } = await transport({
    method: "GET",
    url: `${service.url}/slow`,
    headers: {},
    signal: own.signal,
  });
  const read = (async () => {
    for await (const piece of body) if (piece.length > 0) own.abort(new Error("enough"));
  })();

  await expect(read).rejects.toThrow("enough");
});

test("does not cut an answer that has begun", async () => {
  await using service = await startFakeProvider();
  service.on("GET /slow", { text: "x", unfinished: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 0.2, write: 0.2, pause: 60 });

  const { status } = await transport({ method: "GET", url: `${service.url}/slow`, headers: {} });

  expect(status).toBe(200);
});

test("gives up an answer that has begun and stops coming, saying so", async () => {
  await using service = await startFakeProvider();
  service.on("GET /stops", { text: "x", unfinished: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 60, write: 60, pause: 0.2 });
  const { body } = await transport({ method: "GET", url: `${service.url}/stops`, headers: {} });
  const pieces: string[] = [];

  const read = (async () => {
    for await (const piece of body) pieces.push(Buffer.from(piece).toString());
  })();

  await expect(read).rejects.toThrow("the answer stopped: nothing came for 0.2 seconds");
  expect(pieces).toEqual(["x"]);
});

test("waits for whoever reads slowly: only a service that is waited for can be silent", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const transport = timeLimitedTransport(
    async ({ signal }) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        for (let piece = 1; piece <= 2; piece += 1) {
          signal?.throwIfAborted();
          yield Uint8Array.of(piece);
        }
      })(),
    }),
    { read: 60, write: 60, pause: 1 },
  );
  const { body } = await transport({ method: "GET", url: "http://127.0.0.1/long", headers: {} });
  const reading = body[Symbol.asyncIterator]();

  await reading.next();
  vi.advanceTimersByTime(3_600_000);
  const second = await reading.next();

  expect(second).toEqual({ done: false, value: Uint8Array.of(2) });
});
