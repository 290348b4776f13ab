import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { request, type RequestOptions } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

let provider: IdentityProvider;
let daemon: TestDaemon;
beforeAll(async () => {
  provider = await startIdentityProvider();
  daemon = await startTestDaemon({ environment: provider.environment });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function ask(
  token: string,
  path: string,
  { method = "GET", ...options }: RequestOptions & { method?: string } = {},
) {
  return await request(`${daemon.url}${path}`, method, { key: token, ...options });
}

describe("a user comes with a token", () => {
  test("and is known by it from then on, named by the claims", async () => {
    const first = await ask(await provider.token({ sub: "grace", name: "Grace Hopper" }), "/v1/auth/whoami");
    const again = await ask(await provider.token({ sub: "grace", name: "Grace Hopper" }), "/v1/auth/whoami");

    expect(first.body.user).toMatchObject({
      username: "Grace Hopper",
      userId: "grace",
    });
    expect(first.body.credential).toMatchObject({
      kind: "session",
      scopes: ["*"],
      defaultScopes: ["runs:*", "resources:*", "wallet:*", "topups:*", "api_keys:*"],
    });
    expect(first.body.workspace).toBeUndefined();
    expect(again.body.user).toEqual(first.body.user);
  });

  test("whose names could not be kept as one is still a user", async () => {
    const token = await provider.token({ sub: "x\u202ey", name: "   ", email: "a\u0000b" });

    expect((await ask(token, "/v1/auth/whoami")).body.user).toMatchObject({ username: "user" });
  });

  test("is another one for another subject, however much they look alike", async () => {
    const one = await ask(await provider.token({ sub: "u1", email: "same@example.com" }), "/v1/auth/whoami");
    const other = await ask(await provider.token({ sub: "u2", email: "same@example.com" }), "/v1/auth/whoami");

    expect(one.body.user.userId).not.toBe(other.body.user.userId);
  });
});

describe("without an organisation", () => {
  test("whoami and the list of workspaces work", async () => {
    const token = await provider.token({ sub: "loner" });

    expect((await ask(token, "/v1/auth/whoami")).status).toBe(200);
    expect((await ask(token, "/v1/auth/workspaces")).body).toEqual({ workspaces: [] });
  });

  test.each(
    Object.values(operations)
      .filter(({ auth }) => auth === "workspace")
      .map(({ method, path }) => ({ method, path })),
  )("$method $path says which way to choose one", async ({ method, path }) => {
    const token = await provider.token({ sub: "loner" });

    const answer = await ask(token, path.replaceAll(/\{\w+\}/g, "x"), { method });

    expect(answer).toMatchObject({ status: 403, body: { code: 403, next: "mkt workspaces" } });
  });

  test("x-workspace-id chooses one of the user's, by id, slug or the provider's id of the organisation", async () => {
    const inOrg = await ask(await provider.token({ sub: "mary", org_id: "org_choose" }), "/v1/auth/whoami");
    const { workspaceId, slug } = inOrg.body.workspace;
    const token = await provider.token({ sub: "mary" });

    for (const named of [workspaceId, slug, "org_choose"]) {
      const answer = await ask(token, "/v1/wallet/balance", { headers: { "x-workspace-id": named } });
      expect(answer.status).toBe(200);
    }
    expect((await ask(token, "/v1/wallet/balance")).status).toBe(403);
  });

  test("an organisation that calls itself by the id of another is not chosen by it", async () => {
    const sub = "eve-is-a-colleague";
    await ask(await provider.token({ sub, org_id: "org-2", org_name: "org-1" }), "/v1/auth/whoami");
    const meant = await ask(await provider.token({ sub, org_id: "org-1" }), "/v1/auth/whoami");

    const headers = { "x-workspace-id": "org-1" };
    const { body } = await ask(await provider.token({ sub }), "/v1/auth/whoami", { headers });

    expect(body.workspace.workspaceId).toBe(meant.body.workspace.workspaceId);
  });

  test("a workspace of others and one that is not there get the same 403", async () => {
    const token = await provider.token({ sub: "snoop" });
    const { workspace } = (await daemon.request("GET", "/v1/auth/whoami")).body;
    const named = [workspace.workspaceId, workspace.slug, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "nowhere", "org_choose"];

    const answers = await Promise.all(
      named.map((id) => ask(token, "/v1/wallet/balance", { headers: { "x-workspace-id": id } })),
    );

    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(403);
  });
});

describe("with an organisation", () => {
  test("the user acts in its workspace, which begins with no credit", async () => {
    const token = await provider.token({ sub: "ann", org_id: "org_1", org_name: "Acme Räder" });

    const { workspace } = (await ask(token, "/v1/auth/whoami")).body;

    expect(workspace).toMatchObject({ name: "Acme Räder", slug: "acme-rader" });
    expect((await ask(token, "/v1/wallet/balance")).body.balance.value).toBe(0);
    expect((await ask(token, "/v1/auth/workspaces")).body).toEqual({
      workspaces: [{ workspaceId: workspace.workspaceId, slug: "acme-rader" }],
    });
  });

  test("members of one organisation share a workspace, and each sees all of their own", async () => {
    const first = (await ask(await provider.token({ sub: "bob", org_id: "org_2" }), "/v1/auth/whoami")).body;
    const second = (await ask(await provider.token({ sub: "eve", org_id: "org_2" }), "/v1/auth/whoami")).body;
    await ask(await provider.token({ sub: "eve", org_id: "org_3" }), "/v1/auth/whoami");

    const { workspaces } = (await ask(await provider.token({ sub: "eve" }), "/v1/auth/workspaces")).body;

    expect(second.workspace.workspaceId).toBe(first.workspace.workspaceId);
    expect(workspaces).toHaveLength(2);
  });

  test("x-workspace-id is ignored, as it is for a key", async () => {
    const token = await provider.token({ sub: "carl", org_id: "org_4" });
    const own = (await ask(token, "/v1/auth/whoami")).body.workspace;

    const { workspace } = (await ask(token, "/v1/auth/whoami", { headers: { "x-workspace-id": "default" } })).body;

    expect(workspace).toEqual(own);
  });

  test("two organisations of one name get two slugs", async () => {
    const one = await ask(await provider.token({ sub: "d1", org_id: "org_5", org_name: "Twin" }), "/v1/auth/whoami");
    const two = await ask(await provider.token({ sub: "d2", org_id: "org_6", org_name: "Twin" }), "/v1/auth/whoami");

    expect(one.body.workspace.slug).toBe("twin");
    expect(two.body.workspace.slug).toMatch(/^twin-[0-9a-z]{5}$/);
  });

  test("fifty first requests of ten users at once make ten users and one workspace", async () => {
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, n) => provider.token({ sub: `crowd-${n % 10}`, org_id: "org_crowd" })),
    );

    const answers = await Promise.all(tokens.map((token) => ask(token, "/v1/auth/whoami")));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    expect(new Set(answers.map(({ body }) => body.user.userId)).size).toBe(10);
    expect(new Set(answers.map(({ body }) => body.workspace.workspaceId)).size).toBe(1);
    const { items } = (await daemon.request("GET", "/v1/admin/workspaces")).body;
    expect(items.filter(({ name }: { name: string }) => name === "org_crowd")).toHaveLength(1);
  });

  test("the claim may have another name", async () => {
    await using other = await startTestDaemon({
      environment: { ...provider.environment, MKT_JWT_ORG_CLAIM: "tenant" },
    });

    const token = await provider.token({ sub: "tina", tenant: "blue", org_id: "red" });

    const { body } = await request(`${other.url}/v1/auth/whoami`, "GET", { key: token });
    expect(body.workspace.name).toBe("blue");
  });
});

describe("what a session may do", () => {
  test("everything but the operator's", async () => {
    const token = await provider.token({ sub: "op", org_id: "org_op" });

    const unknown = await ask(token, "/v1/admin/nothing");

    expect(unknown.status).toBe(404);
    for (const path of ["/v1/admin/workspaces", "/v1/admin/settings", "/v1/admin/secrets"]) {
      const answer = await ask(token, path);
      expect(answer.text).toBe(unknown.text.replace("/v1/admin/nothing", path));
    }
  });

  test("it mints keys with everything except controls unless told otherwise, and a key passes its own grants on", async () => {
    const token = await provider.token({ sub: "minty", org_id: "org_mint" });
    const { user } = (await ask(token, "/v1/auth/whoami")).body;

    const plain = await ask(token, "/v1/api-keys", { method: "POST", body: { label: "plain" } });
    const all = await ask(token, "/v1/api-keys", { method: "POST", body: { label: "all", scopes: ["*"] } });
    const child = await ask(plain.body.key, "/v1/api-keys", { method: "POST", body: { label: "child" } });
    const wider = await ask(plain.body.key, "/v1/api-keys", {
      method: "POST",
      body: { label: "wider", scopes: ["controls:read"] },
    });

    expect(plain.body).toMatchObject({
      scopes: ["runs:*", "resources:*", "wallet:*", "topups:*", "api_keys:*"],
      createdBy: `USER#${user.userId}`,
      owner: user.userId,
    });
    expect(all.body.scopes).toEqual(["*"]);
    expect(child.body.scopes).toEqual(plain.body.scopes);
    expect(wider).toMatchObject({ status: 403, body: { errorCode: "INSUFFICIENT_SCOPE" } });
  });
});

test("users and memberships outlive the daemon", async () => {
  using home = mktHome();
  const token = await provider.token({ sub: "stayer", org_id: "org_stay" });
  const whoami = async () => {
    await using one = await startTestDaemon({ home, environment: provider.environment });
    return (await request(`${one.url}/v1/auth/whoami`, "GET", { key: token })).body;
  };

  const before = await whoami();
  const after = await whoami();

  expect(after).toEqual(before);
});
