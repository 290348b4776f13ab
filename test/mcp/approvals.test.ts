import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApprovalMarket, openApprovalMarket } from "../approvals/approval-market.ts";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { call } from "./call.ts";
import { connectOverStdio, startOverHttp } from "./connect-mcp.ts";
import { askModern } from "./modern.ts";

const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

let market: ApprovalMarket;
let env: Record<string, string>;
let agentKey: { readonly key: string; readonly ask: ApprovalMarket["agent"] };
beforeEach(async () => {
  market = await openApprovalMarket();
  await market.rule(0.001);
  agentKey = await market.newKey({ label: "mcp agent", role: "member" });
  env = { MKT_API_URL: market.daemon.url, MKT_API_KEY: agentKey.key };
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

describe("a run that needs a person's yes, asked for over MCP", () => {
  test("comes back at once, and says whom to ask and what not to do", async () => {
    await using mcp = await connectOverStdio({ env });

    const asked = await call(mcp.client, "run", { ...now, waitSeconds: 300 });

    expect(asked.isError).toBe(false);
    expect(asked.data).toMatchObject({ status: "READY", approval: { status: "WAITING", maximum: { value: 0.01 } } });
    expect(asked.text).toContain("It has not begun: it may cost $0.01, and a person has to approve");
    expect(asked.text).toContain(`Tell your user: mkt approvals show ${asked.data["runId"]}`);
    expect(asked.text).toContain("Do not run it again.");
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("gives its data by get_run once it is approved, and was called once", async () => {
    await using mcp = await connectOverStdio({ env });
    const { data } = await call(mcp.client, "run", now);
    const { runId } = data;

    const waiting = call(mcp.client, "get_run", { runId, waitSeconds: 60 });
    expect((await market.approve(runId)).status).toBe(200);

    const got = await waiting;
    expect(got.data).toMatchObject({
      status: "COMPLETED",
      output: { temperature: 21 },
      cost: { value: 0.01 },
      approval: { status: "APPROVED" },
    });
    expect(market.upstream.count("GET /now")).toBe(1);
  });

  test("is told by get_run that it was denied, with the reason, and to leave it", async () => {
    await using mcp = await connectOverStdio({ env });
    const { data } = await call(mcp.client, "run", now);
    const { runId } = data;
    await market.deny(runId, "too dear for today");

    const got = await call(mcp.client, "get_run", { runId });

    expect(got.data).toMatchObject({ status: "BLOCKED", approval: { status: "DENIED", reason: "too dear for today" } });
    expect(got.text).toContain("too dear for today");
    expect(got.text).toContain("do not run it again as it is");
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("cannot be approved by the agent: no tool does it, and its key is refused", async () => {
    await using mcp = await connectOverStdio({ env });
    const { data } = await call(mcp.client, "run", now);

    const { tools } = await mcp.client.listTools();
    const own = await market.approve(data["runId"], agentKey.ask);

    expect(tools.map(({ name }) => name).filter((name) => /approv|deny/.test(name))).toEqual([]);
    expect(own.status).toBe(403);
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("is a task that says so, for a client that knows tasks", async () => {
    await using server = await startOverHttp({ env });

    const { result } = await askModern(server, {
      method: "tools/call",
      params: { name: "run", arguments: now },
      knowsTasks: true,
    });
    const taskId = String(result?.["taskId"]);
    await market.approve(taskId);
    await expect
      .poll(
        async () => {
          const asked = await askModern(server, { method: "tasks/get", params: { taskId }, knowsTasks: true });
          return asked.result?.["status"];
        },
        { timeout: 15_000 },
      )
      .toBe("completed");

    expect(result).toMatchObject({ resultType: "task", status: "working" });
    expect(result?.["statusMessage"]).toContain(`Tell your user: mkt approvals show ${taskId}`);
  });
});

describe("an earlier answer over MCP", () => {
  let upstream: FakeProvider;
  beforeEach(async () => {
    upstream = await startFakeProvider();
    upstream.on("GET /now", { json: { temperature: 21 } });
  });
  afterEach(async () => {
    await upstream.close();
  });

  test("is given for nothing where maxAge allows it, with its run and its age", async () => {
    const file = weatherManifest(upstream.url) as { endpoints: Record<string, object> };
    const kept = { ...file.endpoints["/now"], reuse: { maxAgeSeconds: 3_600 } };
    await using daemon = await startTestDaemon({
      manifests: { weather: { ...file, endpoints: { ...file.endpoints, "/now": kept } } },
    });
    await using mcp = await connectOverStdio({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

    const first = await call(mcp.client, "run", now);
    const again = await call(mcp.client, "run", { ...now, maxAge: 3_600 });
    const without = await call(mcp.client, "run", now);

    expect(again.data).toMatchObject({ status: "COMPLETED", output: { temperature: 21 } });
    expect(again.text).toContain("Cost: nothing: the answer of");
    expect(again.text).toContain(String(first.data["runId"]));
    expect(without.data).toMatchObject({ cost: { value: 0.01 } });
    expect(upstream.count("GET /now")).toBe(2);
  });
});
