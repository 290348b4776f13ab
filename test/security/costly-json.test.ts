import { describe, expect, test } from "vitest";
import { serveOneEndpoint } from "../support/one-endpoint.ts";

const json = { "content-type": "application/json" };

test("an answer of three million objects is given up with their number and the limit, and nothing is charged", async () => {
  await using market = await serveOneEndpoint({ endpoint: { price: { type: "PER_CALL", amount: 0.01 } } });
  market.vendor.on("GET /it", { text: `[${"{},".repeat(2_999_999)}{}]`, headers: json });

  const { status, body } = await market.run();

  expect({ status, run: body.status, reported: body.billing.reportedCost.value }).toEqual({
    status: 200,
    run: "FAILED",
    reported: 0,
  });
  expect(body.error).toEqual({ source: "provider", message: expect.stringContaining("3000001 values") });
  expect(body.error.message).toContain("at most 500000");
  expect(market.vendor.count("GET /it")).toBe(1);
});

test("an answer that is a map of 100,000 names is given up with their number, and one of 50,000 is served", async () => {
  await using market = await serveOneEndpoint({});
  const map = (size: number) => ({
    byName: Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at])),
  });
  market.vendor.on("GET /it", { json: map(100_000) }, { json: map(50_000) });

  const refused = await market.run();
  const served = await market.run();

  expect(refused.body.error.message).toContain("100000 names in objects of more than 1000 each, and at most 60000");
  expect(served.body.output).toEqual(map(50_000));
});

test("an answer of 10,000 rows of 20 fields, 9 MB of it, is served whole", async () => {
  await using market = await serveOneEndpoint({});
  const row = (at: number) =>
    Object.fromEntries(
      Array.from({ length: 20 }, (_, field) => [
        `one_field_of_the_row_${field}`,
        field % 2 === 0 ? at * field : `the value ${at} ${field} of a wide row`,
      ]),
    );
  const rows = Array.from({ length: 10_000 }, (_, at) => row(at));
  expect(JSON.stringify(rows).length).toBeGreaterThan(8_500_000);
  market.vendor.on("GET /it", { json: rows });

  const { body } = await market.run();

  expect(body.status).toBe("COMPLETED");
  expect(body.output).toEqual(rows);
});

test.each<[string, string, unknown, readonly string[]]>([
  ["a 64-bit id", '{"id":9007199254740993}', { id: "9007199254740993" }, ["$.id"]],
  ["an id of 20 digits", '{"id":18446744073709551616}', { id: "18446744073709551616" }, ["$.id"]],
  ["a number beyond a double", '{"a":[1,1e400]}', { a: [1, "1e400"] }, ["$.a[1]"]],
  ["a fraction of 19 digits", '{"x":0.1234567890123456789}', { x: "0.1234567890123456789" }, ["$.x"]],
  ["numbers written in other ways", '{"a":[1E2,1.50,-0,100]}', { a: [100, 1.5, 0, 100] }, []],
  ["such an id in a text", '{"id":"9007199254740993"}', { id: "9007199254740993" }, []],
  [
    "many of them",
    `{"ids":[${Array.from({ length: 9 }, (_, at) => `900719925474099${at}`).join(",")}]}`,
    {
      ids: [
        9_007_199_254_740_990,
        9_007_199_254_740_991,
        9_007_199_254_740_992,
        "9007199254740993",
        9_007_199_254_740_994,
        "9007199254740995",
        9_007_199_254_740_996,
        "9007199254740997",
        9_007_199_254_740_998,
      ],
    },
    ["$.ids[3], $.ids[5], $.ids[7]"],
  ],
])("%s in an answer reaches the caller as the provider wrote it", async (_, text, output, places) => {
  await using market = await serveOneEndpoint({});
  market.vendor.on("GET /it", { text, headers: json });

  const { body } = await market.run();
  const later = await market.daemon.request("GET", `/v1/runs/${body.runId}`);

  expect(body.output).toEqual(output);
  expect(later.body.output).toEqual(output);
  const told = places.map((place) =>
    expect.stringMatching(new RegExp(`given as text.*: ${place.replace(/[$[\].]/g, "\\$&")}$`)),
  );
  expect(body.notes ?? []).toEqual(told);
});

test("a job with a 64-bit id is asked about by the provider's digits", async () => {
  await using market = await serveOneEndpoint({
    endpoint: {
      request: { method: "POST" },
      async: {
        start: { id: "$.job" },
        poll: {
          method: "GET",
          path: "/jobs/${run.externalId}",
          everyMs: 100,
          status: "$.state",
          states: { done: ["done"], running: ["busy"] },
        },
      },
    },
  });
  market.vendor.on("POST /it", { text: '{"job":9007199254740993}', headers: json });
  market.vendor.on("GET /jobs/*", { json: { state: "done", made: true } });

  const started = await market.daemon.request("POST", "/v1/run", { provider: "vendor", endpoint: "/it", wait: 10 });

  expect(started.body.status).toBe("COMPLETED");
  expect(market.vendor.calls.map(({ path }) => path)).toContain("/jobs/9007199254740993");
});

test("a flood of informational answers is given up, and the run says so", async () => {
  const { createServer } = await import("node:net");
  let isClosed = false;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("close", () => {
      isClosed = true;
    });
    socket.once("data", () => {
      const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
      socket.write(hint.repeat(20_000));
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    await using market = await serveOneEndpoint({ http: { baseUrl: `http://127.0.0.1:${port}` } });

    const { body } = await market.run();

    expect(body.status).toBe("FAILED");
    expect(body.error).toEqual({ source: "provider", message: expect.stringContaining("more than 10 informational") });
    await expect.poll(() => isClosed).toBe(true);
  } finally {
    server.close();
  }
});

test("two early hints before an answer are as usual", async () => {
  const { createServer } = await import("node:http");
  const server = createServer((_, response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.writeEarlyHints({ link: "</b>; rel=preload" });
    response.setHeader("content-type", "application/json");
    response.end('{"ok":1}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    await using market = await serveOneEndpoint({ http: { baseUrl: `http://127.0.0.1:${port}` } });

    expect((await market.run()).body.output).toEqual({ ok: 1 });
  } finally {
    server.close();
  }
});

test("pages of a tool's texts and of a result count together", async () => {
  await using market = await serveOneEndpoint({
    endpoint: {
      request: { method: "POST" },
      async: {
        start: { id: "$.job" },
        poll: { method: "GET", path: "/jobs/1", everyMs: 100, status: "$.state", states: { done: ["done"] } },
        result: {
          method: "GET",
          path: "/result",
          pages: { items: "$.items", cursor: "$.next", param: "cursor", max: 10 },
        },
      },
    },
  });
  let page = 0;
  market.vendor.on("POST /it", { json: { job: "1" } });
  market.vendor.on("GET /jobs/*", { json: { state: "done" } });
  market.vendor.on("GET /result", () => ({ json: { next: `${(page += 1)}`, items: Array(100_000).fill(page) } }));

  const { body } = await market.daemon.request("POST", "/v1/run", { provider: "vendor", endpoint: "/it", wait: 30 });

  expect(body.error).toEqual({ source: "provider", message: expect.stringMatching(/\d+ values, and at most 500000/) });
  expect(page).toBe(5);
});

describe("a request", () => {
  const asked = async (text: string) => {
    await using market = await serveOneEndpoint({
      endpoint: { request: { method: "POST" }, input: { body: { type: "object", additionalProperties: true } } },
    });
    const answer = await market.daemon.request("POST", "/v1/run", text);
    return { ...answer, calls: market.vendor.calls };
  };
  const body = (input: string) => `{"provider":"vendor","endpoint":"/it","input":{"body":${input}}}`;

  test.each([
    ["70,000 members", `{${Array.from({ length: 70_000 }, (_, at) => `"k${at}":1`).join(",")}}`, "70004 members"],
    ["30,000 empty objects", `{"list":[${"{},".repeat(29_999)}{}]}`, "30004 objects and lists"],
    ["200,000 values", `{"list":[${"0,".repeat(200_000)}0]}`, "200007 values"],
  ])("of %s is refused with their number", async (_, input, told) => {
    const { status, body: said, calls } = await asked(body(input));

    expect({ status, calls: calls.length }).toEqual({ status: 400, calls: 0 });
    expect(said.message).toContain(told);
  });

  test.each([
    ['{"id":9007199254740993}', "input.body.id: the number 9007199254740993"],
    ['{"a":[{"n":1e400}]}', "input.body.a[0].n: the number 1e400"],
    ['{"x":0.1234567890123456789}', "input.body.x: the number 0.1234567890123456789"],
  ])("with the number in %s is refused, and told to send text", async (input, told) => {
    const { status, body: said, calls } = await asked(body(input));

    expect({ status, calls: calls.length }).toEqual({ status: 400, calls: 0 });
    expect(said.message).toBe(`${told} would change on its way; send it as text, in quotes`);
  });

  test("with such a number as text reaches the provider digit for digit", async () => {
    const { status, calls } = await asked(body('{"id":"9007199254740993","n":9007199254740992,"e":1E2}'));

    expect(status).toBe(200);
    expect(calls[0]?.text).toBe('{"id":"9007199254740993","n":9007199254740992,"e":100}');
  });

  test("with 20,000 unknown members, or a name of a megabyte, is answered with a short text", async () => {
    const many = await asked(`{${Array.from({ length: 20_000 }, (_, at) => `"unknown${at}":1`).join(",")}}`);
    const long = await asked(`{"provider":"vendor","endpoint":"/it","${"x".repeat(1_000_000)}":1}`);
    const tags = await asked(`{"provider":"vendor","endpoint":"/it","tags":{"${"x".repeat(1_000_000)}":1}}`);

    for (const { status, text } of [many, long, tags]) {
      expect(status).toBe(400);
      expect(text.length).toBeLessThan(3_000);
    }
    expect(many.body.message).toContain("unknown9 and 19990 more");
  });
});

describe("a list or a map of more than is taken", () => {
  const many = 100_000;
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]));

  test.each([
    [
      "words",
      "/public/v1/discover/endpoints",
      { q: "x", effects: Array(many).fill(0) },
      "effects: must have at most 100",
    ],
    ["scopes", "/v1/api-keys", { label: "x", scopes: Array(many).fill(0) }, "scopes: must have at most 100"],
    ["tags", "/v1/run", { provider: "vendor", endpoint: "/it", tags: names }, "tags: must have at most 10"],
  ])("of %s is refused by their number, and none of them is looked at", async (_, path, body, told) => {
    await using market = await serveOneEndpoint({});

    const { status, body: said } = await market.daemon.request("POST", path, body);

    expect(status).toBe(400);
    expect(said.message).toContain(told);
    expect(said.message).not.toContain("[0]");
    expect(said.message).not.toContain("k0");
  });
});
