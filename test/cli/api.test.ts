import { describe, expect, test } from "vitest";
import { lastLine, runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { startStandIn, type StandInRoutes } from "./stand-in-service.ts";

const body = '{"z":1,"a":12345678901234567890}';
const routes: StandInRoutes = {
  "GET /v1/any/thing": { text: body },
  "POST /v1/any": ({ body: sent }) => ({ body: { sent } }),
  "DELETE /v1/any": { status: 204 },
  "GET /llms.txt": { headers: { "content-type": "text/plain" }, text: "# mkt\n" },
  "GET /v1/broken": { status: 503, headers: { "retry-after": "7" }, body: { code: 503, message: "Busy" } },
};

const api = async (words: readonly string[], options: { tty?: boolean; stdin?: string } = {}) => {
  await using service = await startStandIn(routes);
  const outcome = await runMkt(["api", ...words], { ...service, ...options });
  return { ...outcome, requests: service.requests };
};

describe("mkt api", () => {
  test("prints the answer unchanged, to the last digit", async () => {
    expect(await api(["GET", "/v1/any/thing"])).toMatchObject({ exitCode: 0, stdout: `${body}\n`, stderr: "" });
  });

  test("sends the query, headers and the key, which is never an argument", async () => {
    const { requests } = await api([
      "get",
      "v1/any/thing",
      "--query",
      "limit=2",
      "--query",
      "q=a b",
      "-H",
      "X-Mkt-Client: api",
    ]);

    expect(requests).toMatchObject([
      {
        method: "GET",
        path: "/v1/any/thing",
        query: { limit: "2", q: "a b" },
        headers: { "x-mkt-client": "api", authorization: "Bearer mkt_test_key" },
      },
    ]);
  });

  test("takes a query in the path as well", async () => {
    const { requests } = await api(["GET", "/v1/any/thing?limit=2&q=a%20b", "--query", "limit=3"]);

    expect(requests[0]).toMatchObject({ path: "/v1/any/thing", query: { limit: "3", q: "a b" } });
  });

  test.each([
    ["given", ["-i", '{"a":1}'], ""],
    ["over standard input", ["-i", "-"], '{"a":1}'],
  ])("sends a body %s", async (_where, words, stdin) => {
    const { stdout } = await api(["POST", "/v1/any", ...words], { stdin });

    expect(JSON.parse(stdout)).toEqual({ sent: { a: 1 } });
  });

  test("gives each POST an idempotency key of its own, or the one that it is told", async () => {
    const first = await api(["POST", "/v1/any"]);
    const second = await api(["POST", "/v1/any"]);
    const told = await api(["POST", "/v1/any", "--idempotency-key", "mine"]);
    const read = await api(["GET", "/v1/any/thing"]);

    const keyOf = ({ requests }: typeof first) => requests[0]?.headers["idempotency-key"];
    expect(keyOf(first)).toMatch(/^[0-9A-Z]{26}$/);
    expect(keyOf(second)).not.toBe(keyOf(first));
    expect(keyOf(told)).toBe("mine");
    expect(keyOf(read)).toBeUndefined();
  });

  test("says that there is no body where there is none", async () => {
    expect(await api(["DELETE", "/v1/any"])).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "Done (204): there is no body.\n",
    });
  });

  test("with --json prints null for it, so that stdout is one value", async () => {
    expect(await api(["DELETE", "/v1/any", "--json"])).toMatchObject({ exitCode: 0, stdout: "null\n" });
  });

  test("prints text as text, and JSON for people indented", async () => {
    expect((await api(["GET", "/llms.txt"])).stdout).toBe("# mkt\n");
    expect((await api(["POST", "/v1/any", "-i", "{}"], { tty: true })).stdout).toBe('{\n  "sent": {}\n}\n');
  });

  test("has --jq and --fields as every command", async () => {
    expect((await api(["GET", "/v1/any/thing", "--jq", ".z"])).stdout).toBe("1\n");
    expect((await api(["GET", "/v1/any/thing", "--fields", "z"])).stdout).toBe('{"z":1}\n');
  });

  test("ends with the same codes as every command", async () => {
    const { exitCode, stdout, stderr } = await api(["GET", "/v1/broken", "--json"]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: "" });
    expect(JSON.parse(lastLine(stderr))).toMatchObject({ code: 503, message: "Busy Try again in 7 seconds." });
  });

  test.each([
    [["FETCH", "/v1/runs"], "It must be one of GET, POST, PUT, PATCH, DELETE."],
    [["GET", "https://elsewhere.example/v1"], "It must be a path such as /v1/runs"],
    [["GET", "//elsewhere.example/v1"], "It must be a path such as /v1/runs"],
    [["GET", "/v1/../../other"], "It must not have . or .. in it."],
    [["GET", "/v1/%2E%2e/other"], "It must not have . or .. in it."],
    [["GET", "/v1/runs/{runId}"], "It must be a path without braces"],
    [["GET", "/v1/runs", "-H", "Authorization: Bearer x"], "never from an argument"],
    [["GET", "/v1/runs", "-H", "Host: elsewhere.example"], "host is set by mkt"],
    [["GET", "/v1/runs", "-H", "no colon"], "It must be name: value"],
  ])("%j is wrong usage, and nothing is sent", async (words, message) => {
    const { exitCode, stderr, requests } = await api(words);

    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
    expect(stderr).toContain(message);
  });

  test("names a route that is near, of a real service", async () => {
    await using daemon = await startTestDaemon();

    const { exitCode, stderr } = await runMkt(["api", "GET", "/v1/walet/balance"], {
      env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key },
    });

    expect(exitCode).toBe(8);
    expect(stderr).toContain("Did you mean GET /v1/wallet/balance");
    expect(lastLine(stderr)).toContain("next: mkt api GET /openapi.json --jq '.paths | keys[]'");
  });
});
