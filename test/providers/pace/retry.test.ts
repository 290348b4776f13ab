import { describe, expect, test } from "vitest";
import { Retry } from "../../../daemon/manifest/manifest.ts";
import type { Verdict } from "../../../daemon/providers/answer/error-rules.ts";
import { type AttemptOutcome, parseWait, retryDelayMs, type RetryFacts } from "../../../daemon/providers/pace/retry.ts";
import { ExchangeError } from "../../../daemon/providers/sending/send.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");

function answered(
  status: number,
  headers: Record<string, string> = {},
  verdict: Partial<Verdict> = {},
): AttemptOutcome {
  const success = status >= 200 && status <= 299;
  return {
    kind: "answer",
    exchange: { status, headers, body: null, bytes: 0 },
    verdict: { httpStatus: status, success, empty: false, ...verdict },
  };
}

function failed(kind: ExchangeError["kind"], maybeExecuted: boolean): AttemptOutcome {
  return { kind: "failure", error: new ExchangeError("x", { kind, maybeExecuted }) };
}

function isRepeated(outcome: AttemptOutcome, facts: Partial<RetryFacts> = {}): boolean {
  return delay(outcome, facts) !== undefined;
}

function delay(outcome: AttemptOutcome, facts: Partial<RetryFacts> = {}): number | undefined {
  const policy = Retry.parse({});
  return retryDelayMs(outcome, {
    policy,
    repeatable: false,
    attempt: 1,
    timeLeftMs: Infinity,
    nowMs,
    random: 1,
    ...facts,
  });
}

describe("a call that must not be executed twice", () => {
  test.each([
    ["no byte was sent", failed("network", false), true],
    ["the connection broke after it was sent", failed("network", true), false],
    ["the provider says 429", answered(429), true],
    ["the provider says 503 and when to come again", answered(503, { "retry-after": "1" }), true],
    ["the provider says 503 and nothing else", answered(503), false],
    ["the provider says 502", answered(502), false],
    ["the provider says 504", answered(504), false],
    ["the provider says 500", answered(500), false],
    ["the provider says 404", answered(404), false],
    ["our own guard refused the address", failed("refused", false), false],
    ["the answer was too large", failed("unreadable", true), false],
    ["time was up", failed("aborted", false), false],
    ["it succeeded", answered(200), false],
    ["an error rule makes it a 429", answered(200, {}, { success: false, httpStatus: 429 }), true],
    ["an error rule wants it again, but it may have been executed", answered(500, {}, { retry: true }), false],
  ])("when %s is repeated: %s", (_, outcome, expected) => {
    expect(isRepeated(outcome)).toBe(expected);
  });
});

describe("a call that may be executed twice", () => {
  test.each([
    ["the connection broke after it was sent", failed("network", true), true],
    ["the provider says 502", answered(502), true],
    ["the provider says 503", answered(503), true],
    ["the provider says 504", answered(504), true],
    ["the provider says 500, which is not listed", answered(500), false],
    ["the provider says 500 and an error rule wants it again", answered(500, {}, { retry: true }), true],
    ["the provider says 503 and an error rule wants it never again", answered(503, {}, { retry: false }), false],
    ["the answer was too large", failed("unreadable", true), false],
  ])("when %s is repeated: %s", (_, outcome, expected) => {
    expect(isRepeated(outcome, { repeatable: true })).toBe(expected);
  });
});

describe("a retry policy", () => {
  test("that is unsafe repeats what it lists whatever was executed", () => {
    expect(isRepeated(failed("network", true), { policy: Retry.parse({ unsafe: true }) })).toBe(true);
  });

  test("that does not list the network does not repeat a refused connection", () => {
    expect(isRepeated(failed("network", false), { policy: Retry.parse({ on: [429] }) })).toBe(false);
  });

  test("counts the first call among its attempts", () => {
    expect(isRepeated(answered(429), { attempt: 2 })).toBe(true);
    expect(isRepeated(answered(429), { attempt: 3 })).toBe(false);
    expect(isRepeated(answered(429), { policy: Retry.parse({ attempts: 1 }) })).toBe(false);
  });

  test("doubles its wait up to the most, half of it by chance", () => {
    expect([1, 2, 3].map((attempt) => delay(answered(429), { attempt, policy: Retry.parse({ attempts: 9 }) }))).toEqual(
      [500, 1_000, 2_000],
    );
    expect(delay(answered(429), { random: 0 })).toBe(250);
    expect(delay(answered(429), { attempt: 8, policy: Retry.parse({ attempts: 9, maxBackoffMs: 3_000 }) })).toBe(3_000);
  });

  test("waits as long as the provider tells", () => {
    expect(delay(answered(429, { "retry-after": "7" }))).toBe(7_000);
  });

  test("reads the headers that the card names", () => {
    const policy = Retry.parse({ after: ["X-Reset-Ms", "retry-after"] });

    expect(delay(answered(429, { "x-reset-ms": "250", "retry-after": "9" }), { policy })).toBe(250);
  });

  test("does not begin a wait that does not fit into the time left", () => {
    expect(isRepeated(answered(429, { "retry-after": "7" }), { timeLeftMs: 7_000 })).toBe(false);
  });
});

describe("a told wait", () => {
  test.each([
    ["retry-after", "3", 3_000],
    ["retry-after", "0.5", 500],
    ["retry-after", "Sun, 01 Mar 2026 12:00:10 GMT", 10_000],
    ["retry-after", "2026-03-01T12:00:02Z", 2_000],
    ["retry-after", "Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["x-ratelimit-reset", String(nowMs / 1_000 + 5), 5_000],
    ["x-ratelimit-reset", String(nowMs + 5), 5],
    ["x-wait-ms", "40", 40],
    ["retry-after", "Sunday, 01-Mar-26 12:00:10 GMT", 10_000],
    ["retry-after", "Sun Mar  1 12:00:10 2026", 10_000],
    ["x-ratelimit-reset", "2026-03-01 12:00:10", 10_000],
    ["x-ratelimit-reset", "2026-03-01T13:00:10+01:00", 10_000],
    ["retry-after", "soon", undefined],
    ["x-ratelimit-reset", "none 0", undefined],
    ["x-ratelimit-reset", "100;w=60", undefined],
    ["retry-after", "-1", undefined],
    ["retry-after", "", undefined],
  ])("%s: %s is %s ms", (name, value, expected) => {
    expect(parseWait(name, value, nowMs)).toBe(expected);
  });
});
