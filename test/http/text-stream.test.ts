import { get, type IncomingMessage } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { reply, type Route, route } from "../../daemon/http/routes/route.ts";
import { TextStream } from "../../daemon/http/answers/text-stream.ts";
import { defineOperation } from "../../shared/contract/operation.ts";
import { gate } from "../support/gate.ts";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";

const operation = defineOperation({
  operationId: "streamText",
  method: "GET",
  path: "/v1/text",
  tier: "mkt",
  tag: "Test",
  summary: "Text, piece by piece",
  auth: "workspace",
  responses: { 200: z.string() },
  streams: ["text/csv"],
});

let server: IdentityServer;
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function serve(pieces: () => AsyncIterable<string>, mediaType = "text/csv; charset=utf-8"): Promise<void> {
  const stream: Route = route(operation, () => reply(200, new TextStream(mediaType, pieces())));
  server = await startIdentityServer({ routes: [stream] });
}

function open(): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${server.http.url}/v1/text`, { headers: { authorization: `Bearer ${server.ownerKey}` } }, resolve).on(
      "error",
      reject,
    );
  });
}

async function until(holds: () => boolean): Promise<void> {
  for (const giveUpAt = Date.now() + 10_000; !holds();) {
    if (Date.now() > giveUpAt) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A stream without an end, and what has become of it. */
function endless() {
  const seen = { pieces: 0, ended: false };
  async function* pieces() {
    try {
      for (;;) {
        seen.pieces += 1;
        yield "x".repeat(64 * 1024);
      }
    } finally {
      seen.ended = true;
    }
  }
  return { pieces, seen };
}

describe("an answer in pieces", () => {
  test("is the pieces, under its own media type", async () => {
    await serve(async function* () {
      yield "one\n";
      yield "tväå\n";
    });

    const answer = await server.call("GET", "/v1/text");

    expect(answer).toMatchObject({ status: 200, text: "one\ntväå\n" });
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  });

  test("may have none", async () => {
    await serve(async function* () {});

    expect(await server.call("GET", "/v1/text")).toMatchObject({ status: 200, text: "" });
  });

  test("is made no faster than it is read, and no longer than somebody reads", async () => {
    const { pieces, seen } = endless();
    await serve(pieces);

    const incoming = await open();
    incoming.pause();
    await until(() => seen.pieces > 1);
    let before: number;
    do {
      before = seen.pieces;
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (seen.pieces > before);

    // What stands still lies in the buffers of sockets: a few megabytes at most.
    expect(seen.pieces).toBeLessThan(500);
    expect(seen.ended).toBe(false);
    incoming.destroy();
    await until(() => seen.ended);
  });

  test("that fails in the middle is cut off, not ended", async () => {
    const received = gate();
    await serve(async function* () {
      yield "one\n";
      await received.opened;
      throw new Error("the disk is gone");
    });

    const incoming = await open();
    const texts: string[] = [];
    const read = async () => {
      for await (const chunk of incoming) {
        texts.push(String(chunk));
        received.open();
      }
    };

    await expect(read()).rejects.toThrow("aborted");
    expect(texts).toEqual(["one\n"]);
  });

  test("that fails before it began is an error like any other, which tells nothing of the fault", async () => {
    // oxlint-disable-next-line require-yield
    await serve(async function* () {
      throw new Error("the disk is gone");
    });

    const answer = await server.call("GET", "/v1/text");

    expect(answer).toMatchObject({
      status: 500,
      body: { code: 500, message: expect.stringMatching(/^Internal error/) },
    });
  });

  test("ends with the service, though nobody reads it to its end", async () => {
    const { pieces, seen } = endless();
    await serve(pieces);
    const incoming = await open();
    incoming.on("error", () => {});
    incoming.pause();

    await server.http.close({ timeoutMs: 50 });

    await until(() => seen.ended);
  });

  test("has a media type that its operation declares", async () => {
    await serve(async function* () {
      yield "{}";
    }, "application/json");

    expect((await server.call("GET", "/v1/text")).status).toBe(500);
  });
});
