import { describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import type { Provider, ProviderAnswer } from "../../../daemon/providers/protocol/provider.ts";
import { type FakeAnswer, type FakeResponder, startFakeProvider } from "../../support/fake-provider.ts";
import { startMcpServer } from "../../support/mcp-server.ts";
import { startModernMcpServer } from "../../support/modern-mcp-server.ts";
import { openHttpProvider } from "../../support/open-http-provider.ts";
import { entryOf } from "../../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const HOST = ["127.0.0.1"];
const search = {
  name: "search",
  run: ({ query }: Record<string, unknown>) => ({ content: [{ type: "text" as const, text: `{"got":"${query}"}` }] }),
};
const modernCall = ["initialize", "server/discover", "tools/call"];

function tool(url: string, { name = "search" } = {}): CatalogEntry {
  return entryOf(`
mkt: 1
provider: tools
http: {baseUrl: "${url}", allowPrivateNetwork: true, timeoutMs: 5000, retry: {attempts: 1}}
endpoints:
  /search:
    request: {tool: "${name}"}
    input: {body: {properties: {query: {type: string}}}}
    price: {type: PER_CALL, amount: 0.01}
`);
}

async function call(
  provider: Provider,
  entry: CatalogEntry,
  signal = new AbortController().signal,
): Promise<ProviderAnswer> {
  const answer = await provider.start({ runId, entry, input: { body: { query: "tea" } } }, { signal });
  if (answer.kind !== "answer") throw new Error("not an answer");
  return answer;
}

describe("a server of the protocol without sessions", () => {
  test("is called, and once known for one it is not asked again what it speaks", async () => {
    await using server = await startModernMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);

    const first = await call(provider, tool(server.url));
    await call(provider, tool(server.url));

    expect(first).toMatchObject({ httpStatus: 200, output: { got: "tea" } });
    expect(server.methods).toEqual([...modernCall, "tools/call"]);
    expect(server.inputs).toHaveLength(2);
  });

  test("is asked in its own way at once by every other endpoint of its origin", async () => {
    await using server = await startModernMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);
    await call(provider, tool(server.url));

    await call(provider, tool(`${server.url}/other`));

    expect(server.methods).toEqual([...modernCall, "server/discover", "tools/call"]);
  });

  test("that serves the earlier one, too, is called in a session", async () => {
    await using server = await startModernMcpServer({ tools: [search], isDual: true });
    await using provider = openHttpProvider(HOST);

    expect(await call(provider, tool(server.url))).toMatchObject({ output: { got: "tea" } });
    expect(server.methods).toEqual(["initialize", "notifications/initialized", "tools/call"]);
  });

  test("says by its error that it has no such tool", async () => {
    await using server = await startModernMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);

    const answer = await call(provider, tool(server.url, { name: "other" }));

    expect(answer.httpStatus).toBe(500);
    expect(server.methods.filter((method) => method === "tools/call")).toHaveLength(1);
  });
});

describe("a tool whose schema names headers for its arguments", () => {
  const inputSchema = {
    type: "object" as const,
    properties: {
      query: { type: "string", "x-mcp-header": "Query" },
      place: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } },
      limit: { type: "integer", "x-mcp-header": "Limit" },
      live: { type: "boolean", "x-mcp-header": "Live" },
      words: { type: "string" },
    },
  };
  const declaring = { ...search, inputSchema };
  const entryFor = (url: string) =>
    entryOf(`
mkt: 1
provider: tools
http: {baseUrl: "${url}", allowPrivateNetwork: true, timeoutMs: 5000, retry: {attempts: 1}}
endpoints:
  /search:
    request: {tool: search}
    input: {body: {properties: {query: {type: string}}, additionalProperties: true}}
    price: {type: PER_CALL, amount: 0.01}
`);
  const ask = async (provider: Provider, url: string, body: Readonly<Record<string, unknown>>) => {
    const { signal } = new AbortController();
    const answer = await provider.start({ runId, entry: entryFor(url), input: { body } }, { signal });
    if (answer.kind !== "answer") throw new Error("not an answer");
    return answer;
  };

  test("is called with them, which its server's list of tools says once for all calls", async () => {
    await using server = await startModernMcpServer({ tools: [declaring], checksParamHeaders: true });
    await using provider = openHttpProvider(HOST);

    const first = await ask(provider, server.url, {
      query: "Tee für zwei",
      place: { city: "Lisbon" },
      limit: 3,
      live: false,
      words: "x",
    });
    const second = await ask(provider, server.url, { query: " tea " });

    expect([first, second]).toMatchObject([{ output: { got: "Tee für zwei" } }, { output: { got: " tea " } }]);
    expect(server.inputs).toHaveLength(2);
    expect(server.methods).toEqual([...modernCall, "tools/list", "tools/call", "tools/call"]);
    const sent = server.headers.slice(-2).map((headers) => {
      const params = [...headers].filter(([name]) => name.startsWith("mcp-param-"));
      return Object.fromEntries(params);
    });
    expect(sent).toEqual([
      {
        "mcp-param-query": `=?base64?${Buffer.from("Tee für zwei").toString("base64")}?=`,
        "mcp-param-city": "Lisbon",
        "mcp-param-limit": "3",
        "mcp-param-live": "false",
      },
      { "mcp-param-query": `=?base64?${Buffer.from(" tea ").toString("base64")}?=` },
    ]);
  });

  test("is called with them at once where the tools were listed before, as those of imports are", async () => {
    await using server = await startModernMcpServer({ tools: [declaring], checksParamHeaders: true });
    await using provider = openHttpProvider(HOST);
    await provider.listTools(entryFor(server.url), { signal: new AbortController().signal });

    expect(await ask(provider, server.url, { query: "tea" })).toMatchObject({ output: { got: "tea" } });
    expect(server.methods).toEqual(["initialize", "server/discover", "tools/list", "tools/call"]);
  });

  test("is called without them where the arguments have none to repeat, and no list is asked for", async () => {
    await using server = await startModernMcpServer({ tools: [declaring], checksParamHeaders: true });
    await using provider = openHttpProvider(HOST);

    expect(await ask(provider, server.url, { words: "x" })).toMatchObject({ httpStatus: 200 });
    expect(server.methods).toEqual(modernCall);
  });

  test("is refused once where the server names no header that was missing", async () => {
    await using upstream = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    const mismatch: FakeResponder = ({ json }) =>
      reply({ error: { code: -32_020, message: "the headers and the body disagree" } }, { status: 400, id: json.id });
    const answers: Record<string, FakeResponder> = {
      initialize: () => refused,
      "server/discover": () => versions("2026-07-28"),
      "tools/list": ({ json }) => reply({ result: { tools: [{ name: "search" }] } }, { id: json.id }),
      "tools/call": mismatch,
    };
    upstream.on("POST /mcp", (asked) => {
      const answer = answers[asked.json.method];
      return typeof answer === "function" ? answer(asked) : { status: 404 };
    });

    const answer = await ask(provider, `${upstream.url}/mcp`, { query: "tea" });

    expect(answer).toMatchObject({ httpStatus: 400, error: { message: "the headers and the body disagree" } });
    expect(upstream.calls.map(({ json }) => json.method)).toEqual([...modernCall, "tools/list"]);
  });
});

describe("a server that changes its era", () => {
  test("is called in the new one from the first refusal on, and the tool once", async () => {
    await using server = await startModernMcpServer({ tools: [search], isDual: true });
    await using provider = openHttpProvider(HOST);
    await call(provider, tool(server.url));

    server.isDual = false;
    const upgraded = await call(provider, tool(server.url));

    expect(upgraded).toMatchObject({ httpStatus: 200, output: { got: "tea" } });
    expect(server.inputs).toHaveLength(2);
  });

  test.each([
    { which: "with sessions", sessions: true },
    { which: "without", sessions: false },
  ])("back to the earlier one, $which, is noticed, too", async ({ sessions }) => {
    const modern = await startModernMcpServer({ tools: [search] });
    const port = Number(new URL(modern.url).port);
    await using provider = openHttpProvider(HOST);
    await call(provider, tool(modern.url));
    await modern[Symbol.asyncDispose]();
    await using earlier = await startMcpServer({ tools: [search], port, sessions });

    const answer = await call(provider, tool(earlier.url));

    expect(answer).toMatchObject({ httpStatus: 200, output: { got: "tea" } });
    expect(earlier.inputs).toHaveLength(1);
  });
});

/** Answers each method of the protocol as it is told to. */
function speaks(answers: Readonly<Record<string, FakeAnswer>>): FakeResponder {
  return ({ json }) => answers[json.method] ?? { status: 404 };
}

function reply(message: object, { status = 200, id = 0 as number | null } = {}): FakeAnswer {
  return { status, json: { jsonrpc: "2.0", id, ...message } };
}

function versions(...supportedVersions: readonly string[]): FakeAnswer {
  return reply({ result: { supportedVersions, capabilities: {} } });
}

const refused = reply({ error: { code: -32_022, message: "Unsupported protocol version" } }, { status: 400 });
const done: FakeAnswer = reply({ result: { content: [{ type: "text", text: '{"got":"tea"}' }] } }, { id: 1 });

describe("a server that lets in only who has a token", () => {
  test("says so once it is asked in its own way, not that it did not understand the other one", async () => {
    await using upstream = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    upstream.on("POST /mcp", speaks({ initialize: refused, "server/discover": { status: 401, text: "who are you?" } }));

    expect((await call(provider, tool(`${upstream.url}/mcp`))).httpStatus).toBe(401);
  });
});

describe("a server that went on to versions that are not known here", () => {
  test("is refused by its own list of versions: nothing is called, and the list is no output to be paid", async () => {
    await using upstream = await startFakeProvider();
    await using provider = openHttpProvider(HOST);
    upstream.on(
      "POST /*",
      speaks({ initialize: refused, "server/discover": versions("2026-07-28"), "tools/call": done }),
    );
    await call(provider, tool(`${upstream.url}/mcp`)).catch(() => {});
    upstream.on("POST /*", speaks({ initialize: refused, "server/discover": versions("2027-05-05") }));

    const answer = await call(provider, tool(`${upstream.url}/other`));

    expect(answer.httpStatus).toBe(400);
    expect(upstream.calls.map(({ json }) => json.method)).toEqual([...modernCall, "server/discover", "initialize"]);
  });
});

describe("what says nothing about an era", () => {
  test.each([401, 403, 429, 500, 502, 503])("%d is the answer, and nothing else is tried", async (status) => {
    await using server = await startModernMcpServer({ tools: [search] });
    await using provider = openHttpProvider(HOST);
    server.failsWith = status;

    const answer = await call(provider, tool(server.url));
    server.failsWith = undefined;
    const after = await call(provider, tool(server.url));

    expect(answer.httpStatus).toBe(status);
    expect(server.methods).toEqual(["initialize", ...modernCall]);
    expect(after).toMatchObject({ httpStatus: 200 });
  });

  test("nor does silence until the time is up: nothing else is tried, and no tool is called", async () => {
    await using upstream = await startFakeProvider();
    upstream.on("POST /mcp", { hang: true });
    await using provider = openHttpProvider(HOST);
    const controller = new AbortController();

    const asked = call(provider, tool(`${upstream.url}/mcp`), controller.signal);
    await expect.poll(() => upstream.calls.length, { timeout: 10_000 }).toBe(1);
    controller.abort();

    await expect(asked).rejects.toMatchObject({ maybeExecuted: false });
    expect(upstream.calls.map(({ json }) => json.method)).toEqual(["initialize"]);
  });
});
