import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmbeddingsClient } from "../../../../daemon/discovery/services/calls/embeddings-client.ts";
import { createRerankClient } from "../../../../daemon/discovery/services/calls/rerank-client.ts";
import { createServiceCaller, type ServiceCaller } from "../../../../daemon/discovery/services/calls/service-caller.ts";
import { ServiceFailed } from "../../../../daemon/discovery/services/calls/service-failed.ts";
import type { FakeAnswer } from "../../../support/fake-provider.ts";
import { type StandIn, startStandIn } from "../stand-in.ts";

const KEY = "sk-very-secret-0123456789";

let standIn: StandIn;
let callers: ServiceCaller[];
beforeEach(async () => {
  standIn = await startStandIn();
  callers = [];
});
afterEach(async () => {
  for (const caller of callers) await caller.close();
  await standIn[Symbol.asyncDispose]();
});

function callerOf(url: string): ServiceCaller {
  const caller = createServiceCaller({ url, key: KEY });
  callers.push(caller);
  return caller;
}

const embeddings = () =>
  createEmbeddingsClient({ caller: callerOf(`${standIn.embeddingsUrl}/embeddings`), model: "small" });
const rerank = () => createRerankClient({ caller: callerOf(standIn.rerankUrl), model: "judge" });
/** So long that a machine under load does not take an answer for none. */
const limits = { timeoutMs: 10_000 };
/** For services that give no answer, which a test waits for. */
const soon = { timeoutMs: 300 };

/** How a call failed. */
async function failureOf(work: Promise<unknown>): Promise<ServiceFailed> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ServiceFailed) return error;
  throw new Error("it did not fail as a service fails", { cause: error });
}

const listOf = (...data: unknown[]) => ({ json: { object: "list", data } });
const item = (index: unknown, embedding: unknown) => ({ object: "embedding", index, embedding });

describe("embeddings", () => {
  test("are asked for as the OpenAI shape has it, with the key as a bearer token", async () => {
    await embeddings().embed(["one", "two"], limits);

    const [call] = standIn.server.calls;
    expect([call?.method, call?.path, call?.headers.authorization]).toEqual([
      "POST",
      "/v1/embeddings",
      `Bearer ${KEY}`,
    ]);
    expect(call?.json).toEqual({ model: "small", input: ["one", "two"] });
  });

  test("are put in the order of the texts by their index, and have length 1", async () => {
    standIn.embed(listOf(item(1, [0, 5, 0]), item(0, [3, 0, 4])));

    const vectors = await embeddings().embed(["one", "two"], limits);

    expect(vectors.map((vector) => [...vector].map((number) => number.toFixed(2)))).toEqual([
      ["0.60", "0.00", "0.80"],
      ["0.00", "1.00", "0.00"],
    ]);
  });

  test("may come as base64", async () => {
    const base64 = Buffer.from(new Float32Array([0.5, -2]).buffer).toString("base64");
    standIn.embed(listOf(item(0, base64)));

    const [vector] = await embeddings().embed(["one"], limits);

    expect([...(vector ?? [])].map((number) => number.toFixed(3))).toEqual(["0.243", "-0.970"]);
  });

  const nan = Buffer.from(new Float32Array([1, Number.NaN]).buffer).toString("base64");
  test.each<[string, FakeAnswer, RegExp]>([
    ["too few vectors", listOf(item(0, [1, 2])), /1 vectors for 2 texts/],
    ["too many", listOf(item(0, [1, 2]), item(1, [1, 2]), item(2, [1, 2])), /3 vectors for 2 texts/],
    ["the same place twice", listOf(item(0, [1, 2]), item(0, [1, 2])), /which text/],
    ["a place that was not asked for", listOf(item(0, [1, 2]), item(7, [1, 2])), /which text/],
    ["different lengths", listOf(item(0, [1, 2]), item(1, [1, 2, 3])), /different lengths/],
    ["null for a number", listOf(item(0, [1, 2]), item(1, [1, null])), /no numbers/],
    [
      "a number beyond all bounds",
      { text: '{"data":[{"index":0,"embedding":[1,1e999]},{"index":1,"embedding":[1,2]}]}' },
      /no numbers/,
    ],
    ["NaN in base64", listOf(item(0, nan), item(1, nan)), /no numbers/],
    ["base64 that is none", listOf(item(0, "%%%"), item(1, "%%%")), /is none/],
    ["a vector without a direction", listOf(item(0, [0, 0]), item(1, [1, 2])), /direction/],
    ["a single number", listOf(item(0, [1]), item(1, [1])), /1 numbers/],
    ["no vectors at all", listOf(item(0, undefined), item(1, undefined)), /is none/],
    ["another shape", { json: { embeddings: [[1, 2]] } }, /no list `data`/],
    ["a list of other things", listOf(null, null), /is none/],
    ["no JSON", { text: "<html>busy</html>", headers: { "content-type": "application/json" } }, /not valid JSON/],
  ])("of %s are nonsense", async (_, answer, why) => {
    standIn.embed(answer);

    const failure = await failureOf(embeddings().embed(["one", "two"], limits));

    expect(failure).toMatchObject({ kind: "nonsense", message: expect.stringMatching(why) });
  });

  test("an answer larger than any that many texts could have is not read to its end", async () => {
    standIn.embed({ bytes: Buffer.alloc(3_000_000, " "), headers: { "content-type": "application/json" } });

    const failure = await failureOf(embeddings().embed(["one"], { timeoutMs: 5_000 }));

    expect(failure).toMatchObject({ kind: "nonsense", message: expect.stringMatching(/larger than/) });
  });
});

describe("a service that gives no answer", () => {
  test.each<[string, FakeAnswer, string, RegExp]>([
    ["hangs", { hang: true }, "slow", /no answer in time/],
    ["drips", { text: "{", dripEveryMs: 20 }, "slow", /no answer in time/],
    ["breaks off", { text: "{", truncated: true }, "away", /broke/],
    ["drops the connection", { reset: true }, "away", /broke/],
    ["answers 500", { status: 500, text: KEY }, "away", /answers 500/],
    ["answers 503", { status: 503 }, "away", /answers 503/],
    ["answers 429", { status: 429 }, "busy", /429/],
    ["refuses the key", { status: 401, json: { error: `bad key ${KEY}` } }, "refused", /401/],
    ["forbids", { status: 403 }, "refused", /403/],
    ["does not know the model", { status: 404 }, "rejected", /404/],
    ["finds a text too long", { status: 413 }, "rejected", /413/],
    [
      "sends elsewhere",
      { status: 302, headers: { location: "http://127.0.0.1:1/v1/embeddings" } },
      "nonsense",
      /redirect/,
    ],
  ])("because it %s is told of without the key and without its address", async (_, answer, kind, why) => {
    standIn.embed(answer);

    const failure = await failureOf(embeddings().embed(["one"], kind === "slow" ? soon : limits));

    expect(failure).toMatchObject({ kind, message: expect.stringMatching(why) });
    expect(JSON.stringify([failure.message, failure.cause])).not.toMatch(new RegExp(`${KEY}|127\\.0\\.0\\.1`));
  });

  test("because nobody listens is told of too", async () => {
    const { embeddingsUrl } = standIn;
    await standIn.server.close();

    const client = createEmbeddingsClient({ caller: callerOf(`${embeddingsUrl}/embeddings`), model: "small" });
    const failure = await failureOf(client.embed(["one"], { timeoutMs: 2_000 }));

    expect(failure).toMatchObject({ kind: "away", message: "the connection was refused" });
  });

  test("is asked once more when it broke off or was overloaded, and no more than that", async () => {
    standIn.embed({ reset: true }, listOf(item(0, [1, 2])));
    await expect(embeddings().embed(["one"], { timeoutMs: 2_000 })).resolves.toHaveLength(1);

    standIn.embed({ status: 503 });
    await failureOf(embeddings().embed(["one"], { timeoutMs: 2_000 }));

    expect(standIn.server.count("POST /v1/embeddings")).toBe(4);
  });

  test.each([400, 401, 429])("is not asked again after %i", async (status) => {
    standIn.embed({ status });

    await failureOf(embeddings().embed(["one"], limits));

    expect(standIn.server.count("POST /v1/embeddings")).toBe(1);
  });

  test("says when it wants to be asked again", async () => {
    standIn.embed({ status: 429, headers: { "retry-after": "7" } });

    expect(await failureOf(embeddings().embed(["one"], limits))).toMatchObject({ retryAfterMs: 7_000 });
  });
});

describe("a reranker", () => {
  const documents = ["tidal water at the harbour", "weather and rain"];

  test("is asked as Cohere and Jina have it, and answers scores by document", async () => {
    const results = await rerank().rerank("umbrella", documents, limits);

    const [call] = standIn.server.calls;
    expect(call?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(call?.json).toEqual({ model: "judge", query: "umbrella", documents, top_n: 2 });
    expect(results.map(({ index }) => index)).toEqual([1, 0]);
    expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? 0);
  });

  test("may leave documents out", async () => {
    standIn.rerank({ json: { results: [{ index: 1, relevance_score: 0.9 }] } });

    await expect(rerank().rerank("umbrella", documents, limits)).resolves.toEqual([{ index: 1, score: 0.9 }]);
  });

  test.each<[string, unknown, RegExp]>([
    ["a document that was not sent", { results: [{ index: 2, relevance_score: 1 }] }, /which text/],
    [
      "a document twice",
      {
        results: [
          { index: 0, relevance_score: 1 },
          { index: 0, relevance_score: 0 },
        ],
      },
      /which text/,
    ],
    ["a score that is none", { results: [{ index: 0, relevance_score: "high" }] }, /no number/],
    ["a result that is none", { results: [null] }, /is none/],
    ["no results", { results: [] }, /no list `results`/],
    ["another shape", [{ index: 0, score: 1 }], /no list `results`/],
  ])("that tells of %s talks nonsense", async (_, json, why) => {
    standIn.rerank({ json });

    const failure = await failureOf(rerank().rerank("umbrella", documents, limits));

    expect(failure).toMatchObject({ kind: "nonsense", message: expect.stringMatching(why) });
  });
});
