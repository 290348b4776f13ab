import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";
import { resetOwnerKeyOfFolder } from "../../daemon/offline/reset-owner-key.ts";
import { type Answer, askWith } from "../support/request.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { microDollars, START } from "../controls/control-market.ts";
import { type ApprovalMarket, openApprovalMarket } from "./approval-market.ts";

let home: MktHome;
let market: ApprovalMarket;
beforeEach(async () => {
  home = mktHome();
  market = await openApprovalMarket({ home });
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const balance = async () => (await market.daemon.client.getWalletBalance({})).held.value;

describe("a run above the amount", () => {
  test("waits READY with its hold, calls nobody, and says what it waits for", async () => {
    await market.rule(0.009);

    const { status, body } = await market.ask();

    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: "READY",
      approval: { status: "WAITING", above: { value: 0.009 }, maximum: { value: 0.01 } },
    });
    expect(body.approval.expiresAt).toBe(new Date(START + 86_400_000).toISOString());
    expect(market.upstream.count("GET /now")).toBe(0);
    expect(await balance()).toBe(0.01);
    const { body: list } = await market.daemon.request("GET", "/v1/approvals");
    expect(list.items).toMatchObject([{ runId: body.runId, status: "WAITING", provider: "weather", endpoint: "/now" }]);
    const { body: shown } = await market.daemon.request("GET", `/v1/approvals/${body.runId}`);
    expect(shown).toMatchObject({ input: { queryParams: { city: "Lisbon" } }, estimate: { value: 0.01 } });
  });

  test("begins when somebody else approves it, and shows who did", async () => {
    await market.rule(0.001);
    const { body: asked } = await market.ask();

    const approved = await market.approve(asked.runId);
    const run = await market.ended(asked.runId);

    expect(approved).toMatchObject({ status: 200, body: { status: "APPROVED", decidedByKey: "owner" } });
    expect(run).toMatchObject({ status: "COMPLETED", cost: { value: 0.01 }, approval: { status: "APPROVED" } });
    expect(run.approval.decidedBy).toMatch(/^API_KEY#/);
    expect(market.upstream.count("GET /now")).toBe(1);
    expect(await balance()).toBe(0);
    const { body: runs } = await market.daemon.request("GET", "/v1/runs");
    expect(runs.items[0]).toMatchObject({ approval: { decidedByKey: "owner", decidedAt: run.approval.decidedAt } });
  });

  test("is BLOCKED when it is denied, with the reason, and its hold is free again", async () => {
    const budgetId = await market.budget("DAY", 0.015);
    await market.rule(0.001);
    const { body: asked } = await market.ask();
    expect((await market.ask()).body.status).toBe("BLOCKED");

    await market.deny(asked.runId, "too dear for today");
    const run = (await market.agent("GET", `/v1/runs/${asked.runId}`)).body;

    expect(run).toMatchObject({ status: "BLOCKED", approval: { status: "DENIED", reason: "too dear for today" } });
    expect(run.reason).toContain('the key "owner" denied it: too dear for today');
    expect(run.billing).toBeUndefined();
    expect(await balance()).toBe(0);
    const budget = (await market.daemon.request("GET", `/v1/controls/workspace/budgets/${budgetId}`)).body;
    expect(budget).toMatchObject({ heldAmount: 0, spentAmount: 0 });
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("is compared with the most that it may cost, exactly", async () => {
    await market.rule(0.01);

    expect((await market.ask()).body.status).toBe("COMPLETED");
    scriptReport(market.upstream, { polls: 0, result: { items: [] } });
    const body = { endpoint: "/report", input: { topic: "rain", limit: 3 } };
    expect((await market.ask(body)).body).toMatchObject({ status: "READY", approval: { maximum: { value: 0.011 } } });
    expect((await market.agent("POST", "/v1/quote", { provider: "weather", ...body })).body).toMatchObject({
      approvalAbove: { value: 0.01 },
    });
  });

  test("may be stopped while it waits, though its endpoint answers at once", async () => {
    await market.rule(0.001);
    const { body } = await market.ask();

    const stopped = await market.agent("POST", `/v1/runs/${body.runId}/stop`);

    expect(stopped.status).toBe(202);
    expect(await market.ended(body.runId)).toMatchObject({ status: "STOPPED", approval: { status: "WITHDRAWN" } });
    expect(await balance()).toBe(0);
    expect(await market.approve(body.runId)).toMatchObject({ status: 409 });
  });

  test("is one run for an idempotency key, whose answer stays the first one", async () => {
    await market.rule(0.001);
    const key = { "idempotency-key": "one" };
    const first = await market.ask({}, key);
    const second = await market.ask({}, key);
    await market.approve(first.body.runId);
    await market.ended(first.body.runId);
    const third = await market.ask({}, key);

    expect([second.status, third.status]).toEqual([202, 202]);
    expect(second.body).toEqual(first.body);
    expect(third.body).toEqual(first.body);
    expect(market.upstream.count("GET /now")).toBe(1);
  });

  test("that was denied is not asked for again by a repeat", async () => {
    await market.rule(0.001);
    const key = { "idempotency-key": "one" };
    const first = await market.ask({}, key);
    await market.deny(first.body.runId);

    expect((await market.ask({}, key)).body).toEqual(first.body);
    expect((await market.daemon.request("GET", "/v1/approvals")).body.items).toEqual([]);
  });

  test("is answered with its end where its caller waits for it", async () => {
    await market.rule(0.001);
    const asking = market.ask({ wait: 20 });
    let waiting: { runId: string }[] = [];
    while (waiting.length === 0) waiting = (await market.daemon.request("GET", "/v1/approvals")).body.items;

    await market.approve(waiting[0]?.runId ?? "");

    expect(await asking).toMatchObject({
      status: 200,
      body: { status: "COMPLETED", approval: { status: "APPROVED" } },
    });
  });
});

describe("the time of a run that waits", () => {
  test("is its approval's: the deadline of the run begins with the yes", async () => {
    scriptReport(market.upstream, { polls: 0, result: { items: [1] } });
    await market.rule(0.001);
    const { body } = await market.ask({ endpoint: "/report", input: { topic: "rain", limit: 1 }, deadlineMs: 5_000 });
    market.time.nowMs += 3_600_000;

    await market.approve(body.runId);

    expect(await market.ended(body.runId)).toMatchObject({ status: "COMPLETED" });
  });

  test("runs out: it ends BLOCKED after a restart, is refused before, and a repeat may ask anew", async () => {
    const { key } = market.daemon;
    await market.rule(0.001, { expiresInSeconds: 60 });
    const { body } = await market.ask({}, { "idempotency-key": "late" });
    market.time.nowMs += 61_000;
    expect(await market.approve(body.runId)).toMatchObject({ status: 409, body: { message: /expired/ } });
    await market[Symbol.asyncDispose]();

    market = await openApprovalMarket({ home, clock: { now: () => START + 61_000 } });

    expect(market.daemon.key).toBe(key);
    expect(await market.ended(body.runId)).toMatchObject({ status: "BLOCKED", approval: { status: "EXPIRED" } });
    expect(await balance()).toBe(0);
  });

  test("survives a restart, with its hold", async () => {
    await market.rule(0.001);
    const { body } = await market.ask();
    const { upstream } = market;
    await market.daemon[Symbol.asyncDispose]();
    const again = await openApprovalMarket({ home, manifests: { weather: weatherManifest(upstream.url) } });
    await market.upstream[Symbol.asyncDispose]();
    market = again;

    expect(await balance()).toBe(0.01);
    expect((await market.daemon.request("GET", `/v1/approvals/${body.runId}`)).body).toMatchObject({
      status: "WAITING",
      input: { queryParams: { city: "Lisbon" } },
    });
  });
});

describe("who approves", () => {
  test("is not the key that asked; somebody alone is told how to be two", async () => {
    await market.rule(0.001);
    const { body } = await market.run();

    const own = await market.approve(body.runId);

    expect(own).toMatchObject({ status: 403, body: { message: /"owner", asked for it.*--role member/s } });
    expect((await market.daemon.request("GET", `/v1/runs/${body.runId}`)).body.status).toBe("READY");
  });

  test("is no key that the asking key made, directly or through another", async () => {
    await market.rule(0.001);
    const manager = await market.newKey({ label: "manager", role: "manager" });
    const child = (await manager.ask("POST", "/v1/api-keys", { label: "child" })).body.key;
    const { body } = await manager.ask("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });

    const refused = await market.approve(body.runId, askWith(market.daemon.url, child));

    expect(refused).toMatchObject({ status: 403, body: { message: /made by the one that asked/ } });
    market.upstream.on("GET /plain", { json: {} });
    expect((await market.approve(body.runId)).status).toBe(200);
  });

  test("is no key of fewer rights, or that may not run or spend that much itself", async () => {
    await market.rule(0.001);
    const { body } = await market.run();
    const { body: byAgent } = await market.ask();
    const controls = { scopes: ["controls:*", "runs:*"] };
    const narrow = await market.newKey({ label: "narrow", ...controls });
    const poor = await market.newKey({
      label: "poor",
      role: "manager",
      spendLimit: { amount: { value: 0.005, currency: "USD" }, period: "DAY" },
    });
    const other = await market.newKey({ label: "other", role: "manager", endpoints: ["weather/plain"] });

    expect((await market.approve(body.runId, narrow.ask)).body.message).toMatch(/made by the one that asked/);
    expect((await market.approve(byAgent.runId, narrow.ask)).body.message).toMatch(/may resources:read/);
    expect((await market.approve(byAgent.runId, poor.ask)).body.message).toMatch(/may spend \$0\.005/);
    expect((await market.approve(byAgent.runId, other.ask)).body.message).toMatch(/may not run weather\/now/);
    expect((await market.approve(byAgent.runId, market.agent)).status).toBe(403);
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("of two at once one acts, and the other is told", async () => {
    await market.rule(0.001);
    const second = await market.newKey({ label: "second", role: "manager" });
    const { body } = await market.ask();

    const answers = await Promise.all([
      market.approve(body.runId),
      market.deny(body.runId, "no", second.ask),
      market.approve(body.runId, second.ask),
    ]);

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const [late] = answers.filter(({ status }) => status === 409);
    expect(late?.body.message).toMatch(/the key "(owner|second)" (approved|denied) it at/);
  });

  test("may repeat a lost approval, which counts once", async () => {
    await market.rule(0.001);
    const { body } = await market.ask();
    await market.approve(body.runId);
    await market.ended(body.runId);

    expect((await market.approve(body.runId)).status).toBe(200);
    expect(market.upstream.count("GET /now")).toBe(1);
  });

  test("sees only its own workspace's", async () => {
    await market.rule(0.001);
    const { body } = await market.ask();
    const { workspaceId } = (await market.daemon.request("POST", "/v1/admin/workspaces", { name: "b", slug: "b" }))
      .body;
    const { key } = (
      await market.daemon.request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "b" })
    ).body;
    const other = askWith(market.daemon.url, key);

    expect((await other("GET", "/v1/approvals")).body.items).toEqual([]);
    expect((await market.approve(body.runId, other)).status).toBe(404);
    expect((await market.deny(body.runId, "no", other)).status).toBe(404);
  });
});

describe("what an approval is for", () => {
  test("is refused when the provider's file has changed", async () => {
    await market.rule(0.001);
    const { body } = await market.ask();
    const { endpoints, ...rest } = weatherManifest(market.upstream.url) as { endpoints: Record<string, object> };
    const now = { ...endpoints["/now"], description: "Another weather in a city right now." };
    home.writeCatalog("trusted", { weather: { ...rest, endpoints: { ...endpoints, "/now": now } } });
    const inspected = async () =>
      (await market.daemon.request("POST", "/v1/inspect", { provider: "weather", endpoint: "/now" })).text;
    while (!(await inspected()).includes("Another weather")) await new Promise((resolve) => setTimeout(resolve, 20));

    const refused = await market.approve(body.runId);

    expect(refused).toMatchObject({ status: 409, body: { message: /file of weather\/now has changed/ } });
    expect((await market.deny(body.runId)).status).toBe(200);
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("is refused when the price has changed, and stands when it is as it was again", async () => {
    await market.rule(0.001);
    const { body } = await market.ask();
    const price = { type: "PER_CALL", amount: { value: 0.02, currency: "USD" } };
    const priced = await market.daemon.request("PUT", "/v1/admin/prices", {
      provider: "weather",
      endpoint: "/now",
      price,
    });
    expect(priced.status, priced.text).toBe(200);

    expect(await market.approve(body.runId)).toMatchObject({ status: 409, body: { message: /price.*changed/ } });
    await market.daemon.request("DELETE", "/v1/admin/prices/weather?endpoint=%2Fnow");

    expect((await market.approve(body.runId)).status).toBe(200);
    expect(await market.ended(body.runId)).toMatchObject({ status: "COMPLETED", cost: { value: 0.01 } });
  });

  test("is refused when the key that asked was revoked", async () => {
    await market.rule(0.001);
    const asking = await market.newKey({ label: "leaving", role: "member" });
    const { body } = await asking.ask("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });
    await market.daemon.request("DELETE", "/v1/api-keys/leaving");

    expect(await market.approve(body.runId)).toMatchObject({ status: 409, body: { message: /"leaving".*REVOKED/ } });
    expect(market.upstream.calls).toHaveLength(0);
  });
});

test("an approver is told of a key that was revoked during the approval, and never that their own is", async () => {
  await market.rule(0.001);
  const answers: Answer[] = [];
  for (let round = 0; round < 20; round += 1) {
    const label = `leaving-${round}`;
    const asking = await market.newKey({ label, role: "member" });
    const { body } = await asking.ask("POST", "/v1/run", { provider: "weather", endpoint: "/plain" });
    const revoked = market.daemon.request("DELETE", `/v1/api-keys/${label}`);
    const [approved] = await Promise.all([market.approve(body.runId), revoked]);
    answers.push(approved);
  }

  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 409));
  for (const { body } of refused) expect(body.message).toMatch(/"leaving-.*REVOKED.*Deny it/);
});

describe("approval rules", () => {
  test("for a key hold for it and the keys that it made, and for no other", async () => {
    const manager = await market.newKey({ label: "manager", role: "manager" });
    const child = (await manager.ask("POST", "/v1/api-keys", { label: "child" })).body.key;
    await market.rule(0.001, { keyLabel: "manager" });
    const run = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

    expect((await manager.ask("POST", "/v1/run", run)).body.status).toBe("READY");
    expect((await askWith(market.daemon.url, child)("POST", "/v1/run", run)).body.status).toBe("READY");
    expect((await market.ask()).body.status).toBe("COMPLETED");
  });

  test("for a key follow it to the new key of its name, and still hold for the keys that the old one made", async () => {
    const manager = await market.newKey({ label: "manager", role: "manager" });
    const child = (await manager.ask("POST", "/v1/api-keys", { label: "child" })).body.key;
    const ruleId = await market.rule(0.001, { keyLabel: "manager" });
    const run = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };

    for (const rotation of [1, 2]) {
      await market.daemon.request("DELETE", "/v1/api-keys/manager");
      const rotated = await market.newKey({ label: "manager", role: "manager" });
      const { body } = await rotated.ask("POST", "/v1/run", run);
      expect(body.status, `after rotation ${rotation}`).toBe("READY");
    }
    expect((await askWith(market.daemon.url, child)("POST", "/v1/run", run)).body.status).toBe("READY");
    const { body: shown } = await market.daemon.request("GET", `/v1/controls/approval-rules/${ruleId}`);
    expect(shown.keyLabel).toBe("manager");
    expect((await market.ask()).body.status).toBe("COMPLETED");
  });

  test("for the owner's key follow it to the one that takes its place", async () => {
    using own = mktHome();
    {
      await using before = await openApprovalMarket({ home: own });
      await before.rule(0.001, { keyLabel: "owner" });
    }
    await resetOwnerKeyOfFolder(own, "0.0.0");

    await using after = await openApprovalMarket({ home: own });
    const { body } = await after.daemon.request("POST", "/v1/run", {
      provider: "weather",
      endpoint: "/now",
      input: { city: "Lisbon" },
    });

    expect(body.approval).toMatchObject({ status: "WAITING" });
  });

  test("can be paused, changed and deleted, and the strictest one counts", async () => {
    const wide = await market.rule(1);
    const strict = await market.rule(0.001, { expiresInSeconds: 3_600 });
    const path = `/v1/controls/approval-rules/${strict}`;
    const { body: waiting } = await market.ask();
    expect(waiting.approval.above.value).toBe(0.001);

    await market.daemon.request("PATCH", path, { status: "PAUSED" });
    expect((await market.ask()).body.status).toBe("COMPLETED");
    await market.daemon.request("PATCH", path, { status: "ACTIVE", limitAmount: microDollars(0.002) });
    expect((await market.ask()).body.approval.above.value).toBe(0.002);
    await market.daemon.request("DELETE", path);
    expect((await market.ask()).body.status).toBe("COMPLETED");

    const { body: list } = await market.daemon.request("GET", "/v1/controls/approval-rules");
    expect(list.items).toMatchObject([{ ruleId: wide, limitAmount: 1, expiresInSeconds: 86_400, status: "ACTIVE" }]);
    expect((await market.daemon.request("GET", `/v1/runs/${waiting.runId}`)).body.status).toBe("READY");
  });

  test("are refused with a slip in them, and to keys without the right", async () => {
    const post = async (body: object) =>
      (await market.daemon.request("POST", "/v1/controls/approval-rules", body)).status;
    expect(await post({ limitAmount: microDollars(1), keylabel: "agent" })).toBe(400);
    expect(await post({ limitAmount: microDollars(1), keyLabel: "nobody" })).toBe(404);
    expect(await post({ limitAmount: microDollars(1), expiresInSeconds: 1 })).toBe(400);
    expect((await market.agent("POST", "/v1/controls/approval-rules", { limitAmount: microDollars(1) })).status).toBe(
      403,
    );
  });
});
