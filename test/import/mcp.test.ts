import { describe, expect, test } from "vitest";
import { dropUnusable, findProblems } from "../../daemon/import/composing/drop-unusable.ts";
import {
  type ImportChoices,
  type ImportedProvider,
  ImportRefused,
} from "../../daemon/import/conversion/imported-provider.ts";
import { convertTools } from "../../daemon/import/mcp/convert-tools.ts";
import { authorizationFrom, type McpAccess, readMcpServer } from "../../daemon/import/mcp/read-mcp-server.ts";
import { type FakeAnswer, type FakeCall, startFakeProvider } from "../support/fake-provider.ts";
import { startModernMcpServer } from "../support/modern-mcp-server.ts";
import { startMcpServer, type TestTool } from "../support/mcp-server.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const everything: ImportChoices = { includeTags: [], includeOperations: [], allOperations: false };
const loopback: McpAccess = { allowPrivateHosts: new Set(["127.0.0.1"]) };

/** What `mkt catalog import` makes of a server, before it is written. */
async function importMcpServer(source: string, choices: ImportChoices, access: McpAccess): Promise<ImportedProvider> {
  return convertTools(await readMcpServer(source, access), choices, access);
}

const forecast: TestTool = {
  name: "getForecast",
  title: "City forecast",
  description: "The weather of the **next days** in a city.",
  annotations: { readOnlyHint: true },
  inputSchema: {
    type: "object",
    properties: { city: { type: "string", description: "Name of the city" }, place: { $ref: "#/$defs/Place" } },
    required: ["city"],
    $defs: { Place: { type: "object", properties: { lat: { type: "number" }, within: { $ref: "#/$defs/Place" } } } },
    additionalProperties: false,
    $schema: "http://json-schema.org/draft-07/schema#",
  } as TestTool["inputSchema"] & object,
  outputSchema: {
    type: "object",
    properties: { days: { type: "array", items: { type: "object" } } },
    required: ["days"],
  },
  run: ({ city }) => ({
    content: [],
    structuredContent: {
      days: [
        { city, rain: true },
        { city, rain: false },
      ],
    },
  }),
};

const forget: TestTool = {
  name: "forget_city",
  annotations: { destructiveHint: true, idempotentHint: true },
  run: () => ({ content: [{ type: "text", text: "gone" }] }),
};

async function refusalOf(work: Promise<unknown>): Promise<ImportRefused> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ImportRefused)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

function endpointsOf({ manifest }: ImportedProvider) {
  return manifest.endpoints;
}

describe("the tools of an MCP server", () => {
  test("become the endpoints of a provider that the catalog takes as it is", async () => {
    await using server = await startMcpServer({ tools: [forecast, forget], instructions: "Weather for everybody." });

    const imported = await importMcpServer(server.url, everything, loopback);

    expect(findProblems(imported.manifest)).toEqual([]);
    expect(imported.manifest).toMatchObject({
      provider: "test-tools",
      displayName: "Test tools",
      description: "Weather for everybody.",
      http: { baseUrl: server.url, allowPrivateNetwork: true },
      price: { type: "FREE" },
      source: { kind: "mcp", ref: server.url, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(endpointsOf(imported)).toMatchObject({
      "/get-forecast": {
        displayName: "City forecast",
        description: "The weather of the next days in a city.",
        idempotent: true,
        request: { tool: "getForecast" },
        input: { body: { required: ["city"], properties: { city: { type: "string" } } } },
        output: { select: "$.days" },
        usage: { count: "$.days" },
      },
      "/forget-city": { displayName: "Forget city", idempotent: true, notes: [expect.stringContaining("delete")] },
    });
    expect(endpointsOf(imported)["/forget-city"]).not.toHaveProperty("input");
    expect(imported.pricesToSet).toEqual(["/get-forecast", "/forget-city"]);
    expect(imported.comments).toEqual([
      { path: ["endpoints", "/forget-city"], text: expect.stringContaining("delete") },
    ]);
    expect(server.methods.at(-1)).toBe("tools/list");
  });

  test.each([
    ["only the protocol without sessions", false],
    ["both protocols", true],
  ])("of a server that speaks %s become the same endpoints", async (_, isDual) => {
    await using server = await startModernMcpServer({ tools: [forecast, forget], isDual });

    const imported = await importMcpServer(server.url, everything, loopback);

    expect(findProblems(imported.manifest)).toEqual([]);
    expect(imported.manifest).toMatchObject({
      provider: "modern-tools",
      description: "Tools of today.",
      source: { kind: "mcp", ref: server.url },
    });
    expect(Object.keys(endpointsOf(imported))).toEqual(["/get-forecast", "/forget-city"]);
  });

  test("are imported, granted, run and billed", async () => {
    const environment = { TOOLS_TOKEN: "token-of-the-tools" };
    await using server = await startMcpServer({
      tools: [forecast, forget],
      authorization: "Bearer token-of-the-tools",
    });
    const access = { ...loopback, authorization: authorizationFrom("TOOLS_TOKEN", environment) };
    const { manifest } = await importMcpServer(server.url, { ...everything, slug: "weather", priceUsd: 0.02 }, access);
    using home = mktHome();
    const folder = home.writeCatalog("strangers", { weather: manifest });
    await using daemon = await startTestDaemon({ home, environment, config: { catalogDirs: [folder] } });
    const run = { provider: "weather", endpoint: "/get-forecast", input: { city: "Lisbon" } };

    const before = await daemon.request("POST", "/v1/run", run);
    const grant = await daemon.client.createGrant({ body: { provider: "weather" } });
    const after = await daemon.request("POST", "/v1/run", run);
    const wrong = await daemon.request("POST", "/v1/run", { ...run, input: { town: "Lisbon" } });

    expect(before).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining("mkt catalog grant weather") },
    });
    expect(grant).toMatchObject({ provider: "weather", variables: ["TOOLS_TOKEN"] });
    expect(after).toMatchObject({
      status: 200,
      body: {
        status: "COMPLETED",
        output: [
          { city: "Lisbon", rain: true },
          { city: "Lisbon", rain: false },
        ],
        resultCount: 2,
        billing: { reportedCost: { value: 20_000 } },
      },
    });
    expect(wrong.status).toBe(400);
    expect(server.inputs).toEqual([{ city: "Lisbon" }]);
  });

  test("are asked for page by page, and the same list has the same hash", async () => {
    const tools = Array.from({ length: 7 }, (_, at) => ({ name: `tool_${at}` }));
    await using paged = await startMcpServer({ tools, pageSize: 3 });
    await using whole = await startMcpServer({ tools, json: true, sessions: false });

    const one = await importMcpServer(paged.url, everything, loopback);
    const other = await importMcpServer(whole.url, everything, loopback);

    expect(Object.keys(endpointsOf(one))).toHaveLength(7);
    expect(one.manifest["source"]).toMatchObject({ sha256: (other.manifest["source"] as { sha256: string }).sha256 });
  });

  test("are taken by choice, and beyond fifty only when asked for", async () => {
    const tools = Array.from({ length: 60 }, (_, at) => ({ name: `tool_${at}` }));
    await using server = await startMcpServer({ tools });
    const take = async (choices: Partial<ImportChoices>) =>
      await importMcpServer(server.url, { ...everything, ...choices }, loopback);

    const capped = await take({});
    const all = await take({ allOperations: true });
    const chosen = await take({ includeOperations: ["tool_59"] });

    expect(Object.keys(endpointsOf(capped))).toHaveLength(50);
    expect(capped.skipped[0]).toMatchObject({ operation: "tool_50", why: expect.stringContaining("--all-operations") });
    expect(Object.keys(endpointsOf(all))).toHaveLength(60);
    expect(Object.keys(endpointsOf(chosen))).toEqual(["/tool-59"]);
  });

  test("get paths of their own when their names differ in nothing else", async () => {
    const tools = ["getCity", "get_city", "city/get", "日本"].map((name) => ({ name }));
    await using server = await startMcpServer({ tools });

    const imported = await importMcpServer(server.url, everything, loopback);

    expect(Object.keys(endpointsOf(imported))).toEqual(["/get-city", "/get-city-2", "/city/get"]);
    expect(imported.skipped).toEqual([{ operation: "日本", why: expect.stringContaining("characters") }]);
  });

  test("that need a token are refused without it, in words that say how to give it", async () => {
    await using server = await startMcpServer({ tools: [forecast], authorization: "Bearer right" });

    const refusal = await refusalOf(importMcpServer(server.url, everything, loopback));

    expect(refusal.message).toContain("--auth-env");
  });
});

describe("what is no address of an MCP server", () => {
  test.each(["npx -y @some/server", "stdio:./server.js", "node server.mjs", "file:///bin/sh"])(
    "is refused and never started: %s",
    async (source) => {
      expect((await refusalOf(importMcpServer(source, everything, loopback))).message).toContain(
        "nothing that an import names is ever started",
      );
    },
  );

  test.each(["https://me:secret@tools.example/mcp", "https://tools.example/mcp?key=1"])(
    "is refused when it holds what no file should: %s",
    async (source) => {
      expect((await refusalOf(importMcpServer(source, everything, loopback))).rule).toBe("mcp-address");
    },
  );

  test("is refused in words when something else answers there", async () => {
    await using vendor = await startFakeProvider();
    vendor.on("POST /mcp", { text: "<html>", headers: { "content-type": "text/html" } });

    const refusal = await refusalOf(importMcpServer(`${vendor.url}/mcp`, everything, loopback));

    expect(refusal.message).toContain("Is http://");
  });

  test("is not called at a private address that nobody opened, nor where it redirects", async () => {
    await using canary = await startFakeProvider();
    await using vendor = await startFakeProvider();
    vendor.on("POST /mcp", { status: 302, headers: { location: `${canary.url}/mcp` } });

    const closed = { allowPrivateHosts: new Set<string>() };
    const refusal = await refusalOf(importMcpServer(`${canary.url}/mcp`, everything, closed));
    await refusalOf(importMcpServer(`${vendor.url}/mcp`, everything, loopback));

    expect(canary.accepted()).toBe(0);
    // There is no file yet in which anything could be set.
    expect(refusal.message).toContain("--allow-private-host");
    expect(refusal.message).not.toContain("allowPrivateNetwork");
  });
});

/** A server that lists what the test says. */
function listing(answer: (call: FakeCall) => FakeAnswer): (call: FakeCall) => FakeAnswer {
  return (call) => {
    if (call.json?.method === "tools/list") return answer(call);
    if (call.json?.id === undefined) return { status: 202 };
    const serverInfo = { name: "x", title: "A\u001b[2J \u202eserver\n", version: "1" };
    const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo };
    return { json: { jsonrpc: "2.0", id: call.json.id, result } };
  };
}

function pageOf(list: readonly unknown[], nextCursor?: string): (call: FakeCall) => FakeAnswer {
  return ({ json }) => ({ json: { jsonrpc: "2.0", id: json.id, result: { tools: list, nextCursor } } });
}

describe("an MCP server that means no good", () => {
  test.each<[string, (call: FakeCall) => FakeAnswer, string]>([
    [
      "lists ten thousand tools",
      pageOf(Array.from({ length: 10_000 }, (_, at) => ({ name: `t${at}` }))),
      "more than 1000 tools",
    ],
    ["never ends its list", pageOf([], "again"), "did not end within 200 pages"],
    [
      "sends five megabytes",
      pageOf([{ name: "t", description: "x".repeat(5_000_000) }]),
      "larger than the 4194304 bytes",
    ],
  ])("is refused when it %s", async (_, answer, words) => {
    await using vendor = await startFakeProvider();
    vendor.on("POST /mcp", listing(answer));

    expect((await refusalOf(importMcpServer(`${vendor.url}/mcp`, everything, loopback))).message).toContain(words);
  });

  test("has its texts cleaned, and its tools with names that hide something left out", async () => {
    await using vendor = await startFakeProvider();
    const nasty = [
      {
        name: "good",
        title: "G\u001b[2Jood\u202e",
        description: `\u001b]8;;http://x\u0007Words ${"w ".repeat(400_000)}`,
      },
      { name: "b\u001b[2Jad" },
      { name: "__proto__", inputSchema: { type: "object", properties: { ["__proto__"]: { type: "string" } } } },
      { description: "no name" },
    ];
    vendor.on("POST /mcp", listing(pageOf(nasty)));

    const imported = dropUnusable(await importMcpServer(`${vendor.url}/mcp`, everything, loopback));

    // eslint-disable-next-line no-control-regex
    expect(JSON.stringify(imported)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|\\u00[01]/);
    expect(imported.manifest["displayName"]).toBe("A server");
    expect(endpointsOf(imported)["/good"]).toMatchObject({ displayName: "Good" });
    expect(String(endpointsOf(imported)["/good"]?.["description"]).length).toBeLessThan(2_001);
    expect(imported.skipped).toHaveLength(2);
    expect(findProblems(imported.manifest)).toEqual([]);
  });

  test("has schemas that could not be checked opened, and still nothing slow is let in", async () => {
    const deep = (levels: number): object =>
      levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };
    const schemas = [
      { type: "object", properties: { a: { $ref: "file:///etc/passwd" } } },
      { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$(?=b)" } } },
      { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } },
      { type: "object", properties: { a: deep(60) } },
      { type: "object", properties: { a: { type: "array", uniqueItems: true, items: { type: "object" } } } },
      "no schema",
    ];
    await using vendor = await startFakeProvider();
    vendor.on("POST /mcp", listing(pageOf(schemas.map((inputSchema, at) => ({ name: `t${at}`, inputSchema })))));

    const imported = await importMcpServer(`${vendor.url}/mcp`, everything, loopback);

    expect(findProblems(imported.manifest)).toEqual([]);
    expect(Object.keys(endpointsOf(imported))).toHaveLength(6);
    expect(endpointsOf(imported)["/t0"]).toMatchObject({ input: { body: { additionalProperties: true } } });
    expect(imported.notes).not.toEqual([]);
  });
});
