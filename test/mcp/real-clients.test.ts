import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { describe, expect, test } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { mktProgram } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { call } from "./call.ts";
import { aClient, startOverHttp } from "./connect-mcp.ts";

/** A folder that `.ci/install-mcp-clients` has filled; the program does not need them, and the tests load nothing. */
const folder = process.env["MKT_TEST_MCP_CLIENTS"] ?? "";
const programOf = (...path: readonly string[]) => join(folder, "node_modules", ...path);
const mcpRemote = programOf("mcp-remote", "dist", "proxy.js");
const inspector = programOf("@modelcontextprotocol", "inspector", "cli", "build", "cli.js");
const mcporter = programOf("mcporter", "dist", "cli.js");

/** The title of a test, with the reason where it is skipped. */
function titled(title: string, program: string): string {
  if (isThere(program)) return title;
  if (folder === "") return `${title} (skipped: MKT_TEST_MCP_CLIENTS names no folder with other people's clients)`;
  return `${title} (skipped: MKT_TEST_MCP_CLIENTS has no ${relative(folder, program)})`;
}

function isThere(program: string): boolean {
  return folder !== "" && existsSync(program);
}

test.skipIf(!isThere(mcpRemote))(
  titled("mcp-remote brings a client on stdio to mkt mcp --http", mcpRemote),
  async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
    const authorization = `Authorization: Bearer ${server.token}`;
    const args = [mcpRemote, server.url, "--header", authorization, "--allow-http", "--transport", "http-only"];
    const client = aClient();
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        env: { ...home.environment },
        stderr: "ignore",
      }) as Transport,
    );

    const { tools } = await client.listTools();
    const ran = await call(client, "run", {
      provider: "atlas",
      endpoint: "/sun",
      input: { latitude: 1, longitude: 2 },
    });
    await client.close();

    expect(tools.map(({ name }) => name)).toContain("run");
    expect(ran.data).toMatchObject({ status: "COMPLETED" });
  },
  60_000,
);

const SUN = { provider: "atlas", endpoint: "/sun", input: { latitude: 1, longitude: 2 } };

describe.skipIf(!isThere(inspector))(titled("the command line of the MCP Inspector", inspector), () => {
  const toolArgs = (args: Readonly<Record<string, unknown>>) =>
    Object.entries(args).flatMap(([name, value]) => [
      "--tool-arg",
      `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    ]);
  const callOf = (tool: string, args: Readonly<Record<string, unknown>>) => [
    "--method",
    "tools/call",
    "--tool-name",
    tool,
    ...toolArgs(args),
  ];

  test("lists tools, runs, pages through the output and is told an error, over stdio", async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ bundled: true });
    const env = { ...home.environment, MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
    const ask = async (words: readonly string[]) =>
      await answerOf([inspector, "--cli", process.execPath, mktProgram, "mcp", ...words], env);

    const listed = await ask(["--method", "tools/list"]);
    const ran = await ask(callOf("run", SUN));
    const { runId } = ran["structuredContent"] as { readonly runId: string };
    const paged = await ask(callOf("get_run", { runId, offset: 2, limit: 1 }));
    const failed = await ask(callOf("run", { ...SUN, endpoint: "/moon-base" }));

    expect((listed["tools"] as { name: string }[]).map(({ name }) => name)).toContain("run");
    expect(ran).toMatchObject({ structuredContent: { status: "COMPLETED" } });
    expect(paged).toMatchObject({ structuredContent: { runId } });
    expect(failed).toMatchObject({ isError: true });
  }, 120_000);
});

test.skipIf(!isThere(mcporter))(
  titled("mcporter runs an endpoint over stdio, and is told an error", mcporter),
  async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ bundled: true });
    const env = { ...home.environment, MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key };
    const server = `${process.execPath} ${mktProgram} mcp`;
    const run = async (args: object) =>
      await answerOf(
        [mcporter, "call", "--stdio", server, "run", "--args", JSON.stringify(args), "--output", "json"],
        env,
      );

    const ran = await run(SUN);
    const failed = await run({ ...SUN, endpoint: "/moon-base" });

    expect(JSON.stringify(ran)).toContain("COMPLETED");
    expect(failed).toMatchObject({ isError: true });
  },
  120_000,
);

test.skipIf(!isThere(mcporter))(
  titled("mcporter runs an endpoint over HTTP with the token", mcporter),
  async () => {
    using home = mktHome();
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
    const config = join(home.path, "mcporter.json");
    const headers = { Authorization: `Bearer ${server.token}` };
    writeFileSync(config, JSON.stringify({ mcpServers: { mkt: { url: server.url, headers } } }));

    const words = ["--config", config, "call", "mkt.run", "--args", JSON.stringify(SUN), "--output", "json"];
    const ran = await answerOf([mcporter, ...words], home.environment);

    expect(JSON.stringify(ran)).toContain("COMPLETED");
  },
  120_000,
);

/** What a program prints, as JSON; its exit code says no more than the answer. */
async function answerOf(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [...words], { env: { ...env } }, (_, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Readonly<Record<string, unknown>>);
      } catch (cause) {
        reject(new Error(`no JSON was printed: ${stdout}${stderr}`, { cause }));
      }
    }).stdin?.end();
  });
}
