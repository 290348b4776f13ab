import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";

let server: IdentityServer;
beforeEach(async () => {
  server = await startIdentityServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const create = (body: object, key?: string) =>
  server.call("POST", "/v1/api-keys", { body, ...(key !== undefined && { key }) });
const labels = async (query = "") => {
  const { body } = await server.call("GET", `/v1/api-keys${query}`);
  return body.items.map((item: { label: string }) => item.label);
};

describe("making a key", () => {
  test("the answer has the whole key, and no later one has", async () => {
    const created = await create({ label: "laptop" });
    const read = await server.call("GET", "/v1/api-keys/laptop");
    const listed = await server.call("GET", "/v1/api-keys");

    const { key, ...rest } = created.body;
    expect(created.status).toBe(201);
    expect(key).toMatch(/^mkt_live_[0-9A-Za-z]{49}$/);
    expect(read.body).toEqual(rest);
    expect(rest).toMatchObject({
      label: "laptop",
      status: "ACTIVE",
      origin: "API",
      scopes: ["*"],
      keyPrefix: key.slice(0, 17),
    });
    expect(read.text + listed.text + server.log.join()).not.toContain(key.slice(17));
  });

  test("it works at once, and without the operator grant", async () => {
    const { key } = (await create({ label: "laptop" })).body;

    const me = await server.call("GET", "/v1/auth/whoami", { key });

    expect(me).toMatchObject({ status: 200, body: { credential: { kind: "api_key" } } });
    expect(me.body.credential).not.toHaveProperty("operator");
    expect((await server.call("GET", "/v1/admin/workspaces", { key })).status).toBe(404);
  });

  test("a label that is taken is 409, also when two ask at once", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ label: "laptop" })));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain('"laptop"');
  });

  test.each([
    ["empty", { label: "" }],
    ["blank", { label: "   " }],
    ["longer than 64 characters", { label: "x".repeat(65) }],
    ["with a control character", { label: "a\u001b[2J" }],
    ["that turns text around", { label: "a\u202eb" }],
    ["a path of its own", { label: "scopes" }],
    ["two dots", { label: ".." }],
    ["missing", {}],
    ["not a text", { label: 7 }],
  ])("a label that is %s is 400 and named", async (_title, body) => {
    const answer = await create(body);

    expect(answer).toMatchObject({ status: 400, body: { code: 400, message: expect.stringMatching(/^label: /) } });
  });

  test.each(["ключ 🔑", "a/b", "50%", "x".repeat(64)])("a label may be %s and is found by it", async (label) => {
    await create({ label });

    const answer = await server.call("GET", `/v1/api-keys/${encodeURIComponent(label)}`);

    expect(answer).toMatchObject({ status: 200, body: { label } });
  });

  test("an end in the past is 400", async () => {
    const answer = await create({ label: "late", expiresAt: new Date(server.clock.nowMs).toISOString() });

    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^expiresAt: .*future/) } });
  });

  test("an end after the year 9999 in UTC is 400", async () => {
    const last = await create({ label: "last", expiresAt: "9999-12-31T23:59:59Z" });
    const beyond = await create({ label: "beyond", expiresAt: "9999-12-31T23:59:59-05:00" });

    expect(last).toMatchObject({ status: 201, body: { expiresAt: "9999-12-31T23:59:59.000Z" } });
    expect(beyond).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^expiresAt: .*year 10000/) } });
  });

  test("a key that ends makes none that outlives it", async () => {
    const expiresAt = new Date(server.clock.nowMs + 60_000).toISOString();
    const later = new Date(server.clock.nowMs + 120_000).toISOString();
    const { key } = (await create({ label: "short", expiresAt })).body;

    const asIs = await create({ label: "child" }, key);
    const longer = await create({ label: "longer", expiresAt: later }, key);

    expect(asIs.body.expiresAt).toBe(expiresAt);
    expect(longer.status).toBe(400);
  });
});

describe("scopes", () => {
  test("a missing scope is 403 with INSUFFICIENT_SCOPE", async () => {
    const { key } = (await create({ label: "runner", scopes: ["runs:create"] })).body;

    const answers = await Promise.all([
      server.call("GET", "/v1/api-keys", { key }),
      server.call("GET", "/v1/wallet/balance", { key }),
      create({ label: "child" }, key),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(answers[0]?.body).toMatchObject({
      code: 403,
      errorCode: "INSUFFICIENT_SCOPE",
      message: expect.stringContaining("api_keys:read"),
    });
  });

  test("whoami and the list of scopes need none", async () => {
    const { key } = (await create({ label: "runner", scopes: ["runs:create"] })).body;

    const answers = await Promise.all(
      ["/v1/auth/whoami", "/v1/auth/workspaces", "/v1/api-keys/scopes"].map((path) =>
        server.call("GET", path, { key }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test.each([
    [["api_keys:*"], ["*"], 403],
    [["api_keys:*"], ["api_keys:*", "runs:read"], 403],
    [["api_keys:create", "runs:read"], ["runs:*"], 403],
    [["api_keys:create", "runs:*"], ["runs:read"], 201],
    [["api_keys:*", "runs:*"], ["api_keys:create", "runs:*"], 201],
  ])("a key with %j that makes one with %j gets %i", async (held, wanted, status) => {
    const { key } = (await create({ label: "parent", scopes: held })).body;

    const answer = await create({ label: "child", scopes: wanted }, key);

    expect(answer.status).toBe(status);
  });

  test("a child that names none gets its parent's", async () => {
    const { key } = (await create({ label: "parent", scopes: ["api_keys:create", "runs:read"] })).body;

    const child = await create({ label: "child" }, key);

    expect(child.body.scopes).toEqual(["runs:read", "api_keys:create"]);
  });

  test("every scope of the catalog can be given", async () => {
    const catalog = (await server.call("GET", "/v1/api-keys/scopes")).body;
    const scopes = catalog.resources.flatMap((resource: { key: string; actions: { key: string }[] }) =>
      resource.actions.map((action) => `${resource.key}:${action.key}`),
    );

    const answer = await create({ label: "all", scopes });

    expect(answer.status).toBe(201);
    expect(answer.body.scopes.length).toBe(scopes.length);
  });

  test("a scope that nobody knows is 400", async () => {
    const answer = await create({ label: "odd", scopes: ["runs:explode"] });

    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^scopes\[0\]: /) } });
  });
});

describe("the life of a key", () => {
  test("a revoked key is refused, its label is free, and it is still listed on demand", async () => {
    const first = (await create({ label: "laptop" })).body;

    const revoked = await server.call("POST", "/v1/api-keys/laptop/revoke");

    expect(revoked).toMatchObject({
      status: 200,
      body: { status: "REVOKED", revokedBy: expect.stringMatching(/^API_KEY#/) },
    });
    expect((await server.call("GET", "/v1/auth/whoami", { key: first.key })).status).toBe(401);
    expect((await server.call("GET", "/v1/api-keys/laptop")).status).toBe(404);
    expect((await create({ label: "laptop" })).status).toBe(201);
    expect(await labels("?status=REVOKED")).toEqual(["laptop"]);
    expect(await labels()).toEqual(["laptop", "owner"]);
  });

  test("DELETE revokes too, without a body", async () => {
    const { key } = (await create({ label: "laptop" })).body;

    const deleted = await server.call("DELETE", "/v1/api-keys/laptop");

    expect(deleted).toMatchObject({ status: 204, text: "" });
    expect((await server.call("GET", "/v1/auth/whoami", { key })).status).toBe(401);
    expect((await server.call("DELETE", "/v1/api-keys/laptop")).status).toBe(404);
  });

  test("a key may revoke itself", async () => {
    const { key } = (await create({ label: "laptop" })).body;

    await server.call("POST", "/v1/api-keys/laptop/revoke", { key });

    expect((await server.call("GET", "/v1/auth/whoami", { key })).status).toBe(401);
  });

  test("an expired key is listed as EXPIRED and keeps its label", async () => {
    await create({ label: "short", expiresAt: new Date(server.clock.nowMs + 1_000).toISOString() });
    server.clock.nowMs += 1_000;

    expect((await server.call("GET", "/v1/api-keys/short")).body.status).toBe("EXPIRED");
    expect(await labels("?status=EXPIRED")).toEqual(["short"]);
    expect(await labels("?status=ACTIVE,EXPIRED")).toEqual(["short", "owner"]);
    expect((await create({ label: "short" })).status).toBe(409);
  });

  test("a key is renamed, and works on", async () => {
    const { key } = (await create({ label: "laptop" })).body;

    const renamed = await server.call("PATCH", "/v1/api-keys/laptop", { body: { label: "desktop" } });

    expect(renamed).toMatchObject({ status: 200, body: { label: "desktop" } });
    expect((await server.call("GET", "/v1/api-keys/laptop")).status).toBe(404);
    expect((await server.call("GET", "/v1/auth/whoami", { key })).status).toBe(200);
  });

  test("renaming to a label that is taken is 409, to its own changes nothing, and to none is refused", async () => {
    await create({ label: "laptop" });

    const taken = await server.call("PATCH", "/v1/api-keys/laptop", { body: { label: "owner" } });
    const own = await server.call("PATCH", "/v1/api-keys/laptop", { body: { label: "laptop" } });
    const nothing = await server.call("PATCH", "/v1/api-keys/laptop", { body: {} });

    expect([taken.status, own.status, nothing.status]).toEqual([409, 200, 400]);
  });

  test("pages go from the newest key to the oldest, and the last one has no cursor", async () => {
    for (const label of ["a", "b", "c", "d"]) {
      await create({ label });
    }
    await server.call("POST", "/v1/api-keys/b/revoke");

    const first = await server.call("GET", "/v1/api-keys?limit=2");
    const second = await server.call("GET", `/v1/api-keys?limit=2&cursor=${first.body.cursor}`);

    expect(first.body.items.map((item: { label: string }) => item.label)).toEqual(["d", "c"]);
    expect(second.body.items.map((item: { label: string }) => item.label)).toEqual(["a", "owner"]);
    expect(second.body).not.toHaveProperty("cursor");
  });

  test.each(["limit=0", "limit=x", "limit=1.5", "status=active", "status=ACTIVE,", "cursor=mine"])(
    "%s is 400",
    async (query) => {
      const answer = await server.call("GET", `/v1/api-keys?${query}`);

      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain(query.split("=")[0]);
    },
  );
});

describe("the operator grant", () => {
  test("a key without it neither renames nor revokes one that has it", async () => {
    const { key } = (await create({ label: "everything", scopes: ["*"] })).body;

    const answers = [
      await server.call("PATCH", "/v1/api-keys/owner", { key, body: { label: "mine" } }),
      await server.call("POST", "/v1/api-keys/owner/revoke", { key }),
      await server.call("DELETE", "/v1/api-keys/owner", { key }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(answers[0]?.body.message).toBe(
      '"owner" has the operator grant: only a key that has it too may rename or revoke it',
    );
    expect((await server.call("GET", "/v1/api-keys/owner")).body).toMatchObject({ status: "ACTIVE", operator: true });
  });

  test("a key that has it renames and revokes another that has it", async () => {
    const { workspaceId } = (await server.call("GET", "/v1/auth/whoami")).body.workspace;
    const path = `/v1/admin/workspaces/${workspaceId}/api-keys`;
    await server.call("POST", path, { body: { label: "second", operator: true } });

    const renamed = await server.call("PATCH", "/v1/api-keys/second", { body: { label: "deputy" } });
    const revoked = await server.call("POST", "/v1/api-keys/deputy/revoke");

    expect([renamed.status, revoked.status]).toEqual([200, 200]);
  });

  test("is refused beside scopes that would not limit it, and given beside none or all", async () => {
    const { workspaceId } = (await server.call("GET", "/v1/auth/whoami")).body.workspace;
    const path = `/v1/admin/workspaces/${workspaceId}/api-keys`;

    const narrow = await server.call("POST", path, { body: { label: "a", operator: true, scopes: ["runs:read"] } });
    const all = await server.call("POST", path, { body: { label: "b", operator: true, scopes: ["*"] } });
    const none = await server.call("POST", path, { body: { label: "c", operator: true } });
    const plain = await server.call("POST", path, { body: { label: "d", scopes: ["runs:read"] } });

    expect(narrow).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^operator: .*runs:read/) } });
    expect([all, none, plain].map(({ status, body }) => [status, body.operator])).toEqual([
      [201, true],
      [201, true],
      [201, undefined],
    ]);
  });
});
