import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { operations } from "../../shared/contract/index.ts";
import { errorStatuses } from "../../shared/contract/operation.ts";

function refused(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map((issue) => issue.path.join(".") || issue.code) ?? [];
}

describe("a run request", () => {
  const body = operations.startRun.body;
  const request = { provider: "atlas", endpoint: "/sun" };

  test.each([
    ["composite input", { ...request, input: { queryParams: { place: "Lisbon" } } }],
    ["flat input", { ...request, input: { place: "Lisbon" } }],
    ["no input", request],
    [
      "everything of ours",
      { ...request, maxCost: { value: 1, currency: "USD" }, tags: { a: "b" }, deadlineMs: 1000, wait: 60 },
    ],
  ])("may have %s", (_, value) => {
    expect(body.parse(value)).toEqual(value);
  });

  test.each([
    ["an unknown member", { ...request, color: "red" }, "unrecognized_keys"],
    ["no provider", { endpoint: "/sun" }, "provider"],
    ["an empty endpoint", { ...request, endpoint: "" }, "endpoint"],
    ["a list as input", { ...request, input: [] }, "input"],
    ["a deadline below a second", { ...request, deadlineMs: 999 }, "deadlineMs"],
    ["a wait above a minute", { ...request, wait: 61 }, "wait"],
    ["a currency other than dollars", { ...request, maxCost: { value: 1, currency: "EUR" } }, "maxCost.currency"],
    [
      "more than ten tags",
      { ...request, tags: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, ""])) },
      "tags",
    ],
    ["a tag name that is too long", { ...request, tags: { ["x".repeat(65)]: "" } }, `tags.${"x".repeat(65)}`],
  ])("may not have %s", (_, value, place) => {
    expect(refused(body, value)).toContain(place);
  });
});

describe("a discovery", () => {
  const body = operations.discover.body;

  test("takes the query under either name, with a limit of 5", () => {
    expect(body.parse({ q: "sun" })).toMatchObject({ q: "sun", limit: 5, includeUnavailable: false });
    expect(body.parse({ query: "sun" })).toMatchObject({ query: "sun" });
  });

  test.each([
    ["no query", {}, "q"],
    ["a query of 1001 characters", { q: "x".repeat(1001) }, "q"],
    ["a limit of 0", { q: "x", limit: 0 }, "limit"],
    ["a score above 2", { q: "x", minScore: 2.01 }, "minScore"],
    ["a category with capitals", { q: "x", category: "Time" }, "category"],
    ["a category of 61 characters", { q: "x", category: "x".repeat(61) }, "category"],
  ])("is refused with %s", (_, value, place) => {
    expect(refused(body, value)).toContain(place);
  });

  test("ignores members that it does not know", () => {
    expect(body.parse({ q: "sun", color: "red" })).not.toHaveProperty("color");
  });
});

describe("values in a query", () => {
  const listRuns = operations.listRuns.query;
  const listResources = operations.listResources.query;

  test("are read from text", () => {
    expect(listRuns.parse({ limit: "20", status: "FAILED,STOPPED" })).toEqual({
      limit: 20,
      status: ["FAILED", "STOPPED"],
    });
    expect(listResources.parse({ includeChildren: "true" })).toEqual({ includeChildren: true });
    expect(operations.getRun.query.parse({ wait: "1.5" })).toEqual({ wait: 1.5 });
  });

  test("are left alone when absent", () => {
    expect(listRuns.parse({})).toEqual({});
  });

  test.each([
    ["a limit of 0", { limit: "0" }, "limit"],
    ["a limit of 101", { limit: "101" }, "limit"],
    ["half a limit", { limit: "1.5" }, "limit"],
    ["an empty limit", { limit: "" }, "limit"],
    ["a limit in another base", { limit: "0x10" }, "limit"],
    ["a status in small letters", { status: "completed" }, "status.0"],
    ["a list with a gap", { status: "FAILED,,STOPPED" }, "status.1"],
    ["a day without its time", { since: "2025-01-01" }, "since"],
  ])("%s is refused", (_, value, place) => {
    expect(refused(listRuns, value)).toContain(place);
  });

  test("a flag is true or false and nothing else", () => {
    expect(refused(listResources, { includeChildren: "yes" })).toEqual(["includeChildren"]);
  });
});

describe("an operation", () => {
  test("names the errors that follow from who may call it, and those of the server around it", () => {
    const ofEvery = [400, 403, 415, 429, 431, 500, 503];
    expect(errorStatuses(operations.getPublicStats)).toEqual(ofEvery);
    expect(errorStatuses(operations.stopRun)).toEqual([
      400, 401, 403, 404, 408, 409, 413, 415, 429, 431, 500, 503, 507,
    ]);
    expect(errorStatuses(operations.getAdminSettings)).toEqual([400, 403, 404, 415, 429, 431, 500, 503]);
    expect(errorStatuses(operations.getWalletBalance)).not.toContain(503);
  });
});
