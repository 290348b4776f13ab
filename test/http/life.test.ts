import { request } from "node:http";
import { connect } from "node:net";
import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineOperation } from "../../shared/contract/operation.ts";
import { reply, route } from "../../daemon/http/routes/route.ts";
import { startIdentityServer } from "../support/identity-server.ts";
import { rawHead } from "../support/raw-request.ts";

const wait = defineOperation({
  operationId: "wait",
  method: "GET",
  path: "/public/v1/wait",
  tier: "mkt",
  tag: "Test",
  auth: "none",
  summary: "test",
  responses: { 200: z.object({ done: z.boolean() }) },
});

/** Something that happens once. */
function signal() {
  const events = new EventEmitter();
  return { happened: once(events, "it"), happen: () => void events.emit("it") };
}

/** A route that answers when it is let go, or when its signal aborts. */
function gate() {
  const [entered, aborted, released] = [signal(), signal(), signal()];
  const gateRoute = route(wait, async (handled) => {
    handled.signal.addEventListener("abort", aborted.happen);
    entered.happen();
    await Promise.race([released.happened, aborted.happened]);
    return reply(200, { done: !handled.signal.aborted });
  });
  return { gateRoute, entered: entered.happened, aborted: aborted.happened, release: released.happen };
}

describe("closing", () => {
  test("what is under way is answered, and the connection ends", async () => {
    const { gateRoute, entered, release } = gate();
    await using server = await startIdentityServer({ routes: [gateRoute] });
    const pending = server.call("GET", "/public/v1/wait");
    await entered;

    const closed = server.http.close({ timeoutMs: 20_000 });
    release();
    const answer = await pending;
    await closed;

    expect(answer).toMatchObject({ status: 200, body: { done: true } });
  });

  test("new connections are refused, and new requests on old ones are 503", async () => {
    const { gateRoute, entered, release } = gate();
    await using server = await startIdentityServer({ routes: [gateRoute] });
    const host = `Host: 127.0.0.1:${server.http.port}`;
    const socket = connect(server.http.port, "127.0.0.1").setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk: string) => (text += chunk));
    socket.write(rawHead("GET /public/v1/wait HTTP/1.1", host));
    await entered;

    const closed = server.http.close({ timeoutMs: 20_000 });
    const refused = once(connect(server.http.port, "127.0.0.1"), "connect").then(
      () => "connected",
      (error: NodeJS.ErrnoException) => error.code,
    );
    socket.write(rawHead("GET /v1/auth/whoami HTTP/1.1", host));
    expect(await refused).toBe("ECONNREFUSED");
    release();
    await once(socket, "close");
    await closed;

    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    // An answer that said "close" is the last one on its connection; one sent before it may be followed by the 503.
    expect(
      text
        .split("HTTP/1.1 ")
        .slice(2)
        .every((answer) => answer.startsWith("503 ")),
    ).toBe(true);
  });

  test("what does not end in time is told to, and closing goes on", async () => {
    const { gateRoute, entered, aborted } = gate();
    await using server = await startIdentityServer({ routes: [gateRoute] });
    const pending = server.call("GET", "/public/v1/wait");
    await entered;

    await server.http.close({ timeoutMs: 50 });
    await aborted;

    expect((await pending).body).toEqual({ done: false });
  });

  test("a connection on which nothing was ever sent does not hold it up", async () => {
    await using server = await startIdentityServer();
    const idle = connect(server.http.port, "127.0.0.1");
    await once(idle, "connect");
    const closed = once(idle, "close");

    await server.http.close();

    await closed;
    expect(idle.readyState).toBe("closed");
  });

  test("it may be asked for twice", async () => {
    await using server = await startIdentityServer();

    await Promise.all([server.http.close(), server.http.close()]);

    await expect(fetch(`${server.http.url}/v1/auth/whoami`)).rejects.toThrow();
  });
});

test("a handler's signal aborts when the caller hangs up", async () => {
  const { gateRoute, entered, aborted } = gate();
  await using server = await startIdentityServer({ routes: [gateRoute] });
  const pending = request(`${server.http.url}/public/v1/wait`).on("error", () => {});
  pending.end();
  await entered;

  pending.destroy();

  await expect(aborted).resolves.toBeDefined();
});

test("a port that is taken is refused with its code", async () => {
  await using first = await startIdentityServer();
  await using second = await startIdentityServer();

  await expect(second.http.listen("127.0.0.1", first.http.port)).rejects.toThrow();
});

test("an answer against its contract is a 500 where answers are checked", async () => {
  const broken = route(wait, () => reply(200, { done: "yes" } as unknown as { done: boolean }));
  await using server = await startIdentityServer({ routes: [broken] });

  const answer = await server.call("GET", "/public/v1/wait");

  expect(answer.status).toBe(500);
  expect(server.log.join()).toContain("a request failed");
});
