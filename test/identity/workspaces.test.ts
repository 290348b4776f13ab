import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueKey } from "../../daemon/identity/api-keys.ts";
import { type IdentityServer, startIdentityServer } from "../support/identity-server.ts";

let server: IdentityServer;
let childKey: string;
let teamKey: string;
let teamId: string;
beforeAll(async () => {
  server = await startIdentityServer();
  childKey = (await server.call("POST", "/v1/api-keys", { body: { label: "child" } })).body.key;
  teamId = (await server.call("POST", "/v1/admin/workspaces", { body: { name: "Team" } })).body.workspaceId;
  teamKey = (await server.call("POST", `/v1/admin/workspaces/${teamId}/api-keys`, { body: { label: "team" } })).body
    .key;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describe("the operator's routes", () => {
  test("are unknown, byte for byte, to everyone without the operator grant", async () => {
    const routes = [
      ["GET", "/v1/admin/workspaces"],
      ["POST", "/v1/admin/workspaces"],
      ["POST", "/v1/admin/users"],
      ["POST", `/v1/admin/workspaces/${teamId}/credits`],
      ["GET", "/v1/admin/settings"],
      ["PATCH", "/v1/admin/settings"],
      ["DELETE", "/v1/admin/settings"],
      ["OPTIONS", "/v1/admin/settings"],
    ] as const;
    const senders = [{ key: childKey }, { key: teamKey }, { key: null }, { key: issueKey().key }];

    for (const [method, path] of routes) {
      const unknown = await server.call(method, "/v1/admin/unknown", { key: null });
      const expected = unknown.text.replace("/v1/admin/unknown", path);
      for (const sender of senders) {
        for (const body of method === "GET" ? [undefined] : [undefined, {}, "{"]) {
          const answer = await server.call(method, path, { ...sender, ...(body !== undefined && { body }) });

          expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: expected });
        }
      }
    }
  });

  test("tell an operator about a wrong method", async () => {
    const answer = await server.call("DELETE", "/v1/admin/settings");

    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, PATCH, HEAD, OPTIONS");
  });

  test("make workspaces, with a free slug out of the name", async () => {
    const first = await server.call("POST", "/v1/admin/workspaces", { body: { name: "Équipe Données" } });
    const second = await server.call("POST", "/v1/admin/workspaces", { body: { name: "equipe donnees" } });
    const other = await server.call("POST", "/v1/admin/workspaces", { body: { name: "数据" } });

    expect([first.body.slug, second.body.slug, other.body.slug]).toEqual([
      "equipe-donnees",
      "equipe-donnees-2",
      "workspace",
    ]);
    const listed = (await server.call("GET", "/v1/admin/workspaces")).body.items;
    expect(listed).toContainEqual(first.body);
  });

  test("refuse a slug that is taken or that is none", async () => {
    const taken = await server.call("POST", "/v1/admin/workspaces", { body: { name: "Other", slug: "team" } });
    const wrong = await server.call("POST", "/v1/admin/workspaces", { body: { name: "Other", slug: "No Slug" } });

    expect([taken.status, wrong.status]).toEqual([409, 400]);
  });

  test("make a key for a workspace, named by id or slug", async () => {
    const bySlug = await server.call("POST", "/v1/admin/workspaces/team/api-keys", { body: { label: "by-slug" } });

    const mine = await server.call("GET", "/v1/auth/whoami", { key: bySlug.body.key });

    expect(mine.body.workspace.workspaceId).toBe(teamId);
  });

  test("an operator hands the grant on, if asked to", async () => {
    const { body } = await server.call("POST", "/v1/admin/workspaces/team/api-keys", {
      body: { label: "boss", operator: true },
    });

    expect(body.operator).toBe(true);
    expect((await server.call("GET", "/v1/admin/workspaces", { key: body.key })).status).toBe(200);
  });

  test("add a user to a workspace", async () => {
    const body = { username: "ada", email: "ada@example.com", workspaceId: "team" };

    const answer = await server.call("POST", "/v1/admin/users", { body });

    expect(answer).toMatchObject({
      status: 201,
      body: { ...body, workspaceId: teamId, userId: expect.stringMatching(/./) },
    });
  });

  test("say which workspace is unknown", async () => {
    const answer = await server.call("POST", "/v1/admin/users", { body: { username: "ada", workspaceId: "nobody" } });

    expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('"nobody"') } });
  });

  test("change settings, and refuse ones that do not exist", async () => {
    const changed = await server.call("PATCH", "/v1/admin/settings", { body: { discoverFloor: 0.5 } });
    const wrong = await server.call("PATCH", "/v1/admin/settings", { body: { discoverFlor: 0.5 } });

    expect(changed.body).toMatchObject({ mirrorProviderStatus: false, discoverFloor: 0.5, discoverPool: 200 });
    expect(wrong).toMatchObject({ status: 400, body: { message: expect.stringContaining("discoverFlor") } });
  });
});

describe("another workspace", () => {
  test.each([
    ["GET", "/v1/api-keys/LABEL"],
    ["PATCH", "/v1/api-keys/LABEL"],
    ["DELETE", "/v1/api-keys/LABEL"],
    ["POST", "/v1/api-keys/LABEL/revoke"],
  ])("%s %s of its key is answered as for an unknown one, byte for byte", async (method, path) => {
    const options = { key: teamKey, ...(method === "PATCH" && { body: { label: "mine" } }) };

    const foreign = await server.call(method, path.replace("LABEL", "child"), options);
    const unknown = await server.call(method, path.replace("LABEL", "qwert"), options);

    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(unknown.text.replace("qwert", "child"));
  });

  test("has labels of its own", async () => {
    const answer = await server.call("POST", "/v1/api-keys", { key: teamKey, body: { label: "child" } });

    expect(answer.status).toBe(201);
  });

  test("has a wallet of its own, which starts at 0", async () => {
    const answer = await server.call("GET", "/v1/wallet/balance", { key: teamKey });

    expect(answer.body).toEqual({ balance: { value: 0, currency: "USD" }, held: { value: 0, currency: "USD" } });
  });
});

describe("resources, of which there are none yet", () => {
  test("the list is an empty page", async () => {
    const answer = await server.call("GET", "/v1/resources?limit=100&state=ACTIVE&includeChildren=true");

    expect(answer).toMatchObject({ status: 200, body: { items: [] } });
  });

  test.each([
    ["GET", "/v1/resources/01J"],
    ["GET", "/v1/resources/01J/external/inbox"],
    ["GET", "/v1/resources/01J/events"],
    ["POST", "/v1/resources/01J/release"],
  ])("%s %s is 404", async (method, path) => {
    const answer = await server.call(method, path);

    expect(answer).toMatchObject({ status: 404, body: { code: 404, message: "Resource 01J not found" } });
  });

  test.each(["resourceType=machine", "parent=x&includeChildren=true", "cursor=x", "limit=101", "state=active"])(
    "%s is 400",
    async (query) => {
      const answer = await server.call("GET", `/v1/resources?${query}`);

      expect(answer.status).toBe(400);
    },
  );
});
