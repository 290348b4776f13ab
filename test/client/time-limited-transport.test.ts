import { expect, test } from "vitest";
import { nodeTransport } from "../../shared/client/node-transport.ts";
import { timeLimitedTransport } from "../../shared/client/time-limited-transport.ts";
import { startFakeProvider } from "../support/fake-provider.ts";

test("gives up a request that a service takes and never answers, saying how long it waited", async () => {
  await using service = await startFakeProvider();
  service.on("GET /silent", { hang: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 0.2, write: 60 });

  const answer = transport({ method: "GET", url: `${service.url}/silent`, headers: {} });

  await expect(answer).rejects.toThrow("no answer within 0.2 seconds");
});

test("lets a signal of the request's own end it sooner, with its reason", async () => {
  await using service = await startFakeProvider();
  service.on("GET /silent", { hang: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 60, write: 60 });
  const own = AbortSignal.timeout(100);

  const answer = transport({ method: "GET", url: `${service.url}/silent`, headers: {}, signal: own });

  await expect(answer).rejects.toMatchObject({ name: "TimeoutError" });
});

test("gives up in time whatever signal the request has: one that nobody aborts would wait for ever", async () => {
  await using service = await startFakeProvider();
  service.on("GET /silent", { hang: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 0.2, write: 60 });
  const { signal } = new AbortController();

  const answer = transport({ method: "GET", url: `${service.url}/silent`, headers: {}, signal });

  await expect(answer).rejects.toThrow("no answer within 0.2 seconds");
});

test("lets the request's own signal end an answer that has begun", async () => {
  await using service = await startFakeProvider();
  service.on("GET /slow", { text: "x", unfinished: true });
  const transport = timeLimitedTransport(nodeTransport(), { read: 60, write: 60 });
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
  const transport = timeLimitedTransport(nodeTransport(), { read: 0.2, write: 0.2 });

  const { status } = await transport({ method: "GET", url: `${service.url}/slow`, headers: {} });

  expect(status).toBe(200);
});
