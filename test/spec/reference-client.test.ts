import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawHead, rawRequest } from "../support/raw-request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

/**
 * docs/contract.md, "Reference client": what it sends, word for word, and the members without which it crashes or
 * prints `undefined`. Its requests are made here as it makes them; its own code is not at hand.
 */

let daemon: TestDaemon;
let monid: (method: string, path: string, body?: object) => Promise<{ status: number; body: any }>;
let endpoints: { provider: string; endpoint: string; price: { type: string } }[];

beforeAll(async () => {
  daemon = await startTestDaemon({ bundled: true });
  monid = referenceClient(`${daemon.url}//`, daemon.key.replace(/^mkt_/, "monid_"));
  const listed = await daemon.request("GET", "/public/v1/endpoints?limit=100");
  endpoints = listed.body.items;
});

afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
});

/** Trailing slashes are cut; the content type is JSON always; the body is read as JSON before the status is looked at. */
function referenceClient(baseUrl: string, key: string) {
  const base = baseUrl.replace(/\/+$/, "");
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "X-Monid-Client": "cli" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
  };
}

async function finished(runId: string): Promise<any> {
  for (;;) {
    const { body } = await monid("GET", `/v1/runs/${runId}`);
    if (!["READY", "RUNNING", "STOPPING"].includes(body.status)) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("Requests", () => {
  test("the key may be stored as monid_live_…, in three parts", () => {
    expect(daemon.key.split("_")).toHaveLength(3);
  });

  test.each([
    ["POST", "/v1/runs/01JD0000000000000000000000/stop", 404],
    ["POST", "/v1/resources/01JD0000000000000000000000/release", 404],
    ["GET", "/v1/auth/whoami", 200],
    ["GET", "/v1/runs", 200],
  ])("%s %s comes with a JSON content type and without a body", async (method, path, status) => {
    const { port } = new URL(daemon.url);
    const length = method === "POST" ? ["Content-Length: 0"] : [];

    const answer = await rawRequest(
      Number(port),
      rawHead(
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        `Authorization: Bearer ${daemon.key}`,
        "Content-Type: application/json",
        "X-Monid-Client: cli",
        ...length,
      ),
    );

    expect(answer.status).toBe(status);
    expect(answer.body).toBeTypeOf("object");
  });

  test("every answer is JSON, errors of routes that nobody has included", async () => {
    const { status, body } = await monid("POST", "/public/v1/telemetry/skill-setup", { source: "cli" });

    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 404, message: expect.any(String) });
  });
});

describe("discover -q -l -s -u", () => {
  test("sends query, and gets count and results with provider, endpoint, description and a price", async () => {
    const { status, body } = await monid("POST", "/v1/discover", {
      query: "time in another city",
      limit: 3,
      minScore: 0,
      includeUnavailable: true,
    });

    expect(status).toBe(200);
    expect(body.count).toBe(3);
    expect(body.query).toBe("time in another city");
    for (const result of body.results) {
      expect(result).toMatchObject({
        provider: "atlas",
        endpoint: expect.stringMatching(/^\//),
        description: expect.stringMatching(/./),
        price: { type: expect.stringMatching(/./), amount: { value: expect.any(Number), currency: "USD" } },
      });
    }
  });

  test("gets five results when it names no limit, and 50 at most", async () => {
    const few = await monid("POST", "/v1/discover", { query: "time zones of countries and the sun", minScore: 0 });
    const many = await monid("POST", "/v1/discover", {
      query: "time zones of countries and the sun",
      minScore: 0,
      limit: 999,
    });

    expect(few.body.count).toBe(5);
    expect(many.body.count).toBeGreaterThan(5);
    expect(many.body.count).toBeLessThanOrEqual(50);
  });
});

describe("inspect -p -e", () => {
  test("has price, providerName and description for every endpoint of atlas, and when in every tier and variant", async () => {
    expect(endpoints.length).toBeGreaterThan(15);
    for (const { provider, endpoint } of endpoints) {
      const { status, body } = await monid("POST", "/v1/inspect", { provider, endpoint });

      expect(status).toBe(200);
      expect(body.providerName).toBe("Atlas");
      expect(body.description).toMatch(/./);
      expect(body.price.type).toMatch(/./);
      expect(body.price.amount).toEqual({ value: expect.any(Number), currency: "USD" });
      for (const tier of body.price.tiers ?? []) expect(tier.when).toBeTypeOf("object");
      for (const variant of body.price.variants ?? []) expect(variant.when).toBeTypeOf("object");
    }
  });

  test("takes the path without its slash, and prints hints in its own grammar", async () => {
    const { body } = await monid("POST", "/v1/inspect", { provider: "atlas", endpoint: "time/convert" });

    expect(body.endpoint).toBe("/time/convert");
    expect(body.hints["when clocks change there"]).toBe("monid inspect -p atlas -e /time/transitions");
  });
});

describe("run -p -e -i --query --path -w", () => {
  test("leaves out the parts of the input that are empty, and the input when all are", async () => {
    const { status, body } = await monid("POST", "/v1/run", { provider: "atlas", endpoint: "/time/now" });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      runId: expect.stringMatching(/./),
      status: "COMPLETED",
      providerResponse: { httpStatus: 200 },
      cost: { value: 0, currency: "USD" },
      createdAt: expect.any(String),
    });
  });

  test("sends pathParams, queryParams and body as parts of their own", async () => {
    const path = await monid("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/country/{code}",
      input: { pathParams: { code: "PT" }, queryParams: { locale: "pt" } },
    });
    const sort = await monid("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/text/sort",
      input: { body: { items: ["b", "a"] } },
    });

    expect(path.body).toMatchObject({ status: "COMPLETED", output: { code: "PT" } });
    expect(sort.body.output).toEqual(["a", "b"]);
  });

  test("shows providerResponse.data, else error, else output: data is never sent, error only on a provider failure", async () => {
    const run = async (code: number) =>
      (
        await monid("POST", "/v1/run", {
          provider: "atlas",
          endpoint: "/status/{code}",
          input: { pathParams: { code } },
        })
      ).body;

    const good = await run(200);
    const bad = await run(404);

    expect(good.providerResponse).toEqual({ httpStatus: 200 });
    expect(bad.providerResponse).toMatchObject({
      httpStatus: 404,
      error: { status: 404, message: expect.any(String) },
    });
    expect(bad.providerResponse).not.toHaveProperty("data");
  });

  test("a provider's 404 is not our own: 200 with the run, so that the run is shown", async () => {
    const { status, body } = await monid("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/status/{code}",
      input: { pathParams: { code: 401 } },
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "COMPLETED", cost: { value: 0 }, providerResponse: { httpStatus: 401 } });
  });

  test("a BLOCKED run is 200, its snapshots' amounts are Money, and reading it back says the same", async () => {
    const limitAmount = { value: 0, unit: "MICRO_DOLLAR", currency: "USD" };
    const { body: budget } = await monid("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount });
    const { body: cap } = await monid("POST", "/v1/controls/workspace/run-caps", { limitAmount });

    const { status, body } = await monid("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/reports/time-zones",
      input: { body: { country: "PT" } },
    });
    const read = await monid("GET", `/v1/runs/${body.runId}`);
    await monid("DELETE", `/v1/controls/workspace/budgets/${budget.budgetControlId}`);
    await monid("DELETE", `/v1/controls/workspace/run-caps/${cap.runCapControlId}`);

    const money = { value: expect.any(Number), currency: "USD" };
    const amounts = { limitAmount: money, availableAmount: money, heldAmount: money, spentAmount: money };
    expect([status, body.status, body.reason]).toEqual([200, "BLOCKED", expect.stringMatching(/./)]);
    expect(body.controls).toMatchObject([
      { controlId: budget.budgetControlId, requiredAmount: expect.any(Number), snapshot: { type: "WORKSPACE_BUDGET" } },
      { controlId: cap.runCapControlId, snapshot: { type: "WORKSPACE_RUN_CAP", limitAmount: money } },
    ]);
    expect(body.controls[0].snapshot).toMatchObject(amounts);
    expect(read.body).toMatchObject({ status: "BLOCKED", reason: body.reason, controls: body.controls });
    expect(read.body).not.toHaveProperty("providerResponse");
    expect(read.body).not.toHaveProperty("cost");
  });

  test("polls an async run by GET until it has ended; providerResponse is never without httpStatus", async () => {
    const accepted = await monid("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/reports/time-zones",
      input: { body: { country: "PT", fromYear: 2020, toYear: 2021 } },
    });
    const running = await monid("GET", `/v1/runs/${accepted.body.runId}`);
    const ended = await finished(accepted.body.runId);

    expect(accepted).toMatchObject({ status: 202, body: { status: "RUNNING" } });
    expect(running.body).not.toHaveProperty("providerResponse");
    expect(running.body).not.toHaveProperty("cost");
    expect(ended).toMatchObject({
      status: "COMPLETED",
      stoppable: false,
      input: { body: { country: "PT" } },
      providerResponse: { httpStatus: 200 },
      cost: { value: expect.any(Number), currency: "USD" },
    });
  });
});

describe("runs list, runs stop, balance, whoami, resources", () => {
  test("runs list -l --cursor: runId, provider, endpoint, status, createdAt", async () => {
    await monid("POST", "/v1/run", { provider: "atlas", endpoint: "/time/now" });
    await monid("POST", "/v1/run", { provider: "atlas", endpoint: "/time/now" });

    const first = await monid("GET", "/v1/runs?limit=1");
    const second = await monid("GET", `/v1/runs?limit=1&cursor=${first.body.cursor}`);

    for (const { body } of [first, second]) {
      expect(body.items[0]).toMatchObject({
        runId: expect.any(String),
        provider: "atlas",
        endpoint: "/time/now",
        status: "COMPLETED",
        createdAt: expect.any(String),
      });
    }
    expect(second.body.items[0].runId).not.toBe(first.body.items[0].runId);
  });

  test("runs stop -r: runId; a second stop is 409 with a message that is printed as it stands", async () => {
    const { body: accepted } = await monid("POST", "/v1/run", {
      provider: "atlas",
      endpoint: "/reports/time-zones",
      input: { body: { fromYear: 1900, toYear: 2100 } },
    });

    const stopped = await monid("POST", `/v1/runs/${accepted.runId}/stop`);
    await finished(accepted.runId);
    const again = await monid("POST", `/v1/runs/${accepted.runId}/stop`);

    expect(stopped).toMatchObject({ status: 202, body: { runId: accepted.runId, status: "STOPPING" } });
    expect(again).toMatchObject({ status: 409, body: { code: 409, message: expect.stringContaining(accepted.runId) } });
  });

  test("balance: value and currency", async () => {
    const { body } = await monid("GET", "/v1/wallet/balance");

    expect(body.balance).toEqual({ value: expect.any(Number), currency: "USD" });
  });

  test("whoami --workspaces: user.userId; workspaceId and slug of each", async () => {
    const whoami = await monid("GET", "/v1/auth/whoami");
    const workspaces = await monid("GET", "/v1/auth/workspaces");

    expect(whoami.body.user.userId).toMatch(/./);
    expect(workspaces.body.workspaces).toEqual([{ workspaceId: expect.any(String), slug: expect.any(String) }]);
  });

  test("resources list --provider --type --state: items", async () => {
    const { status, body } = await monid(
      "GET",
      "/v1/resources?provider=atlas&resourceType=phone_number&state=ACTIVE&limit=10",
    );

    expect(status).toBe(200);
    expect(body).toEqual({ items: [] });
  });
});
