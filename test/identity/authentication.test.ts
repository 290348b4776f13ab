import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueKey } from "../../daemon/identity/api-keys.ts";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";
import { rawHead } from "../support/raw-request.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describe("Authentication", () => {
  test("a route under /v1 takes Authorization: Bearer with a key of this service", async () => {
    const answer = await server.call("GET", "/v1/auth/whoami");

    expect(answer.status).toBe(200);
  });

  test("monid_live_… is the same key as mkt_live_…", async () => {
    const answer = await server.call("GET", "/v1/auth/whoami", { key: server.ownerKey.replace(/^mkt/, "monid") });

    expect(answer.status).toBe(200);
  });

  test.each(["bearer", "BEARER", "Bearer  "])("the scheme may be written %j", async (scheme) => {
    const answer = await server.call("GET", "/v1/auth/whoami", {
      key: null,
      headers: { authorization: `${scheme} ${server.ownerKey}` },
    });

    expect(answer.status).toBe(200);
  });

  test("a key that is revoked while its request arrives is refused", async () => {
    const { key } = (await server.call("POST", "/v1/api-keys", { body: { label: "late" } })).body;
    const body = JSON.stringify({ label: "made by late" });
    const socket = connect(server.http.port, "127.0.0.1");
    let received = "";
    socket.setEncoding("latin1").on("data", (piece: string) => (received += piece));
    socket.write(
      rawHead(
        "POST /v1/api-keys HTTP/1.1",
        `Host: 127.0.0.1:${server.http.port}`,
        `Authorization: Bearer ${key}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "Expect: 100-continue",
        "Connection: close",
      ),
    );
    // Its head was let in: the service asks for the body.
    await once(socket, "data");

    await server.call("POST", "/v1/api-keys/late/revoke");
    socket.write(body);
    await once(socket, "close");

    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 401 /);
  });

  test("missing, malformed, unknown, expired and revoked keys all get the same answer", async () => {
    const expiresAt = new Date(server.clock.nowMs + 60_000).toISOString();
    const expiring = (await server.call("POST", "/v1/api-keys", { body: { label: "expiring", expiresAt } })).body.key;
    const revoked = (await server.call("POST", "/v1/api-keys", { body: { label: "revoked" } })).body.key;
    expect((await server.call("GET", "/v1/auth/whoami", { key: expiring })).status).toBe(200);
    await server.call("POST", "/v1/api-keys/revoked/revoke");
    server.clock.nowMs += 60_000;

    const answers = await Promise.all([
      server.call("GET", "/v1/auth/whoami", { key: null }),
      server.call("GET", "/v1/auth/whoami", { key: "nonsense" }),
      server.call("GET", "/v1/auth/whoami", { key: `${server.ownerKey}x` }),
      server.call("GET", "/v1/auth/whoami", { key: issueKey().key }),
      server.call("GET", "/v1/auth/whoami", { key: expiring }),
      server.call("GET", "/v1/auth/whoami", { key: revoked }),
      server.call("GET", "/v1/auth/whoami", { key: null, headers: { authorization: `Basic ${server.ownerKey}` } }),
    ]);

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 401,
      body: { code: 401, message: expect.stringMatching(/^Unauthorized: .*mkt keys/) },
    });
    expect(answers[0]?.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("credentials come before the body: a stranger is not told what is wrong with it", async () => {
    const answer = await server.call("POST", "/v1/api-keys", { key: null, body: "{" });

    expect(answer.status).toBe(401);
  });
});

describe("Identity operations", () => {
  test("whoami returns the user and the key's workspace", async () => {
    const { body } = await server.call("GET", "/v1/auth/whoami");

    expect(body).toMatchObject({
      user: { userId: expect.stringMatching(/./), username: "owner", metadata: {} },
      workspace: { workspaceId: expect.stringMatching(/./), name: "Default", slug: "default", metadata: {} },
      credential: { kind: "api_key", scopes: ["*"], defaultScopes: ["*"], operator: true },
    });
    expect(new Date(body.user.createdAt).toISOString()).toBe(body.user.createdAt);
  });

  // "The workspace is absent when the caller belongs to none": a key is bound to a workspace, so that no key shows it.
  test("a key lists exactly its own workspace, even when its user is a member of others", async () => {
    await server.call("POST", "/v1/admin/workspaces", { body: { name: "Second" } });
    const { workspace } = (await server.call("GET", "/v1/auth/whoami")).body;

    const answer = await server.call("GET", "/v1/auth/workspaces", { headers: { "x-workspace-id": "another" } });

    expect(answer.body).toEqual({ workspaces: [{ workspaceId: workspace.workspaceId, slug: "default" }] });
  });
});
