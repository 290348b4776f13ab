import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";
import { rawHead, rawRequest } from "../support/raw-request.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer({ allowedHosts: ["mkt.example.com", "proxy.example.com:8443"] });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const paths = ["/v1/auth/whoami", "/public/v1/categories", "/health", "/nothing", "/v1/admin/settings"];
const get = (path: string, ...headers: string[]) =>
  rawRequest(server.http.port, rawHead(`GET ${path} HTTP/1.1`, ...headers, `Authorization: Bearer ${server.ownerKey}`));
const ownHost = () => `Host: 127.0.0.1:${server.http.port}`;

describe("the name that a request is for", () => {
  test.each(paths)("a foreign Host is 403 on %s", async (path) => {
    const answer = await get(path, `Host: evil.com:${server.http.port}`);

    expect(answer).toMatchObject({ status: 403, body: { code: 403 } });
  });

  test.each([
    "evil.com",
    "localhost.evil.com",
    "evil.localhost",
    "127.0.0.1.nip.io",
    "localhost",
    "127.0.0.1:1",
    "localhost.:PORT",
    "mkt.example.com.evil.com",
    "proxy.example.com:8444",
    "127.0.0.1:PORT@evil.com",
    "127.0.0.1:PORT, evil.com",
    "0.0.0.0:PORT",
  ])("Host %s is 403", async (host) => {
    const answer = await get("/v1/auth/whoami", `Host: ${host.replace("PORT", String(server.http.port))}`);

    expect(answer.status).toBe(403);
  });

  test.each([
    "localhost:PORT",
    "LocalHost:PORT",
    "[::1]:PORT",
    "mkt.example.com",
    "mkt.example.com:443",
    "proxy.example.com:8443",
  ])("Host %s is taken", async (host) => {
    const answer = await get("/v1/auth/whoami", `Host: ${host.replace("PORT", String(server.http.port))}`);

    expect(answer.status).toBe(200);
  });

  test("a missing Host is 400, in HTTP/1.0 too", async () => {
    const newer = await get("/v1/auth/whoami");
    const older = await rawRequest(server.http.port, rawHead("GET /v1/auth/whoami HTTP/1.0"));

    expect([newer.status, older.status]).toEqual([400, 400]);
    expect(newer.body).toMatchObject({ code: 400, message: "Host: the header is missing" });
  });

  test("two Hosts are 400, even if both are right", async () => {
    const answer = await get("/v1/auth/whoami", ownHost(), ownHost());

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 400, message: expect.stringContaining("more than once") },
    });
  });

  test.each([1_000, 2_000, 2_500])("a second Host is found behind %i short headers", async (count) => {
    const fillers = Array.from({ length: count }, () => "a:");

    const answer = await get("/v1/auth/whoami", ownHost(), ...fillers, "Host: evil.com");

    expect(answer.status).toBe(431);
    expect(answer.body).toMatchObject({ code: 431, message: expect.stringContaining(`${count + 3} headers`) });
  });

  test("a probe of any name is not answered behind so many headers", async () => {
    const fillers = Array.from({ length: 2_000 }, () => "a:");

    expect((await get("/health", "Host: evil.com", ...fillers)).status).toBe(431);
  });

  test("as many headers as clients behind several proxies send are taken", async () => {
    const fillers = Array.from({ length: 150 }, (_, n) => `X-Hop-${n}: ${n}`);

    expect((await get("/v1/auth/whoami", ownHost(), ...fillers)).status).toBe(200);
  });

  test("a whole URL as target is judged by its own host", async () => {
    const foreign = await get("http://evil.com/v1/auth/whoami", ownHost());
    const own = await get(`http://127.0.0.1:${server.http.port}/v1/auth/whoami`, ownHost());

    expect([foreign.status, own.status]).toEqual([403, 200]);
  });
});

describe("requests that web pages send", () => {
  test.each([
    "https://evil.com",
    "null",
    "http://evil.localhost",
    "http://localhost:1",
    "https://localhost.evil.com",
    "file://",
  ])("Origin %s is 403 and gets no CORS header", async (origin) => {
    const answer = await get("/v1/auth/whoami", ownHost(), `Origin: ${origin}`);

    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a foreign Origin behind 2,000 short headers does not call", async () => {
    const fillers = Array.from({ length: 2_000 }, () => "a:");

    const answer = await get("/v1/auth/whoami", ownHost(), ...fillers, "Origin: https://evil.com");

    expect(answer.status).toBe(431);
  });

  test("the service's own origins may call, and get no CORS header either", async () => {
    const own = await get("/v1/auth/whoami", ownHost(), `Origin: http://localhost:${server.http.port}`);
    const configured = await get("/v1/auth/whoami", ownHost(), "Origin: https://mkt.example.com");

    expect([own.status, configured.status]).toEqual([200, 200]);
    expect(own.headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("a request of another site's page is 403", async () => {
    const answer = await get("/public/v1/categories", ownHost(), "Sec-Fetch-Site: cross-site");

    expect(answer.status).toBe(403);
  });

  test("a CORS preflight is refused", async () => {
    const answer = await rawRequest(
      server.http.port,
      rawHead("OPTIONS /v1/run HTTP/1.1", ownHost(), "Origin: https://evil.com", "Access-Control-Request-Method: POST"),
    );

    expect(answer.status).toBe(403);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "a form's POST as %s changes nothing",
    async (type) => {
      const body = '{"label":"stolen"}';
      const answer = await rawRequest(
        server.http.port,
        rawHead(
          "POST /v1/api-keys HTTP/1.1",
          ownHost(),
          `Authorization: Bearer ${server.ownerKey}`,
          `Content-Type: ${type}`,
          `Content-Length: ${body.length}`,
        ) + body,
      );

      expect(answer.status).toBe(415);
      expect((await server.call("GET", "/v1/api-keys")).text).not.toContain("stolen");
    },
  );

  test("a cookie is no credential", async () => {
    const answer = await server.call("GET", "/v1/auth/whoami", {
      key: null,
      headers: { cookie: `authorization=Bearer ${server.ownerKey}` },
    });

    expect(answer.status).toBe(401);
  });
});

describe("requests that two readers could take for two", () => {
  test.each(["xchunked", "chunked, identity", "gzip, chunked", "identity"])(
    "Transfer-Encoding: %s is refused",
    async (coding) => {
      const answer = await rawRequest(
        server.http.port,
        rawHead("POST /v1/api-keys HTTP/1.1", ownHost(), `Transfer-Encoding: ${coding}`),
      );

      expect(answer).toMatchObject({ status: 400, body: { code: 400 } });
      expect(answer.headers.get("connection")).toBe("close");
    },
  );

  test.each([
    ["Authorization: Bearer other"],
    ["Content-Type: application/json", "Content-Type: text/plain"],
    ["Idempotency-Key: one", "Idempotency-Key: two"],
    ["X-Workspace-Id: one", "X-Workspace-Id: two"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Content-Length: 0", "Content-Length: 5"],
  ])("what comes twice is 400: %s", async (...headers) => {
    const answer = await get("/v1/auth/whoami", ownHost(), ...headers);

    expect(answer.status).toBe(400);
  });

  test("two Origins are 400, even if both are right", async () => {
    const own = `Origin: http://127.0.0.1:${server.http.port}`;

    expect((await get("/v1/auth/whoami", ownHost(), own, own)).status).toBe(400);
  });

  test("a compressed body is found behind a plain one", async () => {
    const answer = await get("/v1/auth/whoami", ownHost(), "Content-Encoding: identity", "Content-Encoding: gzip");

    expect(answer.status).toBe(415);
  });

  test("chunks are understood", async () => {
    const body = '{"label":"chunked"}';
    const answer = await rawRequest(
      server.http.port,
      rawHead(
        "POST /v1/api-keys HTTP/1.1",
        ownHost(),
        `Authorization: Bearer ${server.ownerKey}`,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      ) + `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );

    expect(answer.status).toBe(201);
  });
});

test("the registry's server has nothing but the public routes", async () => {
  await using registry = await startIdentityServer({ publicOnly: true });

  const answers = await Promise.all(
    ["/v1/auth/whoami", "/v1/api-keys", "/v1/admin/settings"].map((path) => registry.call("GET", path)),
  );

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});
