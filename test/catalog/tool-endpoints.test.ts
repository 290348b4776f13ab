import { describe, expect, test } from "vitest";
import { catalogFolder, manifest } from "./catalog-folder.ts";

function withTool(changes: Record<string, unknown>, request: Record<string, unknown> = { tool: "search" }) {
  return manifest({
    endpoints: {
      "/search": {
        request,
        input: { body: { properties: { query: { type: "string" } } } },
        price: { type: "PER_CALL", amount: 0.01 },
        ...changes,
      },
    },
  });
}

const job = {
  start: { id: "$.id" },
  poll: { method: "GET", path: "/jobs/${run.externalId}", status: "$.status", states: { done: ["DONE"] } },
};

describe("an endpoint that is a tool of an MCP server", () => {
  test("is served as a POST whose body holds the tool's arguments", async () => {
    using folder = catalogFolder();
    folder.write("shop", withTool({}, { tool: "search", body: { lang: "en" }, headers: { "X-App": "mkt" } }));

    const catalog = await folder.load();

    expect(catalog.problems()).toEqual([]);
    expect(catalog.get("shop", "/search")).toMatchObject({ request: { method: "POST", tool: "search" } });
    expect(catalog.get("shop", "/search")?.request).not.toHaveProperty("path");
  });

  test.each<[string, Record<string, unknown>, string, RegExp]>([
    [
      "a method",
      withTool({}, { tool: "search", method: "POST" }),
      "request.method",
      /a tool has no method: .*take it out/,
    ],
    ["a path", withTool({}, { tool: "search", path: "/x" }), "request.path", /a tool has no path/],
    [
      "fixed parameters",
      withTool({}, { tool: "search", queryParams: { a: 1 } }),
      "request.queryParams",
      /no queryParams/,
    ],
    ["an encoding", withTool({}, { tool: "search", encoding: "form" }), "request.encoding", /a tool has no encoding/],
    [
      "an idempotency header",
      withTool({}, { tool: "search", idempotency: { header: "Idempotency-Key" } }),
      "request.idempotency",
      /a tool has no idempotency/,
    ],
    [
      "parameters elsewhere than in its arguments",
      withTool({ input: { queryParams: { properties: { q: { type: "string" } } } } }),
      "input.queryParams",
      /takes its arguments as one object; move these to input\.body/,
    ],
    ["a job", withTool({ async: job }), "async", /a tool answers at once/],
    [
      "a secret that is not declared",
      withTool({}, { tool: "search", body: { key: "${secret.other}" } }),
      "request.body.key",
      /secret/,
    ],
  ])("has not %s", async (_, file, path, message) => {
    using folder = catalogFolder();
    folder.write("shop", file);

    const problems = (await folder.load()).problems();

    const found = problems.find((problem) => problem.path === `endpoints./search.${path}`);
    expect(found?.message ?? problems).toMatch(message);
  });

  test("is told apart from a call that lacks its method", async () => {
    using folder = catalogFolder();
    folder.write("shop", withTool({}, { path: "/search" }));

    const problems = (await folder.load()).problems();

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ path: "endpoints./search.request.method", rule: "shape" });
    expect(problems[0]?.message).toMatch(/^is missing; add one of "GET", "HEAD", "POST"/);
  });
});
