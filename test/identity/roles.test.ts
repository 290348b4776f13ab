import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { grants } from "../../shared/contract/scope-grants.ts";
import { roleScopes } from "../../shared/contract/role-scopes.ts";
import { phonedesk, scriptPhones } from "../resources/phone-market.ts";
import { examplePath, exampleRequest } from "../spec/example-request.ts";
import { type Market, openMarket } from "../spec/market.ts";
import { runMkt } from "../support/run-cli.ts";
import { request } from "../support/request.ts";

/** What keys of the roles may do, and what they see of one workspace. docs/contract.md, "Roles". */

let market: Market;
let url: string;
beforeAll(async () => {
  const rent = { type: "BY_PERIOD", amount: 0.01, period: { unit: "MONTH", count: 1 } };
  market = await openMarket((baseUrl) => ({ phonedesk: phonedesk(baseUrl, { rent }) }));
  scriptPhones(market.upstream);
  market.upstream.on("GET /plain", { json: { ok: true } });
  url = market.daemon.url;
});
afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

let labels = 0;
async function mint(body: object, maker = market.daemon.key) {
  const label = `key-${labels++}`;
  const answer = await request(`${url}/v1/api-keys`, "POST", { key: maker, body: { label, ...body } });
  return { ...answer, label, key: answer.body.key as string };
}
const ask = async (key: string, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  await request(`${url}${path}`, method, { key, body, headers });
const plainRun = { provider: "nimbus", endpoint: "/plain" };
const runAs = async (key: string) => (await ask(key, "POST", "/v1/run", plainRun)).body.runId as string;
const buyAs = async (key: string) => {
  const body = { provider: "phonedesk", endpoint: "/numbers/buy", input: { country: "PT" } };
  return (await ask(key, "POST", "/v1/run", body)).body.resources[0].resourceId as string;
};
const unknownId = "01JD0000000000000000000000";

describe("a member", () => {
  test("may do what its role says, of all operations, and nothing else", async () => {
    const { key } = await mint({ role: "member" });
    const withWorkspace = (Object.values(operations) as readonly Operation[]).filter(
      ({ auth }) => auth === "workspace",
    );

    for (const operation of withWorkspace) {
      const { body } = exampleRequest(operation);
      const answer = await ask(key, operation.method, examplePath(operation), body);
      const may = operation.scope === undefined || grants(roleScopes.member, operation.scope);
      expect([operation.operationId, answer.body?.errorCode === "INSUFFICIENT_SCOPE"]).toEqual([
        operation.operationId,
        !may,
      ]);
    }
  });

  test("finds its own in lists, sums, exports and the wallet, page by page, and nobody else's", async () => {
    const { key: ada, label } = await mint({ role: "member" });
    const { key: bob } = await mint({ role: "member" });
    const first = await runAs(ada);
    await runAs(bob);
    await runAs(market.daemon.key);
    const resource = await buyAs(bob);
    const second = await runAs(ada);

    const page = (await ask(ada, "GET", "/v1/runs?limit=1")).body;
    const rest = (await ask(ada, "GET", `/v1/runs?limit=5&cursor=${page.cursor}`)).body;
    const ids = (items: { runId: string }[]) => items.map(({ runId }) => runId);
    const exported = await ask(ada, "GET", "/v1/runs/export?format=ndjson");
    const usage = (await ask(ada, "GET", "/v1/usage?groupBy=key")).body;
    const activities = (await ask(ada, "GET", "/v1/wallet/activities?limit=1")).body;
    const ownResources = (await ask(ada, "GET", "/v1/resources")).body.items;

    expect([ids(page.items), ids(rest.items)]).toEqual([[second], [first]]);
    expect(
      ids(
        exported.text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ),
    ).toEqual([second, first]);
    expect(usage.items.map(({ group, runs }: { group: string; runs: number }) => [group, runs])).toEqual([[label, 2]]);
    expect(activities.items.every(({ runId }: { runId?: string }) => [first, second].includes(runId ?? ""))).toBe(true);
    expect(ownResources).toEqual([]);
    expect((await ask(bob, "GET", "/v1/resources")).body.items).toMatchObject([{ resourceId: resource }]);
  });

  test("cannot end what another key rents by a run of its own", async () => {
    const { key: ada } = await mint({ role: "member" });
    const { key: bob } = await mint({ role: "member" });
    const bought = (await ask(ada, "GET", `/v1/resources/${await buyAs(ada)}`)).body;
    const body = { provider: "phonedesk", endpoint: "/numbers/drop", input: { number: bought.externalId } };

    const tried = await ask(bob, "POST", "/v1/run", body);

    expect(tried).toMatchObject({ status: 404, body: { message: expect.stringContaining("This workspace has no") } });
    expect((await ask(ada, "GET", `/v1/resources/${bought.resourceId}`)).body.state).toBe("ACTIVE");
    expect((await ask(ada, "POST", "/v1/run", body)).status).toBe(200);
  });

  test("is not answered with another key's run for using the same Idempotency-Key", async () => {
    const { key: ada } = await mint({ role: "member" });
    const { key: bob } = await mint({ role: "member" });
    const headers = { "idempotency-key": "nightly" };

    const one = await ask(ada, "POST", "/v1/run", plainRun, headers);
    const other = await ask(bob, "POST", "/v1/run", plainRun, headers);
    const again = await ask(bob, "POST", "/v1/run", plainRun, headers);

    expect(other.body.runId).not.toBe(one.body.runId);
    expect(again.body.runId).toBe(other.body.runId);
  });

  test("keeps its runs when it is renamed, and an heir of its label does not get them", async () => {
    const { key: ada, label } = await mint({ role: "member" });
    const runId = await runAs(ada);
    await market.daemon.request("PATCH", `/v1/api-keys/${label}`, { label: `${label}-old` });
    const heir = await request(`${url}/v1/api-keys`, "POST", {
      key: market.daemon.key,
      body: { label, role: "member" },
    });

    expect((await ask(ada, "GET", "/v1/runs")).body.items).toMatchObject([{ runId }]);
    expect((await ask(heir.body.key, "GET", "/v1/runs")).body.items).toEqual([]);
  });

  test("sees by whoami what it has left, and when that begins anew", async () => {
    const { key } = await mint({
      role: "member",
      spendLimit: { amount: { value: 1, currency: "USD" }, period: "DAY" },
    });
    const { cost } = (await ask(key, "POST", "/v1/run", { provider: "nimbus", endpoint: "/plain" })).body;

    const { credential } = (await ask(key, "GET", "/v1/auth/whoami")).body;

    expect(credential).toMatchObject({
      role: "member",
      spendLimit: { amount: { value: 1 } },
      spending: { spent: cost ?? { value: 0 } },
    });
    expect(credential.spending.left.value).toBeCloseTo(1 - (cost?.value ?? 0), 6);
    expect(Date.parse(credential.spending.resetsAt)).toBeGreaterThan(Date.now());
  });
});

describe("a key with runs:create alone", () => {
  test("reads and waits for its own run, and no other", async () => {
    const { key } = await mint({ scopes: ["runs:create"] });
    const own = await runAs(key);
    const others = await runAs(market.daemon.key);

    expect((await ask(key, "GET", `/v1/runs/${own}?wait=1`)).body.runId).toBe(own);
    const foreign = await ask(key, "GET", `/v1/runs/${others}`);
    expect(foreign.status).toBe(404);
    expect(foreign.text.replace(others, unknownId)).toBe((await ask(key, "GET", `/v1/runs/${unknownId}`)).text);
    expect((await ask(key, "GET", "/v1/runs")).body.errorCode).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("a manager", () => {
  test("changes budgets, sees all runs, and manages members' keys", async () => {
    const { key } = await mint({ role: "manager" });
    const { key: ada, label } = await mint({ role: "member" });
    const runId = await runAs(ada);
    const limitAmount = { value: 500, unit: "DOLLAR", currency: "USD" };

    expect((await ask(key, "POST", "/v1/controls/workspace/budgets", { period: "MONTH", limitAmount })).status).toBe(
      201,
    );
    expect((await ask(key, "GET", `/v1/runs/${runId}`)).status).toBe(200);
    expect((await mint({ role: "member" }, key)).status).toBe(201);
    expect((await ask(key, "POST", `/v1/api-keys/${label}/revoke`)).body.status).toBe("REVOKED");
  });

  test("leaves owners', operators' and other managers' keys alone, but for those it made", async () => {
    const { key } = await mint({ role: "manager" });
    const owner = await mint({ role: "owner" });
    const plain = await mint({});
    const other = await mint({ role: "manager" });
    const made = await mint({ role: "manager" }, key);

    for (const label of [owner.label, plain.label, other.label, "owner"]) {
      expect((await ask(key, "POST", `/v1/api-keys/${label}/revoke`)).status).toBe(403);
      expect((await ask(key, "PATCH", `/v1/api-keys/${label}`, { label: "mine" })).status).toBe(403);
    }
    expect((await ask(key, "POST", `/v1/api-keys/${made.label}/revoke`)).status).toBe(200);
  });

  test("makes no owner, no key with more than its own limit, and what it makes unnamed is a manager too", async () => {
    const { key } = await mint({
      role: "manager",
      spendLimit: { amount: { value: 2, currency: "USD" }, period: "DAY" },
    });

    const owner = await mint({ role: "owner" }, key);
    const richer = await mint(
      { role: "member", spendLimit: { amount: { value: 3, currency: "USD" }, period: "DAY" } },
      key,
    );
    const all = await mint({ scopes: ["*"] }, key);
    const heir = await mint({}, key);

    expect([owner.status, richer.status, all.status]).toEqual([403, 403, 403]);
    expect(heir.body).toMatchObject({ role: "manager", spendLimit: { amount: { value: 2 } } });
  });
});

describe("a role", () => {
  test("is narrowed by scopes and not widened", async () => {
    const narrow = await mint({ role: "member", scopes: ["runs:create"] });
    const wider = await mint({ role: "member", scopes: ["controls:update"] });

    expect(narrow.body).toMatchObject({ role: "member", scopes: ["runs:create"] });
    expect(wider).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("more than the role member has") },
    });
  });

  test("does not go beyond what its maker has", async () => {
    const maker = await mint({ scopes: ["runs:*", "api_keys:*"] });

    const member = await mint({ role: "member" }, maker.key);

    expect(member).toMatchObject({ status: 403, body: { errorCode: "INSUFFICIENT_SCOPE" } });
  });

  test("that is not named leaves a body as it was: a key has what its maker has", async () => {
    const { body } = await mint({});

    expect(body).toMatchObject({ scopes: ["*"], role: "owner" });
  });

  test("is a member's from `mkt keys create`, shown by `keys list`, `whoami` and doctor", async () => {
    const env = { MKT_API_URL: url, MKT_API_KEY: market.daemon.key };
    const made = await runMkt(["keys", "create", "--label", "carol", "--spend-limit", "5/day", "--json"], { env });
    const { key, ...record } = JSON.parse(made.stdout);

    const listed = await runMkt(["keys", "list", "--limit", "1"], { env, tty: true, columns: 120 });
    const who = await runMkt(["whoami"], { env: { ...env, MKT_API_KEY: key }, tty: true });
    const wrong = await runMkt(["keys", "create", "--label", "x", "--role", "boss"], { env });
    const doctor = await runMkt(["doctor", "--json"], { env });

    expect(record).toMatchObject({ role: "member", scopes: roleScopes.member });
    expect(listed.stdout).toMatch(/carol .*member .*\$5/);
    for (const fact of [/role +member/, /spends at most +\$5 a day/, /left +\$5/, /resets /])
      expect(who.stdout).toMatch(fact);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("member, manager, owner") });
    const saw = JSON.parse(doctor.stdout).checks.find(({ check }: { check: string }) => check === "keys").saw;
    expect(saw).toContain("may do everything: ");
    expect(saw).not.toContain("carol");
  });
});
