import { expect, test } from "vitest";
import { reply, type Reply } from "../../daemon/http/routes/route.ts";
import { createIdempotency } from "../../daemon/idempotency/idempotency.ts";
import { gate } from "../support/gate.ts";

const request = { key: "k", workspaceId: "w1", operationId: "startRun", params: {}, body: { n: 1 } };

/** Requests with one key, the first of which is being handled until it is told to end. */
function firstUnderWay() {
  const idempotency = createIdempotency({
    store: { findIdempotency: async () => undefined },
    answerOfRun: async () => undefined,
  });
  const ended = gate<Reply>();
  let handled = 0;
  const ask = (body: unknown = request.body) =>
    idempotency.answer({ ...request, body }, async () => {
      handled += 1;
      return await ended.opened;
    });
  return { ask, first: ask(), end: ended.open, handled: () => handled };
}

test("of requests with one key one is handled, however often the others are sent again", async () => {
  const { ask, first, end, handled } = firstUnderWay();

  await expect(ask()).rejects.toMatchObject({ kind: "conflict" });
  await expect(ask()).rejects.toMatchObject({ kind: "conflict" });
  end(reply(201, { made: true }));

  expect(await first).toMatchObject({ status: 201 });
  expect(handled()).toBe(1);
});

test("another request with the key of one that is being handled is told so, not to come again", async () => {
  const { ask, first, end, handled } = firstUnderWay();

  await expect(ask({ n: 2 })).rejects.toMatchObject({ kind: "unprocessable" });
  end(reply(201, {}));

  await first;
  expect(handled()).toBe(1);
});
