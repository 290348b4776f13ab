import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { mktProgram, type SpawnedDaemon, spawnDaemon } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The lines of a text, each read as JSON. */
function jsonLines(text: string): Record<string, unknown>[] {
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a daemon whose stdout is no terminal", () => {
  let daemon: SpawnedDaemon;
  beforeAll(async () => {
    daemon = await spawnDaemon({ bundled: true });
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
  });

  test("says in one line of JSON where it listens, and that it is the process itself", () => {
    expect(daemon.ready).toEqual({
      event: "ready",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      registryUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      pid: expect.any(Number),
      endpoints: expect.any(Number),
      startupMs: expect.any(Number),
    });
    expect(Object.keys(daemon.ready)).toEqual(["event", "url", "registryUrl", "pid", "endpoints", "startupMs"]);
    expect(daemon.pid).toBe(daemon.childPid);
    expect(daemon.ready.endpoints).toBeGreaterThan(10);
  });

  test("is well at GET /health, without a key", async () => {
    const answer = await request(`${daemon.url}/health`);

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ status: "ok", version: "0.1.0", storage: "ok" });
  });

  test("describes itself at GET /openapi.json, without a key", async () => {
    const answer = await request(`${daemon.url}/openapi.json`);

    expect(answer.status).toBe(200);
    expect(answer.body.info.version).toBe("0.1.0");
    expect(answer.body.openapi).toMatch(/^3\./);
    expect(answer.body.paths["/v1/run"].post.operationId).toBe("startRun");
    expect(answer.body.paths["/v1/runs/{runId}"].get.operationId).toBe("getRun");
  });

  test("counts the endpoints that it serves", async () => {
    const items: { provider: string; endpointCount: number }[] = [];
    let cursor = "";
    do {
      const { body } = await request(`${daemon.registryUrl}/public/v1/providers?limit=100${cursor}`);
      items.push(...body.items);
      cursor = body.cursor === undefined ? "" : `&cursor=${encodeURIComponent(body.cursor)}`;
    } while (cursor !== "");

    expect(items.reduce((sum, { endpointCount }) => sum + endpointCount, 0)).toBe(daemon.ready.endpoints);
    expect(items).toContainEqual(expect.objectContaining({ provider: "atlas" }));
  });

  test.each(["/health", "/openapi.json", "/v1/auth/whoami", "/v1/runs", "/v1/admin/catalog", "/", "/public"])(
    "serves nothing but /public/v1 at the registry's port: %s is 404, as JSON",
    async (path) => {
      const answer = await request(`${daemon.registryUrl}${path}`, "GET", { key: daemon.key });

      expect(answer.status).toBe(404);
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(answer.body).toMatchObject({ code: 404, message: expect.any(String) });
      expect(answer.headers.get("x-request-id")).toMatch(/./);
    },
  );

  test("does not run anything at the registry's port", async () => {
    const answer = await request(`${daemon.registryUrl}/v1/run`, "POST", {
      key: daemon.key,
      body: { provider: "atlas", endpoint: "/sun" },
    });

    expect(answer.status).toBe(404);
  });
});

test("a daemon's logs are lines of JSON on stderr, and stdout keeps its one line to the end", async () => {
  await using daemon = await spawnDaemon();
  await daemon.request("GET", "/v1/auth/whoami");

  const ended = await daemon.kill();

  expect(ended.code).toBe(0);
  expect(jsonLines(ended.stdout)).toEqual([daemon.ready]);
  const logs = jsonLines(ended.stderr);
  expect(logs.every(({ level, time, pid }) => [level, time, pid].every(Number.isInteger))).toBe(true);
  expect(logs).toContainEqual(expect.objectContaining({ operation: "whoami", status: 200, pid: daemon.pid }));
  expect(ended.stderr).not.toContain(daemon.key);
});

test("Ctrl-C drains it as SIGTERM does", async () => {
  await using daemon = await spawnDaemon();

  expect(await daemon.kill("SIGINT")).toMatchObject({ code: 0, signal: null });
});

const scriptIsHere = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

test.skipIf(!scriptIsHere)("on a terminal a daemon shows a short banner that says what to type next", async () => {
  using home = mktHome();
  const words = [process.execPath, mktProgram, "daemon", "--port", "0", "--registry-port", "0"];
  const command = `exec ${words.map((word) => `'${word}'`).join(" ")}`;
  const terminal = spawn("script", ["-qec", command, "/dev/null"], {
    env: home.environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const [ended, chunks] = [once(terminal, "close"), [] as string[]];
  terminal.stdout.setEncoding("utf8");

  terminal.stdout.on("data", (chunk: string) => chunks.push(chunk));
  await vi.waitUntil(() => chunks.join("").includes("Ctrl-C stops it."), 25_000);
  terminal.stdin.write("\u0003");
  const [code] = (await ended) as [number];

  const banner = chunks.join("").split("Ctrl-C stops it.")[0] ?? "";
  expect(banner.split("\n").length).toBeLessThan(12);
  expect(banner).toMatch(/mkt 0\.1\.0 is open at http:\/\/127\.0\.0\.1:\d+/);
  expect(banner).toContain(home.dataDir);
  expect(banner).toMatch(/ {2}mkt (--data-dir \S+ )?discover .+/);
  expect(banner).not.toContain('"event"');
  expect(code).toBe(0);
});
