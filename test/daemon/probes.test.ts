import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon({ config: { allowedHosts: ["market.example.org"] } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const portOf = (url: string) => Number(new URL(url).port);
const ask = (...lines: string[]) => rawRequest(portOf(daemon.url), rawHead(...lines));

describe("a probe of /health", () => {
  test.each([
    ["Kubernetes, by the address of the pod", ["GET /health HTTP/1.1", "Host: 10.42.0.17:7717", "Connection: close"]],
    ["HAProxy, in HTTP/1.0 without a name", ["GET /health HTTP/1.0"]],
    ["a composition, by the name of the container", ["GET /health HTTP/1.1", "Host: mkt"]],
  ])("of %s is told that the service is up, and nothing else", async (_, lines) => {
    const answer = await ask(...lines);

    expect(answer).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(Object.keys(answer.body)).toEqual(["status"]);
    expect([...answer.headers.keys()]).not.toContain("x-mkt-version");
  });

  test("under a name of the service is told the version and the rest, as before", async () => {
    const answer = await ask("GET /health HTTP/1.1", "Host: market.example.org");

    expect(answer.body).toEqual({ status: "ok", version: "0.1.0", uptimeMs: expect.any(Number), storage: "ok" });
    expect(answer.headers.get("x-mkt-version")).toBe("0.1.0");
  });

  test.each([
    ["a page of another origin", ["Host: evil.example", "Origin: http://evil.example"]],
    ["a page of another site", ["Host: evil.example", "Sec-Fetch-Site: cross-site"]],
    ["two names", ["Host: 10.0.0.1", "Host: evil.example"]],
  ])("from %s is refused", async (_, headers) => {
    const { status } = await ask("GET /health HTTP/1.1", ...headers);

    expect(status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    "/healthy",
    "/health/../v1/runs",
    "/public/v1/categories",
    "/v1/auth/whoami",
    "//health",
    "/openapi.json",
  ])("opens no other path: %s stays closed to a name that is not known", async (path) => {
    const answer = await ask(`GET ${path} HTTP/1.1`, "Host: 10.42.0.17:7717", `Authorization: Bearer ${daemon.key}`);

    expect(answer.status).toBe(403);
  });

  test("is a GET; other methods need a name of the service", async () => {
    const answer = await ask("POST /health HTTP/1.1", "Host: 10.42.0.17:7717", "Content-Length: 0");

    expect(answer.status).toBe(403);
  });

  test("finds nothing on the port of the registry", async () => {
    const head = rawHead("GET /health HTTP/1.1", "Host: 10.42.0.17:7718");

    expect((await rawRequest(portOf(daemon.registryUrl), head)).status).toBe(403);
  });
});
