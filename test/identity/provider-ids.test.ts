import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { derivedId } from "../../daemon/identity/jwt/subject-ids.ts";
import { phonedesk, scriptPhones } from "../resources/phone-market.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** On the wire users and workspaces of an identity provider have its own ids. docs/contract.md, "Ids on the wire". */

let provider: IdentityProvider;
let upstream: FakeProvider;
let daemon: TestDaemon;
beforeAll(async () => {
  provider = await startIdentityProvider();
  upstream = await startFakeProvider();
  scriptPhones(upstream);
  const rent = { type: "BY_PERIOD", amount: 0.01, period: { unit: "MONTH", count: 1 } };
  const environment = { ...provider.environment, MKT_JWT_METADATA_CLAIMS: "department, groups" };
  daemon = await startTestDaemon({ environment, manifests: { phonedesk: phonedesk(upstream.url, { rent }) } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function ask(
  key: string,
  path: string,
  { method = "GET", body, headers }: { method?: string; body?: object; headers?: Record<string, string> } = {},
) {
  return await request(`${daemon.url}${path}`, method, { key, body, headers });
}
const credit = { amount: { value: 5, currency: "USD" }, reason: "test" };

describe("the wire says the provider's ids", () => {
  test("of the user and the workspace, wherever they are named", async () => {
    const key = await provider.token({ sub: "auth0|ada", org_id: "org_ada", org_name: "Ada's" });
    const post = async (path: string, body: object) => await ask(key, path, { method: "POST", body });
    const who = (await ask(key, "/v1/auth/whoami")).body;
    await daemon.request("POST", "/v1/admin/workspaces/org_ada/credits", credit);
    const made = await post("/v1/api-keys", { label: "k", scopes: ["*"] });
    const limitAmount = { value: 5, unit: "DOLLAR", currency: "USD" };
    const budget = await post("/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
    const runCap = await post("/v1/controls/workspace/run-caps", { limitAmount });
    const run = await post("/v1/run", { provider: "phonedesk", endpoint: "/numbers/buy", input: { country: "PT" } });
    const { resourceId } = run.body.resources[0];
    await ask(key, `/v1/resources/${resourceId}/release`, { method: "POST" });
    const everything = await Promise.all(
      [
        "/v1/auth/workspaces",
        "/v1/runs",
        `/v1/runs/${run.body.runId}`,
        "/v1/runs/export?format=csv",
        "/v1/resources",
        `/v1/resources/${resourceId}`,
        "/v1/api-keys",
        "/v1/controls/workspace/budgets",
        "/v1/controls/workspace/run-caps",
      ].map(async (path) => await ask(key, path)),
    );
    const all = await daemon.request("GET", "/v1/admin/workspaces");

    expect(who).toMatchObject({ user: { userId: "auth0|ada" }, workspace: { workspaceId: "org_ada" } });
    expect(made.body).toMatchObject({ owner: "auth0|ada", createdBy: "USER#auth0|ada" });
    expect([budget.body.workspaceId, runCap.body.workspaceId]).toEqual(["org_ada", "org_ada"]);
    expect(everything[0]?.body.workspaces).toMatchObject([{ workspaceId: "org_ada" }]);
    expect(everything[1]?.body.items).toMatchObject([{ caller: "USER#auth0|ada", owner: "auth0|ada" }]);
    expect(everything[5]?.body).toMatchObject({ provisionedBy: "USER#auth0|ada", releasedBy: "USER#auth0|ada" });
    expect(all.body.items).toContainEqual(expect.objectContaining({ workspaceId: "org_ada" }));
    const inside = [
      derivedId("user", provider.issuer, "auth0|ada"),
      derivedId("workspace", provider.issuer, "org_ada"),
    ];
    for (const { status, text } of [...everything, all, made, budget, runCap]) {
      expect(status).toBeLessThan(300);
      for (const id of inside) expect(text).not.toContain(id);
    }
  });

  test("to a key of the workspace too, and both old and new ids choose it", async () => {
    const ofOrganisation = await provider.token({ sub: "bea", org_id: "org_bea" });
    const made = await ask(ofOrganisation, "/v1/api-keys", { method: "POST", body: { label: "k" } });
    const plain = await provider.token({ sub: "bea" });

    const byKey = (await ask(made.body.key, "/v1/auth/whoami")).body;
    expect(byKey).toMatchObject({ user: { userId: "bea" }, workspace: { workspaceId: "org_bea" } });
    for (const named of ["org_bea", derivedId("workspace", provider.issuer, "org_bea")]) {
      const headers = { "x-workspace-id": named, "x-mkt-client": "cli" };
      expect((await ask(plain, "/v1/auth/whoami", { headers })).body.workspace.workspaceId).toBe("org_bea");
      expect((await ask(daemon.key, "/v1/auth/whoami", { headers })).body.workspace.workspaceId).toBe("org_bea");
    }
  });

  test.each(["a/b c", "x".repeat(255), "../admin", "org?x=1#y", "数据", "a\u0007b"])("however odd: %j", async (id) => {
    const token = await provider.token({ sub: id, org_id: id });

    const { body } = await ask(token, "/v1/auth/whoami");
    const credited = await daemon.request("POST", `/v1/admin/workspaces/${encodeURIComponent(id)}/credits`, credit);

    expect([body.user.userId, body.workspace.workspaceId]).toEqual([id, id]);
    expect(credited).toMatchObject({ status: 201, body: { workspaceId: id, balance: { value: 5 } } });
  });
});

describe("ids do not collide", () => {
  test("a token that calls its user or organisation by an id of this service's own lets nobody in", async () => {
    const { user, workspace } = (await daemon.request("GET", "/v1/auth/whoami")).body;

    const answers = await Promise.all([
      ask(await provider.token({ sub: user.userId }), "/v1/auth/whoami"),
      ask(await provider.token({ sub: "thief", org_id: workspace.workspaceId }), "/v1/auth/whoami"),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect((await daemon.request("GET", "/v1/auth/whoami")).body.workspace).toEqual(workspace);
  });

  test("another issuer's user of the same name is somebody else, and the wire tells them apart", async () => {
    using home = mktHome();
    await using other = await startIdentityProvider();
    const whoIs = async (of: IdentityProvider, now: IdentityProvider, key?: string) => {
      await using one = await startTestDaemon({ home, environment: now.environment });
      const token = key ?? (await of.token({ sub: "ada", org_id: "org_1" }));
      const made = await request(`${one.url}/v1/api-keys`, "POST", {
        key: token,
        body: { label: `k-${Math.random()}` },
      });
      return { ...(await request(`${one.url}/v1/auth/whoami`, "GET", { key: token })).body, key: made.body.key };
    };

    const before = await whoIs(provider, provider);
    const after = await whoIs(other, other);
    const oldKey = await whoIs(provider, other, before.key);
    const back = await whoIs(provider, provider);

    expect([before.user.userId, after.user.userId]).toEqual(["ada", "ada"]);
    expect(oldKey.user.userId).toBe(derivedId("user", provider.issuer, "ada"));
    expect(oldKey.workspace.workspaceId).toBe(derivedId("workspace", provider.issuer, "org_1"));
    expect(oldKey.workspace.createdAt).toBe(before.workspace.createdAt);
    expect(after.workspace.createdAt).not.toBe(before.workspace.createdAt);
    expect(back.workspace).toEqual(before.workspace);
  });

  test("the journal has this service's own ids, as folders of before have: the same person finds the same things", async () => {
    using home = mktHome();
    const token = await provider.token({ sub: "zoe", org_id: "org_zoe" });
    {
      await using one = await startTestDaemon({ home, environment: provider.environment });
      await request(`${one.url}/v1/auth/whoami`, "GET", { key: token });
    }
    const log = join(home.environment["MKT_DATA_DIR"] ?? "", "log");
    const lines = readdirSync(log)
      .map((name) => readFileSync(join(log, name), "utf8"))
      .join("");

    expect(lines).toContain(`"userId":"${derivedId("user", provider.issuer, "zoe")}"`);
    expect(lines).toContain(`"workspaceId":"${derivedId("workspace", provider.issuer, "org_zoe")}"`);
  });
});

describe("metadata", () => {
  test("is what the named claims say, to tokens and keys alike, and follows the newest token", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const token = async (iat: number, claims: object) =>
      await provider.token({ sub: "meta", org_id: "org_meta", iat, ...claims });
    const metadataOf = async (key: string) => (await ask(key, "/v1/auth/whoami")).body.user.metadata;
    const first = await token(now - 10, { department: "data", groups: ["a", "b"], secret: "x" });

    expect(await metadataOf(first)).toEqual({ department: "data", groups: ["a", "b"] });
    const { key } = (await ask(first, "/v1/api-keys", { method: "POST", body: { label: "k" } })).body;
    expect(await metadataOf(await token(now - 5, { department: "research" }))).toEqual({ department: "research" });
    expect(await metadataOf(first)).toEqual({ department: "research" });
    expect(await metadataOf(key)).toEqual({ department: "research" });
  });

  test("is there after a restart", async () => {
    using home = mktHome();
    const environment = { ...provider.environment, MKT_JWT_METADATA_CLAIMS: "department" };
    const ids = { sub: "m2", org_id: "org_m2" };
    const read = async (key: string) => {
      await using one = await startTestDaemon({ home, environment });
      return (await request(`${one.url}/v1/auth/whoami`, "GET", { key })).body.user.metadata;
    };
    const now = Math.floor(Date.now() / 1_000);

    await read(await provider.token({ ...ids, iat: now - 9, department: "one" }));
    await read(await provider.token({ ...ids, iat: now - 8, department: "two" }));

    expect(await read(await provider.token({ ...ids, iat: now - 20, department: "old" }))).toEqual({
      department: "two",
    });
  });
});
