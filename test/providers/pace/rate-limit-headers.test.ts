import { describe, expect, test } from "vitest";
import { createPacer } from "../../../daemon/providers/pace/pacing.ts";
import { readHoldMs } from "../../../daemon/providers/pace/rate-limit-headers.ts";
import { serveOneEndpoint } from "../../support/one-endpoint.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const names = { remaining: "X-Left", reset: "X-Reset" };
const limit = { headers: names };

describe("what a vendor tells of its pace", () => {
  test.each([
    ["calls remain", 200, { "x-left": "3", "x-reset": "30" }, undefined],
    ["nothing is told", 200, {}, undefined],
    ["nothing remains, for some seconds", 200, { "x-left": "0", "x-reset": "30" }, 30_000],
    ["nothing remains, until a moment in seconds", 200, { "x-left": "0", "x-reset": String(nowMs / 1_000 + 5) }, 5_000],
    ["nothing remains, until a moment in milliseconds", 200, { "x-left": "0", "x-reset": String(nowMs + 70) }, 70],
    ["nothing remains, until a date", 200, { "x-left": "0", "x-reset": "Sun, 01 Mar 2026 12:00:10 GMT" }, 10_000],
    ["nothing remains, for a duration", 200, { "x-left": "0", "x-reset": "1m2.5s" }, 62_500],
    ["less than one call remains", 200, { "x-left": "0.5", "x-reset": "1" }, 1_000],
    ["nothing remains, and no time is told", 200, { "x-left": "0" }, undefined],
    ["nothing remains, and the time is nonsense", 200, { "x-left": "0", "x-reset": "soon" }, undefined],
    ["what remains is nonsense", 200, { "x-left": "none", "x-reset": "30" }, undefined],
    ["one of two limits is spent", 200, { "x-left": "0, 900", "x-reset": "1, 1419704" }, 1_000],
    ["the other of two limits is spent", 200, { "x-left": "4, 0", "x-reset": "1, 60" }, 60_000],
    [
      "the other of two limits is spent, in headers of their own",
      200,
      { "x-left": ["4", "0"], "x-reset": ["1", "60"] },
      60_000,
    ],
    ["it refuses, and tells what remains nowhere", 429, { "x-reset": "2" }, 2_000],
    ["it refuses, and tells when to come again", 429, { "retry-after": "4", "x-reset": "2" }, 4_000],
    ["the time is beyond belief", 200, { "x-left": "0", "x-reset": "9999999" }, 3_600_000],
  ])("%s", (_, status, headers, expected) => {
    expect(readHoldMs({ status, headers }, limit, { after: ["retry-after"], nowMs })).toBe(expected);
  });

  test("counts for the pace of the file where the vendor tells no time", () => {
    const answer = { status: 200, headers: { "x-left": "0" } };

    expect(readHoldMs(answer, { perMs: 250, headers: { remaining: "x-left" } }, { after: [], nowMs })).toBe(250);
  });

  test("is not asked for where the file names no headers", () => {
    const answer = { status: 429, headers: { "retry-after": "9" } };

    expect(readHoldMs(answer, { requests: 1, perMs: 1 }, { after: ["retry-after"], nowMs })).toBeUndefined();
  });
});

describe("a held pace", () => {
  test("lets nobody in before its end, and then everybody", async () => {
    const pacer = createPacer({ concurrency: 5 });
    pacer.hold(120);
    const begunAt = performance.now();

    await Promise.all([1, 2, 3].map(async () => await pacer.enter(new AbortController().signal)));

    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(118);
    expect(pacer.heldMs()).toBe(0);
  });

  test("lets go of whoever gives up", async () => {
    const pacer = createPacer({ concurrency: 5 });
    pacer.hold(60_000);

    await expect(pacer.enter(AbortSignal.timeout(20))).rejects.toThrow();
  });
});

describe("a provider that says that nothing remains", () => {
  const http = { rateLimit: { headers: names } };

  test("is called again no earlier than it says", async () => {
    await using served = await serveOneEndpoint({ http });
    const arrivals: number[] = [];
    served.vendor.on("GET /it", () => {
      // Before the answer goes out, so before the wait that it tells of begins.
      arrivals.push(performance.now());
      return { json: {}, headers: { "x-left": arrivals.length === 1 ? "0" : "9", "x-reset": "0.4" } };
    });

    const first = await served.run();
    const others = await Promise.all([served.run(), served.run()]);

    expect([first, ...others].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThanOrEqual(380);
  });

  test("for longer than a run may take is not called, and the run says why and costs nothing", async () => {
    await using served = await serveOneEndpoint({
      http: { ...http, timeoutMs: 5_000 },
      endpoint: { price: { type: "PER_CALL", amount: 1 } },
    });
    served.vendor.on("GET /it", { json: {}, headers: { "x-left": "0", "x-reset": "600" } });

    await served.run();
    const second = await served.run();

    expect(second.body).toMatchObject({ status: "FAILED", billing: { reportedCost: { value: 0 } } });
    expect(second.body.error.message).toMatch(/no calls remain for another \d+ s/);
    expect(served.vendor.calls).toHaveLength(1);
  });

  test("with a 429 gives that answer when the wait is too long, and is asked again when it is not", async () => {
    await using served = await serveOneEndpoint({ http: { ...http, timeoutMs: 5_000 } });
    const refusal = (reset: string) => ({ status: 429, headers: { "x-reset": reset }, json: { message: "slow down" } });
    served.vendor.on("GET /it", refusal("0.1"), { json: { n: 1 } }, refusal("600"));

    const first = await served.run();
    const second = await served.run();

    expect(first.body.output).toEqual({ n: 1 });
    expect(second.body.providerResponse).toMatchObject({ httpStatus: 429, error: { message: "slow down" } });
    expect(served.vendor.calls).toHaveLength(3);
  });

  test("inside a 200, by a rule of its file, is believed too", async () => {
    const errors = [{ when: { match: { "$.code": "slow" } }, as: { status: 429 } }];
    await using served = await serveOneEndpoint({ http: { ...http, timeoutMs: 5_000 }, endpoint: { errors } });
    served.vendor.on("GET /it", { json: { code: "slow" }, headers: { "x-reset": "600" } });

    const first = await served.run();
    const second = await served.run();

    expect(first.body.providerResponse.httpStatus).toBe(429);
    expect(second.body.error.message).toContain("no calls remain");
    expect(served.vendor.calls).toHaveLength(1);
  });

  test("leaves an endpoint with a pace of its own alone", async () => {
    const request = { method: "GET" };
    const price = { type: "FREE" };
    const own = { request, price, http: { rateLimit: { headers: { remaining: "x-own-left" } } } };
    await using served = await serveOneEndpoint({
      http,
      file: { endpoints: { "/it": { request, price }, "/own": own } },
    });
    served.vendor.on("GET /it", { json: {}, headers: { "x-left": "0", "x-reset": "600" } });

    await served.run();
    const answer = await served.daemon.request("POST", "/v1/run", { provider: "vendor", endpoint: "/own" });

    expect(answer.body).toMatchObject({ status: "COMPLETED", output: { ok: true } });
  });
});

describe("a retry", () => {
  test("waits as long as a header of the vendor's own says", async () => {
    const retry = { attempts: 2, backoffMs: 60_000, after: ["retry-after-ms"] };
    await using served = await serveOneEndpoint({ http: { retry } });
    served.vendor.on("GET /it", { status: 429, headers: { "retry-after-ms": "30" } }, { json: { n: 1 } });

    const answer = await served.run();

    expect(answer.body.output).toEqual({ n: 1 });
  });
});
