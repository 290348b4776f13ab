import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pickWorkspace } from "../../daemon/identity/named-workspace.ts";
import type { WorkspaceRecord } from "../../daemon/ledger/records/identity-records.ts";
import { operations } from "../../shared/contract/index.ts";
import { errorStatuses, type Operation } from "../../shared/contract/operation.ts";
import { call } from "../mcp/call.ts";
import { connectOverStdio } from "../mcp/connect-mcp.ts";
import { examplePath, exampleRequest } from "../spec/example-request.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { request } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/** A workspace that was named is used or refused. docs/contract.md, "Workspaces". */

let provider: IdentityProvider;
let daemon: TestDaemon;
let research: { workspaceId: string; key: string };
beforeAll(async () => {
  provider = await startIdentityProvider();
  daemon = await startTestDaemon({ environment: provider.environment, bundled: true });
  const made = await daemon.request("POST", "/v1/admin/workspaces", { name: "Research Team", slug: "research" });
  const { workspaceId } = made.body;
  const minted = await daemon.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "first" });
  await daemon.request("POST", "/v1/admin/workspaces/research/credits", dollars(5));
  research = { workspaceId, key: minted.body.key };
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const dollars = (value: number) => ({ amount: { value, currency: "USD" }, reason: "test" });
const budget = { period: "DAY", limitAmount: { value: 5, unit: "DOLLAR", currency: "USD" } };

async function ask(
  path: string,
  key: string,
  workspace: string,
  { method = "GET", body }: { method?: string; body?: object } = {},
) {
  const headers = { "x-workspace-id": workspace, "x-mkt-client": "cli" };
  return await request(`${daemon.url}${path}`, method, { key, body, headers });
}

async function mkt(words: string[], env: Record<string, string> = {}) {
  return await runMkt(words, { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key, ...env } });
}

describe("an operator acts in any workspace", () => {
  test("by its id, its slug or its name, whatever client asks", async () => {
    for (const named of [research.workspaceId, "research", "Research Team"]) {
      const ours = await ask("/v1/auth/whoami", daemon.key, named);
      const curl = await request(`${daemon.url}/v1/wallet/balance`, "GET", {
        key: daemon.key,
        headers: { "x-workspace-id": named },
      });

      expect(ours.body.workspace).toMatchObject({ workspaceId: research.workspaceId, slug: "research" });
      expect(curl.body.balance.value).toBe(5);
    }
  });

  test("`mkt budgets create --workspace research` makes it there and nowhere else", async () => {
    const made = await mkt([
      "budgets",
      "create",
      "--period",
      "day",
      "--limit",
      "3",
      "--workspace",
      "research",
      "--json",
    ]);
    const here = await daemon.request("GET", "/v1/controls/workspace/budgets");

    expect(made).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(made.stdout).workspaceId).toBe(research.workspaceId);
    expect(here.body.items).toEqual([]);
  });

  test("a run there is paid there, and says whose key made it", async () => {
    const before = await daemon.request("GET", "/v1/wallet/balance");

    const made = await mkt(["run", "atlas/sun", "latitude=38.7", "longitude=-9.1", "--json"], {
      MKT_WORKSPACE: "research",
    });
    const theirs = await request(`${daemon.url}/v1/runs`, "GET", { key: research.key });
    const own = await daemon.request("GET", "/v1/runs");

    expect(made.exitCode).toBe(0);
    const { credential } = (await daemon.request("GET", "/v1/auth/whoami")).body;
    expect(theirs.body.items).toMatchObject([
      { runId: JSON.parse(made.stdout).runId, caller: `API_KEY#${credential.fingerprint}` },
    ]);
    expect(own.body.items).toEqual([]);
    expect((await daemon.request("GET", "/v1/wallet/balance")).body).toEqual(before.body);
  });

  test("a key made there belongs there", async () => {
    const { stdout } = await mkt(["keys", "create", "--label", "there", "--workspace", "research", "--json"]);

    const who = await request(`${daemon.url}/v1/auth/whoami`, "GET", { key: JSON.parse(stdout).key });

    expect(who.body.workspace.workspaceId).toBe(research.workspaceId);
  });

  test("one that does not exist is not found, with what is near, and nothing is done", async () => {
    const answer = await ask("/v1/controls/workspace/budgets", daemon.key, "reserch", { method: "POST", body: budget });
    const typed = await mkt(["wallet", "--workspace", "reserch"]);

    expect(answer).toMatchObject({
      status: 404,
      body: { message: 'Workspace "reserch" not found; did you mean "research"?', next: "mkt workspaces --all" },
    });
    expect(typed).toMatchObject({ exitCode: 8, stderr: expect.stringContaining("(it was named by --workspace)") });
    expect((await daemon.request("GET", "/v1/controls/workspace/budgets")).body.items).toEqual([]);
  });

  const inWorkspaces = (Object.values(operations) as readonly Operation[]).filter(
    ({ auth, anyWorkspace }) => (auth === "workspace" || auth === "user") && anyWorkspace !== true,
  );
  test.each(inWorkspaces.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "%s declares the 404 for one that does not exist",
    async (_title, operation) => {
      const { body } = exampleRequest(operation) as { body?: object };
      const options = { method: operation.method, ...(body !== undefined && { body }) };

      const answer = await ask(examplePath(operation), daemon.key, "reserch", options);

      expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('"reserch" not found') } });
      expect(errorStatuses(operation)).toContain(404);
    },
  );

  test("`mkt workspaces --all` shows which there are, also while a wrong one is named", async () => {
    const { exitCode, stdout } = await mkt(["workspaces", "--all", "--json"], { MKT_WORKSPACE: "reserch" });

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).items).toContainEqual(
      expect.objectContaining({ slug: "research", name: "Research Team" }),
    );
  });
});

describe("who may not act in the workspace that was named", () => {
  const withWorkspace = (Object.values(operations) as readonly Operation[]).filter(({ auth }) => auth === "workspace");

  test.each(withWorkspace.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "%s is refused, whether it is another's or nobody's",
    async (_title, operation) => {
      const { body } = exampleRequest(operation) as { body?: object };
      const options = { method: operation.method, ...(body !== undefined && { body }) };

      const foreign = await ask(examplePath(operation), research.key, "default", options);
      const unknown = await ask(examplePath(operation), research.key, "nowhere", options);

      expect(foreign).toMatchObject({ status: 403, body: { code: 403, errorCode: "WORKSPACE_MISMATCH" } });
      expect(foreign.text.replaceAll("default", "nowhere")).toBe(unknown.text);
    },
  );

  test("names their own as they like", async () => {
    for (const named of [research.workspaceId, "research", "Research Team"]) {
      expect((await ask("/v1/wallet/balance", research.key, named)).status).toBe(200);
    }
  });

  test("is told which are theirs all the same", async () => {
    const answer = await ask("/v1/auth/workspaces", research.key, "default");

    expect(answer.body).toEqual({ workspaces: [{ workspaceId: research.workspaceId, slug: "research" }] });
  });

  test("is answered about their own where an older client sends the header", async () => {
    const headers = { "x-workspace-id": "default", "x-monid-client": "cli" };
    const answer = await request(`${daemon.url}/v1/auth/whoami`, "GET", { key: research.key, headers });

    expect(answer.body.workspace.workspaceId).toBe(research.workspaceId);
  });

  test("with an access token is refused likewise, of an organisation or not", async () => {
    const ofOrganisation = await provider.token({ sub: "ann", org_id: "org_ann" });
    await ask("/v1/auth/whoami", ofOrganisation, "org_ann");

    const answers = [
      await ask("/v1/auth/whoami", ofOrganisation, "default"),
      await ask("/v1/wallet/balance", await provider.token({ sub: "ann" }), "default"),
      await ask("/v1/auth/whoami", await provider.token({ sub: "ann" }), "default"),
    ];

    expect(answers.map(({ status, body }) => [status, body.errorCode])).toEqual(
      answers.map(() => [403, "WORKSPACE_MISMATCH"]),
    );
    expect((await ask("/v1/wallet/balance", ofOrganisation, "org_ann")).status).toBe(200);
  });

  test("learns nothing of the operator's routes by it", async () => {
    const named = await ask("/v1/admin/settings", research.key, "default");
    const plain = await request(`${daemon.url}/v1/admin/settings`, "GET", { key: research.key });

    expect(named.text).toBe(plain.text);
  });

  test("gets exit code 4 from every command, and the source of the name", async () => {
    const env = { MKT_API_KEY: research.key, MKT_WORKSPACE: "default" };

    const answers = await Promise.all([mkt(["wallet"], env), mkt(["budgets"], env), mkt(["whoami"], env)]);

    for (const { exitCode, stdout, stderr } of answers) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: "" });
      expect(stderr).toContain("(it was named by MKT_WORKSPACE)");
    }
  });

  test("gets an error from a tool of MCP, by its argument and by `mkt mcp --workspace`", async () => {
    const env = { MKT_API_URL: daemon.url, MKT_API_KEY: research.key };
    await using plain = await connectOverStdio({ env });
    await using bound = await connectOverStdio({ env, words: ["--workspace", "default"] });

    const byArgument = await call(plain.client, "balance", { workspaceId: "default" });
    const byFlag = await call(bound.client, "balance", {});
    const own = await call(plain.client, "balance", { workspaceId: "research" });

    expect([byArgument.isError, byFlag.isError, own.isError ?? false]).toEqual([true, true, false]);
    expect(JSON.stringify(byArgument)).toContain("do not act in the workspace");
  });
});

describe("the workspace that a word names", () => {
  const at = "2026-11-21T10:00:00.000Z";
  const workspace = (workspaceId: string, slug: string, name: string): WorkspaceRecord => ({
    workspaceId,
    slug,
    name,
    createdAt: at,
    updatedAt: at,
  });
  const all = [
    workspace("w1", "research", "Team"),
    workspace("w2", "sales", "Team"),
    workspace("w3", "ops", "research"),
    workspace("w4", "lab", "Laboratory"),
  ];

  test.each([
    ["w2", "w2"],
    ["sales", "w2"],
    ["Laboratory", "w4"],
    ["research", "w1"],
    ["Team", undefined],
    ["laboratory", undefined],
    ["", undefined],
  ])("%j is %s", (named, found) => {
    expect(pickWorkspace(all, named, undefined)?.workspaceId).toBe(found);
  });
});
