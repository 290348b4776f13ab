import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { startTestDaemon } from "../support/start-daemon.ts";
import { connectOverHttp, connectOverStdio } from "./connect-mcp.ts";

/** Issue 7: an MCP client with no other knowledge finds, quotes, runs and fetches an async result on atlas. */

interface Step {
  readonly call: string;
  readonly arguments: Record<string, unknown>;
  readonly text: string;
}

/** What differs from one time to the next: ids, amounts of time, dates, and what depends on how quick the machine is. */
function masked(text: string): string {
  return text
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "<id>")
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "<date>")
    .replace(/Output: .*/g, "Output: <data>")
    .replace(/Input, body: .*/g, "Input, body: <schema>")
    .replace(/ · (?:unknown|stable|healthy)(?: · ~[\d.]+ s)?/g, "")
    .replace(/Cost: \$[\d.]+ \(price \$0.02\/minute\)/g, "Cost: <by the time it took> (price $0.02/minute)")
    .replace(/cost \$[\d.]+ \(price \$0.02\/minute\)/g, "cost <by the time it took> (price $0.02/minute)")
    .replace(/\$9\.99\d+/g, "<what is left>")
    .replace(/RUNNING \(\d+ %\)/g, "RUNNING");
}

/** The arguments that a text says to call next with. */
function nextCall(text: string, tool: string): Record<string, unknown> {
  const found = new RegExp(`${tool} (\\{.*\\})$`, "m").exec(text)?.[1];
  if (found === undefined) throw new Error(`nothing says how to call ${tool}: ${text}`);
  return JSON.parse(found);
}

async function play(client: Client): Promise<{ steps: Step[]; output: unknown }> {
  const steps: Step[] = [];
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
    const text = result.content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
    steps.push({ call: name, arguments: args, text });
    return { text, data: result.structuredContent as Record<string, unknown> };
  };

  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("discover");
  const found = await call("discover", { query: "overview of all the time zones of a country over the years" });
  const looked = await call("inspect", nextCall(found.text, "inspect"));
  const asked = { ...nextCall(looked.text, "run"), input: { country: "PT" } };
  await call("quote", asked);
  const started = await call("run", { ...asked, maxCost: 0.1, waitSeconds: 0 });
  const ended = await call("get_run", { ...nextCall(started.text, "get_run"), fields: ["zones.zone"] });
  await call("list_runs", { limit: 1 });
  await call("balance", {});
  return { steps, output: ended.data["output"] };
}

describe.each([
  ["stdio", connectOverStdio],
  ["streamable HTTP", connectOverHttp],
] as const)("an MCP client over %s, with no other knowledge", (_, connect) => {
  test("finds, quotes, runs and fetches an async result", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using mcp = await connect({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

    const { steps, output } = await play(mcp.client);

    const transcript = steps
      .map((step) => `> ${step.call} ${masked(JSON.stringify(step.arguments))}\n${masked(step.text)}`)
      .join("\n\n");
    await expect(`${transcript}\n`).toMatchFileSnapshot("transcript.txt");
    expect(output).toEqual({
      zones: expect.arrayContaining([{ zone: "Europe/Lisbon" }, { zone: "Atlantic/Azores" }]),
    });
    expect(mcp.stderr()).toBe("");
  });
});
