import { describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import type { NoAnswerError, Provider, ProviderAnswer } from "../../../daemon/providers/protocol/provider.ts";
import { type FakeAnswer, type FakeCall, startFakeProvider } from "../../support/fake-provider.ts";
import { type McpServerOptions, startMcpServer } from "../../support/mcp-server.ts";
import { openHttpProvider } from "../../support/open-http-provider.ts";
import { entryOf } from "../../support/provider-entry.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const HOST = ["127.0.0.1"];

function tool(url: string, { endpoint = "", http = "", name = "search", request = "" } = {}): CatalogEntry {
  return entryOf(`
mkt: 1
provider: tools
secrets: {key: {env: TOOLS_KEY}}
http: {baseUrl: "${url}", allowPrivateNetwork: true, timeoutMs: 5000, ${http || "retry: {attempts: 2, backoffMs: 1}"}}
endpoints:
  /search:
    request: {tool: ${name}, ${request}}
    input: {body: {properties: {query: {type: string}}}}
    price: {type: PER_CALL, amount: 0.01}
    ${endpoint}
`);
}

async function call(
  provider: Provider,
  entry: CatalogEntry,
  { query = "tea", signal = new AbortController().signal }: { query?: string; signal?: AbortSignal } = {},
): Promise<ProviderAnswer> {
  const answer = await provider.start({ runId, entry, input: { body: { query } } }, { signal });
  if (answer.kind !== "answer") throw new Error("not an answer");
  return answer;
}

async function failureOf(work: Promise<unknown>): Promise<NoAnswerError> {
  return await work.then(
    () => Promise.reject(new Error("it was answered")),
    (error: unknown) => error as NoAnswerError,
  );
}

const search: McpServerOptions["tools"][number] = {
  name: "search",
  run: ({ query }) => ({
    content: [{ type: "text", text: JSON.stringify({ hits: [{ title: query }, { title: "b" }] }) }],
  }),
};

describe("a tool of an MCP server", () => {
  test.each([
    ["with sessions, by an event stream", { sessions: true, json: false }],
    ["with sessions, by JSON", { sessions: true, json: true }],
    ["without sessions, by an event stream", { sessions: false, json: false }],
    ["without sessions, by JSON", { sessions: false, json: true }],
  ])("is called as an endpoint, %s", async (_, mode) => {
    await using server = await startMcpServer({ tools: [search], ...mode });
    await using provider = openHttpProvider(HOST);
    const entry = tool(server.url, { endpoint: "output: {select: $.hits}\n    usage: {count: $.hits}" });

    const first = await call(provider, entry);
    const second = await call(provider, entry, { query: "coffee" });

    expect(first).toMatchObject({
      httpStatus: 200,
      output: [{ title: "tea" }, { title: "b" }],
      measured: { count: 2 },
    });
    expect(second.output).toEqual([{ title: "coffee" }, { title: "b" }]);
    expect(server.inputs).toEqual([{ query: "tea" }, { query: "coffee" }]);
    expect(server.methods).toEqual(["initialize", "notifications/initialized", "tools/call", "tools/call"]);
    expect(server.headers.at(-1)).toMatchObject({ "mcp-protocol-version": "2025-06-18" });
    expect(server.headers.at(-1)?.["mcp-session-id"] !== undefined).toBe(mode.sessions);
  });

  test("is called with the fixed arguments of the file and the provider's credentials", async () => {
    await using server = await startMcpServer({ tools: [search], authorization: "Bearer s3cret-token" });
    await using provider = openHttpProvider(HOST, { secrets: { key: "s3cret-token" } });
    const entry = tool(server.url, {
      http: 'auth: {type: bearer, token: "${secret.key}"}',
      request: "body: {lang: en}",
    });

    expect((await call(provider, entry)).success).toBe(true);
    expect(server.inputs).toEqual([{ lang: "en", query: "tea" }]);
  });

  test("is refused with the server's own status when the credentials are wrong, and the tool is not called", async () => {
    await using server = await startMcpServer({ tools: [search], authorization: "Bearer right" });
    await using provider = openHttpProvider(HOST, { secrets: { key: "wrong-token" } });

    const answer = await call(provider, tool(server.url, { http: 'auth: {type: bearer, token: "${secret.key}"}' }));

    expect(answer).toMatchObject({ httpStatus: 401, output: null, error: { message: "who are you?" } });
    expect(server.inputs).toEqual([]);
  });

  test("is called in a new session when the server has forgotten the old one", async () => {
    await using server = await startMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);
    const entry = tool(server.url);
    await call(provider, entry);
    server.forgetSessions();

    expect((await call(provider, entry)).success).toBe(true);
    expect(server.methods.filter((method) => method === "initialize")).toHaveLength(2);
    expect(server.inputs).toHaveLength(2);
  });

  /** Answers the first call, and every later one with the refusal. */
  const refusedFrom = (refusal: (id: unknown) => FakeAnswer) => {
    let calls = 0;
    return scripted(({ json }) => {
      calls += 1;
      return calls === 1 ? { json: { jsonrpc: "2.0", id: json.id, result: { content: [] } } } : refusal(json.id);
    });
  };
  const rpcError = (id: unknown, message: string, code = -32000) => ({ jsonrpc: "2.0", id, error: { code, message } });

  test.each<[string, (id: unknown) => FakeAnswer]>([
    [
      "400 with a text about sessions",
      () => ({ status: 400, json: { error: "the session of the search was not initialized" } }),
    ],
    [
      "400 and the id of its call",
      (id) => ({ status: 400, json: rpcError(id, "Bad Request: Server not initialized") }),
    ],
    ["400 without an id, in words of its own", () => ({ status: 400, json: rpcError(null, "the session is used up") })],
    [
      "400 and the code of another era, outside the protocol",
      () => ({ status: 400, json: { error: { code: -32_022 } } }),
    ],
    ["404 with a text", () => ({ status: 404, json: { error: "no such city" } })],
    ["404 and the id of its call", (id) => ({ status: 404, json: rpcError(id, "Session not found", -32001) })],
  ])("that ran and answered %s is called once", async (_, refusal) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on("POST /mcp", refusedFrom(refusal));
    const entry = tool(`${vendor.url}/mcp`);
    await call(provider, entry);

    const answer = await call(provider, entry);

    expect([400, 404]).toContain(answer.httpStatus);
    expect(vendor.calls.filter(({ json }) => json?.method === "tools/call")).toHaveLength(2);
  });

  test.each<[string, (id: unknown) => FakeAnswer]>([
    ["of TypeScript, 400", () => ({ status: 400, json: rpcError(null, "Bad Request: Server not initialized") })],
    ["of TypeScript, 404", () => ({ status: 404, json: rpcError(null, "Session not found", -32001) })],
    [
      "of Python, 400",
      () => ({ status: 400, json: rpcError("server-error", "Bad Request: No valid session ID provided", -32600) }),
    ],
    ["in the specification's plainest form", () => ({ status: 404 })],
  ])("is called again where the transport refused the session before it, in words %s", async (_, refusal) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on("POST /mcp", refusedFrom(refusal));
    const entry = tool(`${vendor.url}/mcp`);
    await call(provider, entry);

    await call(provider, entry);

    expect(vendor.calls.filter(({ json }) => json?.method === "tools/call")).toHaveLength(3);
    expect(vendor.calls.filter(({ json }) => json?.method === "initialize")).toHaveLength(2);
  });

  test("has a new session for the next call when its refusal only read like a lost one", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on(
      "POST /mcp",
      refusedFrom(() => ({ status: 400, text: "Invalid session ID" })),
    );
    const entry = tool(`${vendor.url}/mcp`);
    await call(provider, entry);
    await call(provider, entry);

    await call(provider, entry);

    expect(vendor.calls.filter(({ json }) => json?.method === "initialize")).toHaveLength(2);
    expect(vendor.calls.filter(({ json }) => json?.method === "tools/call")).toHaveLength(3);
  });

  test("is called in one session by many at once", async () => {
    await using server = await startMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);
    const entry = tool(server.url);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => call(provider, entry, { query: `q${at}` })),
    );

    expect(answers.map(({ body }) => (body as { hits: { title: string }[] }).hits[0]?.title)).toEqual(
      answers.map((_, at) => `q${at}`),
    );
    expect(server.methods.filter((method) => method === "initialize")).toHaveLength(1);
  });

  test("that says that it failed is a provider's error with the tool's words, and is not called again", async () => {
    const failing = {
      name: "search",
      run: () => ({ isError: true, content: [{ type: "text" as const, text: "no such city" }] }),
    };
    await using server = await startMcpServer({ tools: [failing] });
    await using provider = openHttpProvider(HOST);

    expect(await call(provider, tool(server.url))).toMatchObject({
      httpStatus: 422,
      success: false,
      output: null,
      error: { status: 422, message: "no such city" },
    });
    expect(server.inputs).toHaveLength(1);
  });

  test("that the server does not have is an error of its protocol, by status", async () => {
    await using server = await startMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);

    const answer = await call(provider, tool(server.url, { name: "other" }));

    expect(answer).toMatchObject({ httpStatus: 500, error: { message: expect.stringContaining("not found") } });
  });

  test.each([
    [-32601, 404],
    [-32602, 400],
    [-32603, 500],
    [-32001, 504],
    [7, 500],
  ])("that is refused with the error %i is a provider's error with the status %i", async (code, httpStatus) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    const refusal = (id: unknown) => ({ jsonrpc: "2.0", id, error: { code, message: "no" } });
    vendor.on(
      "POST /mcp",
      scripted(({ json }) => ({ json: refusal(json.id) })),
    );

    const answer = await call(provider, tool(`${vendor.url}/mcp`, { http: "retry: {attempts: 1}" }));

    expect(answer).toMatchObject({ httpStatus, output: null, error: { message: "no" } });
  });

  test("hears that nobody waits any more when the time is up", async () => {
    let cancelled: () => void = () => {};
    const isCancelled = new Promise<void>((resolve) => (cancelled = resolve));
    // Once the tool is at work: before, it would hear of nothing.
    const timeIsUp = new AbortController();
    const slow = {
      name: "search",
      run: async (_: unknown, signal: AbortSignal) => {
        signal.addEventListener("abort", cancelled);
        timeIsUp.abort(new DOMException("time is up", "TimeoutError"));
        await isCancelled;
        return { content: [] };
      },
    };
    await using server = await startMcpServer({ tools: [slow] });
    await using provider = openHttpProvider(HOST);

    const failure = await failureOf(call(provider, tool(server.url), { signal: timeIsUp.signal }));

    expect(failure).toMatchObject({ source: "mkt", maybeExecuted: true });
    await isCancelled;
  });
});

describe("what a tool says", () => {
  test.each([
    ["structured content", { structuredContent: { n: 1 }, content: [{ type: "text", text: "one" }] }, { n: 1 }],
    ["a text", { content: [{ type: "text", text: "plain words" }] }, "plain words"],
    [
      "several texts",
      {
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "a\nb",
    ],
    [
      "texts that are JSON each",
      {
        content: [
          { type: "text", text: '{"a":1}' },
          { type: "text", text: "[2]" },
        ],
      },
      [{ a: 1 }, [2]],
    ],
    [
      "an image",
      { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] },
      { contentType: "image/png", base64: "aGk=" },
    ],
    [
      "a text and a sound",
      {
        content: [
          { type: "text", text: "listen" },
          { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        ],
      },
      { parts: ["listen", { contentType: "audio/wav", base64: "aGk=" }] },
    ],
    [
      "a resource",
      { content: [{ type: "resource", resource: { uri: "file:///a", blob: "aGk=", mimeType: "application/pdf" } }] },
      { contentType: "application/pdf", base64: "aGk=", uri: "file:///a" },
    ],
    ["nothing", { content: [] }, null],
  ])("is the output: %s", async (_, result, output) => {
    await using server = await startMcpServer({ tools: [{ name: "search", run: () => result as never }] });
    await using provider = openHttpProvider(HOST);

    expect((await call(provider, tool(server.url))).output).toEqual(output);
  });
});

const session = { "mcp-session-id": "s1" };

/** Answers what every session begins with, and `tools/call` as the test says. */
function scripted(answer: (call: FakeCall) => FakeAnswer): (call: FakeCall) => FakeAnswer {
  return (asked) => {
    if (asked.json?.method === "tools/call") return answer(asked);
    if (asked.json?.id === undefined) return { status: 202 };
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "x", version: "1" },
    };
    return { headers: session, json: { jsonrpc: "2.0", id: asked.json.id, result } };
  };
}

const STREAM = { "content-type": "text/event-stream" };

describe("an MCP server that means no good", () => {
  test("keeps nobody with a stream that never ends: the answer in it is taken and the stream left", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on(
      "POST /mcp",
      scripted(({ json }) => {
        const events = [
          ": hello",
          "event: message",
          `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
          "",
          `data: {"jsonrpc":"2.0","id":${json.id},`,
          `data: "result":{"content":[{"type":"text","text":"done"}]}}`,
          "",
          "",
        ];
        return { headers: STREAM, text: events.join("\r\n"), unfinished: true };
      }),
    );

    expect((await call(provider, tool(`${vendor.url}/mcp`))).output).toBe("done");
  });

  test.each<[string, FakeAnswer, string]>([
    ["drips for ever", { headers: STREAM, dripEveryMs: 20 }, "had not answered when time was up"],
    [
      "sends more than is allowed",
      { headers: STREAM, text: `data: "${"x".repeat(3_000)}"\n\n` },
      "larger than the 2000 bytes",
    ],
    ["ends its stream without an answer", { headers: STREAM, text: "data: {}\n\n" }, "ended without an answer"],
    ["answers with something else", { json: { hello: 1 } }, "not one of an MCP server"],
    ["nests its answer without end", { headers: STREAM, text: `data: ${"[".repeat(900)}\n\n` }, "deeper than 256"],
    ["says what is no JSON", { headers: STREAM, text: "data: {oops\n\n" }, "not valid JSON"],
  ])("fails the call, which may have been executed, when it %s", async (_, answer, words) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    const timeIsUp = new AbortController();
    vendor.on(
      "POST /mcp",
      scripted(() => {
        // Counted from here: to come this far is the machine's time, not the server's.
        if (answer.dripEveryMs !== undefined) {
          setTimeout(() => timeIsUp.abort(new DOMException("time is up", "TimeoutError")), 300);
        }
        return answer;
      }),
    );
    const entry = tool(`${vendor.url}/mcp`, { http: "maxResponseBytes: 2000" });

    const failure = await failureOf(call(provider, entry, { signal: timeIsUp.signal }));

    expect(failure).toMatchObject({ name: "NoAnswerError", maybeExecuted: true });
    expect(failure.message).toContain(words);
    expect(vendor.calls.filter(({ json }) => json?.method === "tools/call")).toHaveLength(1);
  });

  test("is not followed to where it redirects", async () => {
    await using canary = await startFakeProvider();
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on("POST /mcp", { status: 307, headers: { location: `${canary.url}/mcp` } });

    expect(await call(provider, tool(`${vendor.url}/mcp`))).toMatchObject({ httpStatus: 307, output: null });
    expect(canary.accepted()).toBe(0);
  });

  test("is not asked in a session without end when it forgets each at once", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on(
      "POST /mcp",
      scripted(() => ({ status: 404 })),
    );

    expect(await call(provider, tool(`${vendor.url}/mcp`))).toMatchObject({ httpStatus: 404 });
    expect(vendor.calls.filter(({ json }) => json?.method === "initialize")).toHaveLength(1);
  });

  test.each<[string, FakeAnswer, string]>([
    [
      "speaks an unknown version",
      { json: { jsonrpc: "2.0", id: 0, result: { protocolVersion: "1999-01-01" } } },
      "1999-01-01",
    ],
    [
      "names a session that is no header",
      {
        headers: { "mcp-session-id": "a b" },
        json: { jsonrpc: "2.0", id: 0, result: { protocolVersion: "2025-06-18" } },
      },
      "no header can carry",
    ],
    ["is reset", { reset: true }, "connection broke"],
  ])("is known not to have called the tool when it %s at the beginning", async (_, answer, words) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    vendor.on("POST /mcp", answer);

    const failure = await failureOf(call(provider, tool(`${vendor.url}/mcp`)));

    expect(failure).toMatchObject({ maybeExecuted: false });
    expect(failure.message).toContain(words);
  });

  test("is not reached at a private address that nobody opened", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([]);

    expect((await failureOf(call(provider, tool(`${vendor.url}/mcp`)))).message).toMatch(/private address|without TLS/);
    expect(vendor.accepted()).toBe(0);
  });
});

describe("a run of a tool", () => {
  const manifest = (url: string) => ({
    http: { baseUrl: url, allowPrivateNetwork: true, maxResponseBytes: 2_000 },
    endpoints: {
      "/search": {
        request: { tool: "search" },
        input: { body: { properties: { query: { type: "string" } } } },
        price: { type: "PER_CALL", amount: 0.01 },
      },
    },
  });
  const run = { provider: "tools", endpoint: "/search", input: { query: "tea" } };

  test("is charged when the tool did it, and costs nothing when it could not", async () => {
    const once: (typeof search)[] = [
      {
        name: "search",
        run: ({ query }) => ({ isError: query === "bad", content: [{ type: "text", text: "words" }] }),
      },
    ];
    await using server = await startMcpServer({ tools: once });
    await using daemon = await startTestDaemon({ manifests: { tools: manifest(server.url) } });

    const good = await daemon.request("POST", "/v1/run", run);
    const bad = await daemon.request("POST", "/v1/run", { ...run, input: { query: "bad" } });

    expect(good.body).toMatchObject({
      status: "COMPLETED",
      output: "words",
      billing: { reportedCost: { value: 10_000 } },
    });
    expect(bad.body).toMatchObject({
      status: "COMPLETED",
      output: null,
      providerResponse: { httpStatus: 422, error: { message: "words" } },
      billing: { reportedCost: { value: 0 } },
    });
  });

  test("has failed and costs nothing when the answer is too large, and the daemon goes on", async () => {
    await using vendor = await startFakeProvider();
    vendor.on(
      "POST /mcp",
      scripted(() => ({ headers: STREAM, text: `data: "${"x".repeat(100_000)}"\n\n` })),
    );
    await using daemon = await startTestDaemon({ manifests: { tools: manifest(`${vendor.url}/mcp`) } });

    const answer = await daemon.request("POST", "/v1/run", run);
    const balance = await daemon.request("GET", "/v1/wallet/balance");

    expect(JSON.stringify(answer.body)).toContain("larger than the 2000 bytes");
    expect(balance.status).toBe(200);
    expect((await daemon.request("GET", "/v1/runs")).body.items).toMatchObject([{ status: "FAILED" }]);
  });
});
