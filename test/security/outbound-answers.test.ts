import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { NoAnswerError } from "../../daemon/providers/protocol/provider.ts";
import { type FakeAnswer, startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };
const json = { "content-type": "application/json" };

async function callAgainst(answer: FakeAnswer): Promise<NoAnswerError> {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host]);
  vendor.on("GET /x", answer);
  const entry = entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${vendor.url}", allowPrivateNetwork: true, maxResponseBytes: 1000000}
endpoints:
  /x:
    request: {method: GET}
    idempotent: true
    price: {type: PER_CALL, amount: 0}
`);

  const failure = await provider.start({ runId, entry, input: {} }, anyTime).then(
    () => Promise.reject(new Error("it was answered")),
    (error: unknown) => error as NoAnswerError,
  );

  expect(vendor.count("GET /x")).toBe(1);
  await expect.poll(() => vendor.connections()).toBeLessThanOrEqual(1);
  return failure;
}

function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

const bomb = Buffer.alloc(50_000_000, 0x20);

describe("an answer that is a bomb ends as no readable answer, with its reason, and is not fetched twice", () => {
  test.each<[string, FakeAnswer, string]>([
    [
      "gzip",
      { bytes: gzipSync(bomb), headers: { ...json, "content-encoding": "gzip" } },
      "larger than the 1000000 bytes",
    ],
    [
      "brotli",
      { bytes: brotli(bomb), headers: { ...json, "content-encoding": "br" } },
      "larger than the 1000000 bytes",
    ],
    [
      "gzip in gzip",
      { bytes: gzipSync(gzipSync(bomb)), headers: { ...json, "content-encoding": "gzip, gzip" } },
      "encoded more than once",
    ],
    ["an unknown encoding", { text: "x", headers: { "content-encoding": "lzma" } }, "lzma"],
    ["plain bytes with a length", { bytes: bomb.subarray(0, 1_000_001) }, "larger than the 1000000 bytes"],
    [
      "plain bytes without a length",
      { bytes: bomb.subarray(0, 2_000_000), unfinished: true },
      "larger than the 1000000 bytes",
    ],
    ["broken gzip", { text: "not gzip at all", headers: { "content-encoding": "gzip" } }, "not valid gzip data"],
    ["broken brotli", { text: "not brotli at all", headers: { "content-encoding": "br" } }, "not valid br data"],
    [
      "cut gzip",
      { bytes: gzipSync("hello hello").subarray(0, 15), headers: { "content-encoding": "gzip" } },
      "not valid gzip data",
    ],
    ["deep lists", { text: "[".repeat(5_000) + "]".repeat(5_000), headers: json }, "deeper than 256 levels"],
    [
      "deep objects",
      { text: '{"a":'.repeat(5_000) + "1" + "}".repeat(5_000), headers: json },
      "deeper than 256 levels",
    ],
    [
      "deep lists called text",
      { text: "[".repeat(5_000) + "]".repeat(5_000), headers: { "content-type": "text/plain" } },
      "deeper",
    ],
    ["deep lists in an error", { status: 500, text: "[".repeat(5_000) + "]".repeat(5_000), headers: json }, "deeper"],
  ])("%s", async (_, answer, reason) => {
    const failure = await callAgainst(answer);

    expect(failure).toMatchObject({ name: "NoAnswerError", source: "provider", maybeExecuted: true });
    expect(failure.message).toContain(reason);
    expect(failure.attempts).toEqual([expect.objectContaining({ error: expect.stringContaining(reason) })]);
  });
});

test("brackets inside texts are not depth", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host]);
  const text = `${"[".repeat(1_000)}"\\`;
  vendor.on("GET /x", { json: { text } });
  const entry = entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${vendor.url}", allowPrivateNetwork: true}
endpoints:
  /x: {request: {method: GET}, price: {type: PER_CALL, amount: 0}}
`);

  const answer = await provider.start({ runId, entry, input: {} }, anyTime);

  expect(answer).toMatchObject({ success: true, output: { text } });
});
