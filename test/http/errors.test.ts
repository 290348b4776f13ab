import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineOperation } from "../../shared/contract/operation.ts";
import { reply, route, type Route } from "../../daemon/http/routes/route.ts";
import { GuardFailed, StorageFailed } from "../../daemon/ledger/transaction/commit-errors.ts";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";

const common = { tier: "mkt", tag: "Test", auth: "none", summary: "test" } as const;
const Anything = z.record(z.string(), z.unknown());

const echo = defineOperation({
  ...common,
  operationId: "echo",
  method: "POST",
  path: "/public/v1/echo",
  body: z.object({ name: z.string().min(2), count: z.int().max(9).optional(), tree: z.unknown().optional() }),
  responses: { 200: Anything },
});
const look = defineOperation({
  ...common,
  operationId: "look",
  method: "GET",
  path: "/public/v1/look/{endpoint}",
  params: z.object({ endpoint: z.string() }),
  query: z.object({ color: z.enum(["red", "blue"]).optional() }),
  responses: { 200: Anything },
});
const fail = defineOperation({
  ...common,
  operationId: "fail",
  method: "GET",
  path: "/public/v1/fail/{how}",
  params: z.object({ how: z.string() }),
  responses: { 200: Anything },
});
const noBody = defineOperation({
  ...common,
  operationId: "noBody",
  method: "POST",
  path: "/public/v1/no-body",
  responses: { 204: null },
});

const failures: Record<string, () => unknown> = {
  secret: () => new Error("the password is hunter2"),
  storage: () => new StorageFailed("EIO"),
  guard: () => new GuardFailed({ kind: "labelFree", workspaceId: "w", label: "laptop" }),
  text: () => "just a text",
};

const routes: Route[] = [
  route(echo, ({ body }) => reply(200, { ...body })),
  route(look, ({ params, query }) => reply(200, { ...params, ...query })),
  route(fail, ({ params }) => {
    throw failures[params.how]?.();
  }),
  route(noBody, () => reply(204, undefined)),
];

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer({ routes, maxBodyBytes: 2_000 });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describe("what a caller gets wrong", () => {
  test.each([
    ["JSON that stops", '{"name": "ab"', /not valid JSON.*(position|line|end)/i],
    ["JSON with a stray comma", '{"name": "ab",}', /not valid JSON.*position 14/],
    ["a field that is too short", { name: "a" }, /^name: must have at least 2 characters \(got "a"\)$/],
    ["a field that is missing", {}, /^name: is required \(a string\)$/],
    ["a field of another type", { name: 7 }, /^name: must be a string \(got 7\)$/],
    ["a number out of range", { name: "ab", count: 10 }, /^count: must be at most 9 \(got 10\)$/],
    ["several fields", { name: "a", count: 1.5 }, /^name: .*; count: must be a whole number \(got 1\.5\)$/],
    ["a body that is a list", [1], /^body: must be an object/],
    ["no body", "", /^body: is required \(an object\)$/],
    [
      "a number that no double holds",
      '{"name": "ab", "tree": 1e400}',
      /^tree: the number 1e400 would change on its way/,
    ],
    ["the member __proto__", '{"name": "ab", "tree": {"__proto__": {"x": 1}}}', /__proto__/],
    [
      "the member __proto__ in the input of a run",
      '{"name": "ab", "input": {"body": {"a": {"__proto__": {"x": 1}}}}}',
      /__proto__/,
    ],
    [
      "the member __proto__, written with escapes",
      String.raw`{"name": "ab", "tree": [{"\u005F_pr\u006fto__" : 1}]}`,
      /__proto__/,
    ],
    ["nesting beyond 64 levels", `{"name": "ab", "tree": ${"[".repeat(64)}${"]".repeat(64)}}`, /deeper than 64/],
  ])("%s is 400 with a message that names it", async (_title, body, message) => {
    const answer = await server.call("POST", "/public/v1/echo", { body });

    expect(answer).toMatchObject({ status: 400, body: { code: 400, message: expect.stringMatching(message) } });
  });

  test("a byte order mark before the body is no part of it", async () => {
    const answer = await server.call("POST", "/public/v1/echo", { body: '\uFEFF{"name": "ab"}' });

    expect(answer).toMatchObject({ status: 200, body: { name: "ab" } });
  });

  test("5,000 levels of JSON are refused and the process lives", async () => {
    await using roomy = await startIdentityServer({ routes });

    const answer = await roomy.call("POST", "/public/v1/echo", {
      body: `{"tree":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
    });

    expect(answer.status).toBe(400);
    expect((await roomy.call("GET", "/v1/auth/whoami")).status).toBe(200);
  });

  test.each([
    ["in a text", { text: '"__proto__": 1' }],
    ["at the end of a longer name", { 'a"__proto__': 1 }],
    ["as a value", ["__proto__", ":"]],
  ])("__proto__ %s is plain data", async (_title, tree) => {
    const answer = await server.call("POST", "/public/v1/echo", { body: { name: "ab", tree } });

    expect(answer.body.tree).toEqual(tree);
  });

  test("members called constructor and prototype are plain data", async () => {
    const tree = { constructor: "ferrari", prototype: { x: 1 } };

    const answer = await server.call("POST", "/public/v1/echo", { body: { name: "ab", tree } });

    expect(answer.body.tree).toEqual(tree);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("a body that is not UTF-8 is 400", async () => {
    const head = rawHead(
      "POST /public/v1/echo HTTP/1.1",
      `Host: 127.0.0.1:${server.http.port}`,
      "Content-Type: application/json",
      "Content-Length: 14",
    );

    const answer = await rawRequest(server.http.port, `${head}{"name": "a\xff"}`);

    expect(answer).toMatchObject({ status: 400, body: { code: 400, message: "The body is not valid UTF-8" } });
  });

  test("an unknown query value is 400 and names the values", async () => {
    const answer = await server.call("GET", "/public/v1/look/a?color=Red");

    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'query.color: must be one of red, blue; did you mean "red"? (got "Red")' },
    });
  });

  test("a query name that came twice is 400", async () => {
    const answer = await server.call("GET", "/public/v1/look/a?color=red&color=blue");

    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^query\.color: .*more than once/) },
    });
  });

  test("a query may be called __proto__", async () => {
    const answer = await server.call("GET", "/public/v1/look/a?__proto__=x&constructor=y");

    expect(answer).toMatchObject({ status: 200, body: { endpoint: "a" } });
  });

  test("an endpoint's path takes the slashes that are left, plain or encoded", async () => {
    const plain = await server.call("GET", "/public/v1/look/a/b/c");
    const encoded = await server.call("GET", "/public/v1/look/a%2Fb%2Fc");

    expect([plain.body.endpoint, encoded.body.endpoint]).toEqual(["a/b/c", "a/b/c"]);
  });

  test("a path that is not percent-encoded rightly is 400", async () => {
    const answer = await server.call("GET", "/public/v1/look/%zz");

    expect(answer).toMatchObject({ status: 400, body: { code: 400 } });
  });

  test.each(["/nothing/here", "/v1/api-keys/", "/v1", "/"])("an unknown route, %s, is 404 and named", async (path) => {
    const answer = await server.call("GET", path);

    expect(answer).toMatchObject({
      status: 404,
      body: { code: 404, message: `GET ${path} is not a route of this service; GET /openapi.json lists them` },
    });
  });

  test.each(["DELETE", "PUT", "PATCH"])("%s on a path with other methods is 405 with Allow", async (method) => {
    const answer = await server.call(method, "/v1/auth/whoami");

    expect(answer).toMatchObject({ status: 405, body: { code: 405 } });
    expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });

  test.each(["PROPFIND", "TRACE", "CONNECT"])("the method %s is refused in JSON", async (method) => {
    const target = method === "CONNECT" ? "example.com:443" : "/v1/auth/whoami";
    const answer = await rawRequest(
      server.http.port,
      rawHead(`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${server.http.port}`),
    );

    expect(answer).toMatchObject({ status: 405, body: { code: 405 } });
  });

  test("OPTIONS says what a path takes, and nothing for other origins", async () => {
    const answer = await server.call("OPTIONS", "/v1/api-keys", { key: null });

    expect(answer.status).toBe(204);
    expect(answer.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("HEAD is GET without the body", async () => {
    const answer = await server.call("HEAD", "/v1/auth/whoami");

    expect(answer).toMatchObject({ status: 200, text: "" });
  });

  test("a body above the limit is 413", async () => {
    const answer = await server.call("POST", "/public/v1/echo", { body: { name: "x".repeat(3_000) } });

    expect(answer).toMatchObject({ status: 413, body: { code: 413 } });
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "nonsense"])(
    "a body as %s is 415",
    async (type) => {
      const answer = await server.call("POST", "/public/v1/echo", { body: "{}", headers: { "content-type": type } });

      expect(answer).toMatchObject({ status: 415, body: { code: 415 } });
    },
  );

  test("a compressed body is 415", async () => {
    const answer = await server.call("POST", "/public/v1/echo", {
      body: "{}",
      headers: { "content-encoding": "gzip" },
    });

    expect(answer).toMatchObject({ status: 415, body: { code: 415 } });
  });

  test("an empty body with a JSON content type is accepted", async () => {
    const answer = await server.call("POST", "/public/v1/no-body", { headers: { "content-type": "application/json" } });

    expect(answer).toMatchObject({ status: 204, text: "" });
  });

  test("a GET with a JSON content type and no body is accepted", async () => {
    const answer = await server.call("GET", "/v1/auth/whoami", { headers: { "content-type": "application/json" } });

    expect(answer.status).toBe(200);
  });
});

describe("what goes wrong inside", () => {
  test("a 500 hides what happened, and the log has it", async () => {
    const answer = await server.call("GET", "/public/v1/fail/secret", { headers: { "x-request-id": "mine-1" } });

    expect(answer).toMatchObject({ status: 500, body: { code: 500, message: "Internal error; request mine-1" } });
    expect(server.log.some((line) => line.includes("mine-1") && line.includes("a request failed"))).toBe(true);
  });

  test.each([
    ["storage", 503],
    ["guard", 409],
    ["text", 500],
  ])("a thrown %s is %i", async (how, status) => {
    const answer = await server.call("GET", `/public/v1/fail/${how}`);

    expect(answer).toMatchObject({ status, body: { code: status, message: expect.any(String) } });
  });
});

describe("what the parser cannot read", () => {
  test.each([
    [
      "a head above 16 KiB",
      (host: string) => rawHead("GET /v1/auth/whoami HTTP/1.1", host, `X-Long: ${"x".repeat(20_000)}`),
      431,
    ],
    [
      "two lengths of the body",
      (host: string) => rawHead("POST /v1/run HTTP/1.1", host, "Content-Length: 1", "Content-Length: 2"),
      400,
    ],
    [
      "a length and chunks",
      (host: string) => rawHead("POST /v1/run HTTP/1.1", host, "Content-Length: 5", "Transfer-Encoding: chunked"),
      400,
    ],
    ["lines that end in LF alone", (host: string) => `GET /v1/auth/whoami HTTP/1.1\n${host}\n\n`, 400],
    ["a continued header line", (host: string) => rawHead("GET /v1/auth/whoami HTTP/1.1", host, "X-A: b", " c"), 400],
    ["no HTTP at all", () => "hello there\r\n\r\n", 400],
  ])("%s is answered in JSON", async (_title, bytes, status) => {
    const answer = await rawRequest(server.http.port, bytes(`Host: 127.0.0.1:${server.http.port}`));

    expect(answer).toMatchObject({ status, body: { code: status, message: expect.any(String) } });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("x-mkt-version")).toBe("0.1.0-test");
    expect(answer.headers.get("x-request-id")).toMatch(/./);
  });
});

describe("every answer", () => {
  test.each([
    ["GET", "/v1/auth/whoami", 200],
    ["GET", "/nothing", 404],
    ["DELETE", "/v1/auth/whoami", 405],
    ["GET", "/public/v1/fail/secret", 500],
    ["GET", "/public/v1/look/%zz", 400],
    ["OPTIONS", "/v1/auth/whoami", 204],
  ])("%s %s has a request id and the version", async (method, path, status) => {
    const answer = await server.call(method, path);

    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9A-Z]{26}$/);
    expect(answer.headers.get("x-mkt-version")).toBe("0.1.0-test");
  });

  test("a well-formed id of the caller's comes back, another one does not", async () => {
    const kept = await server.call("GET", "/v1/auth/whoami", { headers: { "x-request-id": "build-42.a_b" } });
    const replaced = await server.call("GET", "/v1/auth/whoami", { headers: { "x-request-id": "two words" } });

    expect(kept.headers.get("x-request-id")).toBe("build-42.a_b");
    expect(replaced.headers.get("x-request-id")).toMatch(/^[0-9A-Z]{26}$/);
  });

  test("the log has the operation, never the path or query", async () => {
    await server.call("GET", "/public/v1/look/secret-path?color=red&token=secret-query");

    await expect.poll(() => server.log.join()).toContain('"operation":"look"');
    expect(server.log.join()).not.toMatch(/secret-path|secret-query/);
  });
});
