import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { type Answer, request, type RequestOptions } from "../support/request.ts";
import { examplePath, exampleRequest, namesNothing } from "./example-request.ts";
import { type Market, openMarket } from "./market.ts";

/** docs/contract.md, "Error body" and "Statuses". Through the whole daemon; the details are in test/http. */

let market: Market;
let url: string;
let key: string;
let port: number;

const all: readonly Operation[] = Object.values(operations);
const title = ({ method, path }: Operation) => `${method} ${path}`;
const named = all.map((operation) => [title(operation), operation] as const);

beforeAll(async () => {
  market = await openMarket();
  ({ url, key } = market.daemon);
  port = Number(new URL(url).port);
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

const ask = async (method: string, path: string, options: RequestOptions = {}) =>
  await request(`${url}${path}`, method, { key, ...options });

/** "Every error response has the body { code, message }": an integer equal to the status, and a text for people. */
function expectError(answer: Pick<Answer, "status" | "headers" | "body">, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ code: status, message: expect.stringMatching(/\w/) });
  expect(answer.headers.get("content-type")).toMatch(/^application\/json(; charset=utf-8)?$/);
  expect(answer.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]+$/);
  expect(answer.headers.get("x-mkt-version")).toBe("0.1.0");
}

describe("Every error response has the body { code, message }, in JSON, with a request id", () => {
  const run = (body: unknown): [string, string, RequestOptions] => ["POST", "/v1/run", { body }];
  const discover = (body: unknown): [string, string, RequestOptions] => [
    "POST",
    "/public/v1/discover/endpoints",
    { body },
  ];
  const get = (path: string): [string, string, RequestOptions] => ["GET", path, {}];

  test.each([
    ["malformed JSON", 400, run('{"provider": ')],
    ["a body that is no object", 400, run("[]")],
    ["a body that is empty where one is needed", 400, run("")],
    ["a missing member", 400, run({ provider: "nimbus" })],
    ["an unknown member of a run's body", 400, run({ provider: "nimbus", endpoint: "/now", inputs: {} })],
    ["input that the endpoint's schema refuses", 400, run({ provider: "nimbus", endpoint: "/now", input: {} })],
    ["a field of the wrong type", 400, discover({ q: 7 })],
    ["a field out of range", 400, discover({ q: "x", minScore: 3 })],
    ["an unknown enum value in the body", 400, discover({ q: "x", mode: "slow" })],
    ["an unknown enum value in the query", 400, get("/v1/runs?status=completed")],
    ["a query number that is none", 400, get("/v1/runs?limit=ten")],
    ["a query number out of range", 400, get("/v1/runs?limit=101")],
    ["a query flag that is none", 400, get("/public/v1/endpoints?readonly=maybe")],
    ["a date that is none", 400, get("/v1/runs?since=yesterday")],
    ["a tag filter without a colon", 400, get("/v1/runs?tag=nightly")],
    ["a query name that came twice", 400, get("/v1/runs?limit=1&limit=2")],
    ["a cursor that this service did not issue", 400, get("/v1/runs?cursor=abc")],
    ["a path that is not percent-encoded rightly", 400, get("/v1/runs/%zz")],
    ["no credentials", 401, ["GET", "/v1/runs", { key: undefined }]],
    [
      "a run above its maxCost",
      402,
      run({
        provider: "nimbus",
        endpoint: "/plain",
        maxCost: { value: 0, currency: "USD" },
      }),
    ],
    ["an unknown route", 404, get("/v1/nothing")],
    ["an unknown provider", 404, run({ provider: "nobody", endpoint: "/now" })],
    ["an unknown endpoint", 404, run({ provider: "nimbus", endpoint: "/nowhere" })],
    ["a disabled endpoint", 404, run({ provider: "tidewise", endpoint: "/pirates" })],
    ["an unknown endpoint to inspect", 404, ["POST", "/v1/inspect", { body: { provider: "nimbus", endpoint: "/x" } }]],
    ["an unknown run", 404, get("/v1/runs/01JD0000000000000000000000")],
    ["a wrong method", 405, ["PUT", "/v1/run", { body: {} }]],
    ["a label that is taken", 409, ["POST", "/v1/api-keys", { body: { label: "owner" } }]],
    ["a body above 1 MiB", 413, run({ provider: "nimbus", endpoint: "/now", input: { city: "x".repeat(1_048_576) } })],
    ["a body that is not JSON", 415, ["POST", "/v1/run", { body: "a=b", headers: { "content-type": "text/plain" } }]],
    [
      "a form",
      415,
      [
        "POST",
        "/v1/run",
        {
          body: "a=b",
          headers: { "content-type": "application/x-www-form-urlencoded" },
        },
      ],
    ],
    ["a provider that lacks a secret", 503, run({ provider: "locked", endpoint: "/vaults" })],
  ] satisfies [string, number, [string, string, RequestOptions]][])(
    "%s is %i",
    async (what, status, [method, path, options]) => {
      if (what === "a label that is taken") await ask("POST", "/v1/api-keys", { body: { label: "owner" } });

      expectError(await ask(method, path, options), status);
    },
  );

  test.each([
    [
      "a head above 16 KiB",
      431,
      (host: string) => rawHead("GET /v1/runs HTTP/1.1", host, `X-Long: ${"x".repeat(20_000)}`),
    ],
    ["a broken header", 400, (host: string) => rawHead("GET /v1/runs HTTP/1.1", host, "Not a header")],
    ["no Host", 400, () => rawHead("GET /v1/runs HTTP/1.1")],
    ["Host twice", 400, (host: string) => rawHead("GET /v1/runs HTTP/1.1", host, host)],
    ["a Host that is not on the list", 403, () => rawHead("GET /v1/runs HTTP/1.1", "Host: evil.example")],
    ["no HTTP at all", 400, () => "hello\r\n\r\n"],
  ])("%s is %i", async (_what, status, bytes) => {
    const answer = await rawRequest(port, bytes(`Host: 127.0.0.1:${port}`));

    expectError(answer, status);
  });

  test("an unknown route of the registry address is one too", async () => {
    expectError(await request(`${market.daemon.registryUrl}/v1/runs`, "GET", { key }), 404);
  });
});

describe("Every operation", () => {
  const withCredentials = named.filter(([, { auth }]) => auth !== "none");

  test.each(withCredentials)("%s without credentials is an error of that form", async (_title, operation) => {
    const answer = await request(`${url}${examplePath(operation)}`, operation.method, exampleRequest(operation));

    expectError(answer, operation.auth === "operator" ? 404 : 401);
  });

  test.each(named)("%s with another method is 405 with Allow", async (_title, operation) => {
    const taken = new Set(all.filter(({ path }) => path === operation.path).map(({ method }) => method as string));
    const wrong = ["PUT", "PATCH", "DELETE", "POST"].find((method) => !taken.has(method)) ?? "";

    const answer = await ask(wrong, examplePath(operation));

    expectError(answer, 405);
    expect(answer.headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining([...taken]));
    expect(answer.headers.get("allow")).not.toContain(wrong);
  });

  test.each(named.filter(([, { body }]) => body !== undefined))(
    "%s with a body that is not JSON is 415",
    async (_title, operation) => {
      const headers = { "content-type": "text/plain" };

      expectError(await ask(operation.method, examplePath(operation), { body: "hello", headers }), 415);
    },
  );

  test.each(named.filter(([, { body }]) => body !== undefined))(
    "%s with malformed JSON is 400",
    async (_title, operation) => {
      expectError(await ask(operation.method, examplePath(operation), { body: '{"a": 1,}' }), 400);
    },
  );

  test.each(named.filter(([, { query }]) => query !== undefined && "limit" in query.shape))(
    "%s takes a limit of whole numbers above 0",
    async (_title, operation) => {
      const path = examplePath(operation);
      const withLimit = (limit: string) => `${path}${path.includes("?") ? "&" : "?"}limit=${limit}`;

      for (const limit of ["0", "-1", "1.5", "ten", ""]) expectError(await ask("GET", withLimit(limit)), 400);
      expect((await ask("GET", withLimit("1"))).status).toBe(namesNothing(operation) ? 404 : 200);
    },
  );

  test.each(named.filter(([, { query }]) => query !== undefined && "cursor" in query.shape))(
    "%s refuses a cursor that it did not issue",
    async (_title, operation) => {
      const path = examplePath(operation);
      const foreign = await ask("GET", "/public/v1/search?q=harbour&limit=1");
      const cursors = ["abc", "", foreign.body.cursor as string];
      const isForeign = operation.operationId !== "searchPublicEndpoints";

      for (const cursor of isForeign ? cursors : cursors.slice(0, 2)) {
        const answer = await ask("GET", `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`);

        // Of a thing that is not there, either may be told first.
        expectError(answer, namesNothing(operation) && answer.status === 404 ? 404 : 400);
      }
    },
  );
});

describe("An error body that is a run carries code and message too", () => {
  const run = async (more: object = {}) =>
    await ask("POST", "/v1/run", { body: { provider: "nimbus", endpoint: "/plain", ...more } });
  const mirror = async (mirrorProviderStatus: boolean) =>
    await ask("PATCH", "/v1/admin/settings", { body: { mirrorProviderStatus } });

  test("408 for a run that reached its deadline", async () => {
    market.upstream.on("GET /plain", { hang: true });

    const answer = await run({ deadlineMs: 1_000 });

    expectError(answer, 408);
    expect(answer.body).toMatchObject({ status: "TIMED_OUT", runId: expect.any(String) });
  });

  test.each([404, 429, 500, 503])("a provider's %i is repeated when the operator wants it so", async (status) => {
    market.upstream.on("GET /plain", { status, json: { message: "no" } });

    await mirror(true);
    const mirrored = await run();
    await mirror(false);
    const plain = await run();

    expectError(mirrored, status);
    expect(mirrored.body).toMatchObject({ status: "COMPLETED", providerResponse: { httpStatus: status } });
    expect(plain).toMatchObject({
      status: 200,
      body: { status: "COMPLETED", providerResponse: { httpStatus: status } },
    });
    expect(plain.body).not.toHaveProperty("code");
  });

  test("a provider's 402 becomes 502 there: 402 is about our own wallet", async () => {
    market.upstream.on("GET /plain", { status: 402, json: { message: "pay first" } });

    await mirror(true);
    const answer = await run();
    await mirror(false);

    expectError(answer, 502);
    expect(answer.body).toMatchObject({ status: "COMPLETED", billing: { reportedCost: { value: 0 } } });
  });
});

describe("Requests are found again", () => {
  test("each answer has an id of its own; a well-formed one of the caller's is kept", async () => {
    const [first, second] = await Promise.all([ask("GET", "/v1/nothing"), ask("GET", "/v1/nothing")]);
    const kept = await ask("GET", "/v1/auth/whoami", { headers: { "x-request-id": "build-42" } });

    expect(first?.headers.get("x-request-id")).not.toBe(second?.headers.get("x-request-id"));
    expect(kept.headers.get("x-request-id")).toBe("build-42");
  });
});

describe("Messages say what to do", () => {
  test.each([
    ["an unknown provider", { provider: "nimbos", endpoint: "/now" }, /"nimbos".*did you mean "nimbus"/],
    ["an unknown endpoint", { provider: "nimbus", endpoint: "/noww" }, /"\/noww".*did you mean "\/now"/],
    ["a missing field", { provider: "nimbus", endpoint: "/now" }, /city/],
    ["a missing secret", { provider: "locked", endpoint: "/vaults" }, /set LOCKED_KEY/],
    ["a missing member", { endpoint: "/now" }, /^provider: is required/],
  ])("%s is named", async (_what, body, message) => {
    const { body: error } = await ask("POST", "/v1/run", { body });

    expect(error.message).toMatch(message);
  });
});
