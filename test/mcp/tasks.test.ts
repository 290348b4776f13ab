import { describe, expect, test } from "vitest";
import { startTestDaemon } from "../support/start-daemon.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { spawnDaemon } from "../support/spawn-mkt.ts";
import { startOverHttp } from "./connect-mcp.ts";
import { askModern, type ModernAnswer } from "./modern.ts";

const almanac = {
  provider: "atlas",
  endpoint: "/reports/almanac",
  input: { latitude: 38.7, longitude: -9.1, start: "2026-01-01", days: 1830 },
};

interface Server {
  readonly url: string;
  readonly token: string;
}

async function callRun(server: Server, args: object, knowsTasks = true): Promise<ModernAnswer> {
  return await askModern(server, { method: "tools/call", params: { name: "run", arguments: args }, knowsTasks });
}

async function task(server: Server, method: string, taskId: string): Promise<ModernAnswer> {
  return await askModern(server, { method, params: { taskId }, knowsTasks: true });
}

async function ended(server: Server, taskId: string): Promise<Record<string, any>> {
  const get = async () => (await task(server, "tasks/get", taskId)).result ?? {};
  await expect.poll(async () => (await get())["status"], { timeout: 40_000, interval: 200 }).not.toBe("working");
  return await get();
}

describe("a run that goes on is a task", () => {
  test("whose id is that of the run, and whose result is that of the call", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

    const { result: made } = await callRun(server, { ...almanac, tags: { a: "b" } });
    const done = await ended(server, made?.["taskId"]);
    const got = await askModern(server, {
      method: "tools/call",
      params: { name: "get_run", arguments: { runId: made?.["taskId"] } },
    });

    expect(made).toMatchObject({
      resultType: "task",
      status: "working",
      ttlMs: null,
      taskId: expect.stringMatching(/^\w{26}$/),
    });
    expect(done).toMatchObject({
      resultType: "complete",
      status: "completed",
      result: { content: [{ type: "text" }] },
    });
    expect(done["result"].structuredContent).toEqual(got.result?.["structuredContent"]);
  }, 60_000);

  test("only for a client that says that it knows tasks, and only while the run goes on", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
    const sun = { provider: "atlas", endpoint: "/sun", input: { latitude: 1, longitude: 2 } };

    const unaware = await callRun(server, { ...almanac, waitSeconds: 0 }, false);
    const quick = await callRun(server, sun);
    const withFields = await callRun(server, { ...sun, fields: ["date"] });
    const { runId } = unaware.result?.["structuredContent"] ?? {};
    const asked = await askModern(server, { method: "tasks/get", params: { taskId: runId } });

    expect(unaware.result).toMatchObject({ resultType: "complete", structuredContent: { status: "RUNNING" } });
    expect(quick.result).toMatchObject({ resultType: "complete", structuredContent: { status: "COMPLETED" } });
    expect(withFields.result?.["structuredContent"].output).toEqual({ date: expect.any(String) });
    expect(asked).toMatchObject({ error: { code: -32_021 } });
  });

  test("is cancelled by stopping the run, as often as it is asked for", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
    const { result: made } = await callRun(server, almanac);
    const taskId = String(made?.["taskId"]);

    const first = await task(server, "tasks/cancel", taskId);
    const done = await ended(server, taskId);
    const second = await task(server, "tasks/cancel", taskId);

    expect(first.result).toMatchObject({ resultType: "complete" });
    expect(done["status"]).toMatch(/cancelled|completed/);
    expect(second.result).toMatchObject({ resultType: "complete" });
  }, 60_000);

  test.each(["tasks/get", "tasks/cancel", "tasks/update"])("%s of another id is refused", async (method) => {
    await using daemon = await startTestDaemon({});
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

    const answer = await task(server, method, "01J00000000000000000000000");

    expect(answer.error).toMatchObject({ code: -32_602, message: expect.stringContaining("was not found") });
  });

  test("of a provider that fails is completed, with the failure as its result", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });

    const ran = await callRun(server, { provider: "atlas", endpoint: "/status/{code}", input: { code: 503 } });
    const done = await ended(server, ran.result?.["structuredContent"].runId);

    expect(done).toMatchObject({ status: "completed", result: { isError: true } });
  });

  test("another workspace's task is not there", async () => {
    await using daemon = await startTestDaemon({ bundled: true });
    await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
    const { result: made } = await callRun(server, almanac);
    await daemon.request("POST", "/v1/admin/workspaces", { name: "Other" });
    const other = await daemon.request("POST", "/v1/admin/workspaces/other/api-keys", { label: "theirs" });
    await using theirs = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: other.body.key } });

    const answer = await task(theirs, "tasks/get", String(made?.["taskId"]));

    expect(answer).toMatchObject({ error: { code: -32_602 } });
  });

  test("survives kill -9 of the daemon and the end of the server that made it", async () => {
    await using upstream = await startFakeProvider();
    upstream.on("GET /slow", { hang: true });
    const slow = {
      http: { baseUrl: upstream.url, allowPrivateNetwork: true },
      endpoints: { "/slow": { request: { method: "GET" }, price: { type: "PER_CALL", amount: 0.01 } } },
    };
    await using daemon = await spawnDaemon({ manifests: { slow } });
    let taskId = "";
    {
      await using server = await startOverHttp({ env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key } });
      const { result: made } = await callRun(server, { provider: "slow", endpoint: "/slow" });
      expect(made).toMatchObject({ resultType: "task" });
      taskId = made?.["taskId"];
      await daemon.kill("SIGKILL");
    }

    await using again = await spawnDaemon({ home: daemon.home, manifests: { slow } });
    await using server = await startOverHttp({ env: { MKT_API_URL: again.url, MKT_API_KEY: daemon.key } });
    const done = await ended(server, taskId);

    expect(again.pid).not.toBe(daemon.pid);
    expect(done).toMatchObject({ taskId, status: "completed" });
    expect(done["result"].structuredContent).toMatchObject({ runId: taskId });
    expect(upstream.calls).toHaveLength(1);
  }, 90_000);
});
