import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { startTestDaemon } from "../support/start-daemon.ts";
import { mktProgram } from "../support/spawn-mkt.ts";
import { mktHome } from "../support/mkt-home.ts";
import { tempDir } from "../support/temp-dir.ts";
import { aClient, httpTransport, startOverHttp } from "./connect-mcp.ts";
import { askModern, MODERN_VERSION } from "./modern.ts";

const sun = { provider: "atlas", endpoint: "/sun", input: { latitude: 1, longitude: 2 } };

function modernClient(): Client {
  return new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: { pin: MODERN_VERSION } } });
}

describe("a client of the protocol without sessions", () => {
  test("lists, runs and reads over HTTP", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
    const client = modernClient();
    const headers = { authorization: `Bearer ${server.token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));

    const { tools } = await client.listTools();
    const ran = await client.callTool({ name: "run", arguments: sun });
    const { resources } = await client.listResources();
    const missing = client.readResource({ uri: "mkt://catalog/nothing" });
    await expect(missing).rejects.toMatchObject({ code: -32_602 });
    const instructions = client.getInstructions();
    await client.close();

    expect(instructions).toContain("discover");
    expect(tools.map(({ name }) => name)).toContain("run");
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(16_000);
    expect(ran.structuredContent).toMatchObject({ status: "COMPLETED", cost: { value: 0.001 } });
    expect(resources.length).toBeGreaterThan(0);
  });

  test("does the same over stdio, with a process of its own", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    using home = mktHome();
    const client = modernClient();
    const env = { ...home.environment, MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [mktProgram, "mcp"], env }));

    const ran = await client.callTool({ name: "run", arguments: sun });
    await client.close();

    expect(ran.structuredContent).toMatchObject({ status: "COMPLETED" });
  }, 60_000);
});

describe("two servers at one address, without affinity", () => {
  test("serve one client in both eras", async () => {
    using folder = tempDir();
    await using daemon = await startTestDaemon({ bundled: true });
    const env = { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, MKT_CONFIG_DIR: folder.path };
    await using one = await startOverHttp({ env });
    await using other = await startOverHttp({ env });
    const asked: string[] = [];
    const inTurn = (async (_: unknown, init?: RequestInit) => {
      const url = [one.url, other.url][asked.length % 2] ?? "";
      asked.push(url);
      return await fetch(url, init);
    }) as typeof fetch;
    const headers = { authorization: `Bearer ${one.token}` };

    const modern = modernClient();
    await modern.connect(
      new StreamableHTTPClientTransport(new URL(one.url), { requestInit: { headers }, fetch: inTurn }),
    );
    const ofModern = await modern.callTool({ name: "run", arguments: sun });
    const again = await modern.callTool({
      name: "get_run",
      arguments: { runId: (ofModern.structuredContent as { runId: string }).runId },
    });
    await modern.close();
    const earlier = aClient();
    await earlier.connect(httpTransport(one, inTurn));
    const ofEarlier = await earlier.callTool({ name: "run", arguments: sun });
    await earlier.close();

    expect(new Set(asked).size).toBe(2);
    expect(again.structuredContent).toMatchObject({ status: "COMPLETED" });
    expect(ofEarlier.structuredContent).toMatchObject({ status: "COMPLETED" });
  });
});

describe("what the door checks holds for the new protocol, too", () => {
  const list = { method: "tools/list" };

  test.each([
    ["no token", { authorization: "" }, 401],
    ["another token", { authorization: `Bearer ${"x".repeat(40)}` }, 401],
    ["a page's origin", { origin: "https://evil.example" }, 403],
  ])("%s", async (_, headers, status) => {
    await using server = await startOverHttp({});

    expect(await askModern(server, list, headers)).toMatchObject({ status, error: { message: expect.any(String) } });
  });

  test("headers that say something else than the message are refused", async () => {
    await using server = await startOverHttp({});

    const answer = await askModern(server, list, { "mcp-method": "tools/call", "mcp-name": "balance" });

    expect(answer).toMatchObject({ status: 400, error: { code: -32_020 } });
  });

  test("a key that is limited to one provider runs no other", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    const { key } = (await daemon.request("POST", "/v1/api-keys", { label: "narrow", providers: ["other"] })).body;
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: key } });

    const { result } = await askModern(server, { method: "tools/call", params: { name: "run", arguments: sun } });

    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^Error 403: /) }] });
  });

  test("a version that is not known gets the versions that are", async () => {
    await using server = await startOverHttp({});

    const answer = await fetch(server.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2099-01-01",
        "mcp-method": "tools/list",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/list",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2099-01-01",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32_022, data: { supported: [MODERN_VERSION] } } });
  });
});
