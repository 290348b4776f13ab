import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startMcpServer, type TestTool } from "../support/mcp-server.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

const echo: TestTool = {
  name: "echo_text",
  title: "Echo",
  description: "Says again what it is told.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => ({ content: [{ type: "text", text: `You said ${String(text)}` }] }),
};

async function mkt(home: MktHome, environment: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  return await spawnMkt(["catalog", ...argv], { home, environment });
}

describe("mkt catalog import of an MCP server", () => {
  test("writes a file that can be checked, granted and run, and keeps what a person changed in it", async () => {
    using home = mktHome();
    const environment = { ECHO_TOKEN: "the-token-of-echo" };
    await using server = await startMcpServer({ tools: [echo], authorization: "Bearer the-token-of-echo" });
    const words = [
      server.url,
      "--mcp",
      "--auth-env",
      "ECHO_TOKEN",
      "--slug",
      "echo",
      "--allow-private-host",
      "127.0.0.1",
    ];

    const first = await mkt(home, environment, "import", ...words);
    const file = join(home.configDir, "catalog", "echo.yaml");
    const written = readFileSync(file, "utf8");
    writeFileSync(file, written.replace("displayName: Echo\n", "displayName: Echo chamber\n"));
    const check = await mkt(home, environment, "check", file);
    const second = await mkt(home, environment, "import", ...words);
    await using daemon = await startTestDaemon({ home, environment });
    await daemon.client.createGrant({ body: { provider: "echo" } });
    const run = { provider: "echo", endpoint: "/echo-text", input: { text: "hello" } };
    const answer = await daemon.request("POST", "/v1/run", run);

    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("echo") });
    expect(written).toMatch(/request: \{ ?tool: echo_text ?\}/);
    expect(written).not.toContain("the-token-of-echo");
    expect(check).toMatchObject({ code: 0 });
    expect(second).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toContain("displayName: Echo chamber\n");
    expect(answer).toMatchObject({ status: 200, body: { output: "You said hello" } });
  });

  test("is recognised by what its address answers", async () => {
    using home = mktHome();
    await using server = await startMcpServer({ tools: [echo] });

    const { code, stdout } = await mkt(home, {}, "import", server.url, "--allow-private-host", "127.0.0.1", "--json");

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      documents: [{ file: server.url, provider: "test-tools", endpoints: 1 }],
    });
  });

  test("starts nothing that is named, and reaches no private host that nobody opened", async () => {
    using home = mktHome();
    await using canary = await startFakeProvider();

    const command = await mkt(home, {}, "import", "npx -y @some/server", "--mcp");
    const closed = await mkt(home, {}, "import", `${canary.url}/mcp`, "--mcp");

    expect(command.code).not.toBe(0);
    expect(command.stdout + command.stderr).toContain("nothing that an import names is ever started");
    expect(closed.code).not.toBe(0);
    expect(closed.stdout + closed.stderr).toMatch(/private address|without TLS/);
    expect(canary.accepted()).toBe(0);
  });
});
