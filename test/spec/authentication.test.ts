import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { examplePath, exampleRequest } from "./example-request.ts";
import { request } from "../support/request.ts";
import { type Market, openMarket, openNeighbour } from "./market.ts";
import { type NeededAccess, neededAccess } from "./needed-access.ts";

/** docs/contract.md, "Credentials", "Workspaces", "Scopes" and "Operator". Ids of others: test/security/isolation.test.ts. */

let market: Market;
let url: string;
let ownerKey: string;

const all: readonly Operation[] = Object.values(operations);
const title = ({ method, path }: Operation) => `${method} ${path}`;
const needs = (operation: Operation): NeededAccess | undefined => neededAccess[title(operation)];
const open = all.filter((operation) => needs(operation) === "nothing");
const forOperator = all.filter((operation) => needs(operation) === "operator");
const withKey = all.filter((operation) => !open.includes(operation) && !forOperator.includes(operation));

beforeAll(async () => {
  market = await openMarket();
  ({ url, key: ownerKey } = market.daemon);
});

afterAll(async () => {
  await market?.[Symbol.asyncDispose]();
});

test("what every operation needs is written down, and nothing else is", () => {
  expect(all.map(title).sort()).toEqual(Object.keys(neededAccess).sort());
});

const whoami = async (headers: Record<string, string>) => await request(`${url}/v1/auth/whoami`, "GET", { headers });

async function mint(label: string, more: object = {}): Promise<string> {
  const { status, body } = await request(`${url}/v1/api-keys`, "POST", { key: ownerKey, body: { label, ...more } });
  expect(status).toBe(201);
  return body.key;
}

describe("Authorization: Bearer <API_KEY>", () => {
  test("a key of this service is taken, whatever its first word: mkt_live_… and monid_live_… are one key", async () => {
    const own = await whoami({ authorization: `Bearer ${ownerKey}` });
    const compatible = await whoami({ authorization: `Bearer ${ownerKey.replace(/^mkt_/, "monid_")}` });

    expect(ownerKey).toMatch(/^mkt_live_[0-9A-Za-z]+$/);
    expect(own.status).toBe(200);
    expect(compatible.text).toBe(own.text);
  });

  test("the scheme is bearer, in any letter case, and no other", async () => {
    const lower = await whoami({ authorization: `bearer ${ownerKey}` });
    const basic = await whoami({ authorization: `Basic ${Buffer.from(`${ownerKey}:`).toString("base64")}` });
    const bare = await whoami({ authorization: ownerKey });

    expect([lower.status, basic.status, bare.status]).toEqual([200, 401, 401]);
  });

  test("a key is taken from the header alone, never from the query", async () => {
    const { status } = await request(
      `${url}/v1/auth/whoami?key=${ownerKey}&access_token=${ownerKey}&token=${ownerKey}`,
    );

    expect(status).toBe(401);
  });

  test("an unknown, a malformed, a revoked, an expired and an absent credential get the very same answer", async () => {
    const revoked = await mint("to-revoke");
    await request(`${url}/v1/api-keys/to-revoke/revoke`, "POST", { key: ownerKey });
    const endsAt = Date.now() + 1_500;
    const expiring = await mint("to-expire", { expiresAt: new Date(endsAt).toISOString() });
    await new Promise((resolve) => setTimeout(resolve, endsAt - Date.now() + 1));
    const last = ownerKey.at(-1) === "a" ? "b" : "a";

    const answers = await Promise.all([
      whoami({}),
      whoami({ authorization: "" }),
      whoami({ authorization: "Bearer" }),
      whoami({ authorization: "Bearer nonsense" }),
      whoami({ authorization: `Bearer ${ownerKey.slice(0, -1)}${last}` }),
      whoami({ authorization: `Bearer ${ownerKey.replace("_live_", "_test_")}` }),
      whoami({ authorization: `Bearer ${revoked}` }),
      whoami({ authorization: `Bearer ${expiring}` }),
      whoami({ authorization: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0." }),
    ]);

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(answers.map(({ headers }) => headers.get("www-authenticate")))).toEqual(new Set(["Bearer"]));
    expect(answers[0]?.body).toEqual({ code: 401, message: expect.stringMatching(/^Unauthorized/) });
  });

  test("a key that was removed, with DELETE and 204, is refused at once", async () => {
    const key = await mint("to-delete");
    const before = await whoami({ authorization: `Bearer ${key}` });

    const removed = await request(`${url}/v1/api-keys/to-delete`, "DELETE", { key: ownerKey });
    const after = await whoami({ authorization: `Bearer ${key}` });

    expect(before.status).toBe(200);
    expect(removed).toMatchObject({ status: 204, text: "" });
    expect(after.status).toBe(401);
  });

  test("a key is shown once: no later answer has it", async () => {
    const key = await mint("shown-once");

    const listed = await request(`${url}/v1/api-keys`, "GET", { key: ownerKey });
    const read = await request(`${url}/v1/api-keys/shown-once`, "GET", { key: ownerKey });

    expect(listed.text + read.text).not.toContain(key);
    expect(read.body.keyPrefix).toMatch(/^mkt_live_[0-9A-Za-z]{1,12}$/);
    expect(key.startsWith(read.body.keyPrefix)).toBe(true);
  });

  test.each(withKey.map((operation) => [title(operation), operation] as const))(
    "%s needs it",
    async (_title, operation) => {
      const { status, body } = await request(
        `${url}${examplePath(operation)}`,
        operation.method,
        exampleRequest(operation),
      );

      expect(status).toBe(401);
      expect(body).toEqual({ code: 401, message: expect.stringMatching(/^Unauthorized/) });
    },
  );

  test.each(open.map((operation) => [title(operation), operation] as const))(
    "%s does not need it",
    async (_title, operation) => {
      const { status } = await request(`${url}${examplePath(operation)}`, operation.method, exampleRequest(operation));

      // It needs a ticket, which the example has none of: test/console/sessions.test.ts.
      expect(status).toBe(operation.operationId === "openConsoleSession" ? 401 : 200);
    },
  );

  test.each(
    open
      .filter(({ path }) => path.startsWith("/public/v1/"))
      .map((operation) => [title(operation), operation] as const),
  )("%s does not need it at the registry address either", async (_title, operation) => {
    const { registryUrl } = market.daemon;

    const { status } = await request(
      `${registryUrl}${examplePath(operation)}`,
      operation.method,
      exampleRequest(operation),
    );

    expect(status).toBe(200);
  });

  test("public routes take no notice of a credential that is wrong", async () => {
    const { status } = await request(`${url}/public/v1/stats`, "GET", { key: "nonsense" });

    expect(status).toBe(200);
  });

  test("credentials come before everything that a request could be told about its body", async () => {
    const broken = await request(`${url}/v1/run`, "POST", { body: "{" });
    const text = await request(`${url}/v1/run`, "POST", { body: "hello", headers: { "content-type": "text/plain" } });

    expect([broken.status, text.status]).toEqual([401, 401]);
  });
});

describe("A caller resolves to a user and a workspace", () => {
  test("a key is bound to its workspace: x-workspace-id is ignored for it", async () => {
    const neighbour = await openNeighbour(market.daemon);

    const { status, body } = await request(`${url}/v1/auth/whoami`, "GET", {
      key: neighbour.key,
      headers: { "x-workspace-id": "another" },
    });

    expect(status).toBe(200);
    expect(body.workspace.workspaceId).toBe(neighbour.workspaceId);
  });
});

describe("Scopes", () => {
  const scoped = withKey.flatMap((operation) => {
    const scope = needs(operation);
    return scope === undefined || scope === "any key" ? [] : [[title(operation), scope, operation] as const];
  });

  test.each(scoped)("%s is 403 INSUFFICIENT_SCOPE for a key without the grant %s", async (name, scope, operation) => {
    const lacking = scope.startsWith("wallet:") ? "resources:update" : "wallet:read";
    const key = await mint(`lacks ${name.replaceAll(/[^\w ]/g, "-")}`, { scopes: [lacking] });

    const { status, body } = await request(`${url}${examplePath(operation)}`, operation.method, {
      ...exampleRequest(operation),
      key,
    });

    expect(status).toBe(403);
    expect(body).toEqual({
      code: 403,
      errorCode: "INSUFFICIENT_SCOPE",
      message: expect.stringContaining(scope),
    });
  });

  test("catalog reads and whoami need none", async () => {
    const key = await mint("narrow", { scopes: ["wallet:read"] });

    const answers = await Promise.all([
      request(`${url}/v1/auth/whoami`, "GET", { key }),
      request(`${url}/v1/discover`, "POST", { key, body: { q: "rain" } }),
      request(`${url}/v1/inspect`, "POST", { key, body: { provider: "nimbus", endpoint: "/now" } }),
      request(`${url}/v1/wallet/balance`, "GET", { key }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("a child key cannot exceed its parent", async () => {
    const parent = await mint("parent", { scopes: ["runs:read", "api_keys:*"] });

    const refused = await request(`${url}/v1/api-keys`, "POST", {
      key: parent,
      body: { label: "child", scopes: ["runs:*"] },
    });
    const inherited = await request(`${url}/v1/api-keys`, "POST", { key: parent, body: { label: "heir" } });

    expect(refused).toMatchObject({ status: 403, body: { code: 403, errorCode: "INSUFFICIENT_SCOPE" } });
    expect(inherited.body.scopes.sort()).toEqual(["api_keys:*", "runs:read"]);
  });
});

describe("Routes of the operator", () => {
  test.each(forOperator.map((operation) => [title(operation), operation] as const))(
    "%s does not exist for everyone else, with or without a key",
    async (_title, operation) => {
      const { key } = await openNeighbour(market.daemon);
      const path = examplePath(operation);
      const nowhere = path.replace("/v1/admin/", "/v1/nowhere/");

      const withOtherKey = await request(`${url}${path}`, operation.method, { ...exampleRequest(operation), key });
      const withoutKey = await request(`${url}${path}`, operation.method, exampleRequest(operation));
      const ofNoRoute = await request(`${url}${nowhere}`, operation.method, { ...exampleRequest(operation), key });

      expect(withOtherKey.status).toBe(404);
      expect(withOtherKey.text.replaceAll("/v1/admin/", "/v1/nowhere/")).toBe(ofNoRoute.text);
      expect(withoutKey.text).toBe(withOtherKey.text);
    },
  );

  test("the operator grant is not inherited by a key that the operator makes", async () => {
    const key = await mint("no operator");

    const { status } = await request(`${url}/v1/admin/settings`, "GET", { key });

    expect(status).toBe(404);
  });
});
