import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";
import { type ReadEvent, readEvents } from "./event-reader.ts";
import { signIn } from "./sign-in.ts";

let upstream: FakeProvider;
let daemon: TestDaemon;
let owner: Ask;
beforeAll(async () => {
  upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 0 });
  daemon = await startTestDaemon({ manifests: { nimbus: weatherManifest(upstream.url) } });
  owner = daemon.request;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };
let made = 0;

async function newKey(
  members: object = {},
): Promise<{ readonly key: string; readonly label: string; readonly ask: Ask }> {
  const label = `events ${(made += 1)}`;
  const { body } = await owner("POST", "/v1/api-keys", { label, ...members });
  return { key: body.key, label, ask: askWith(daemon.url, body.key) };
}

/** A run that has ended. */
async function runToEnd(ask: Ask): Promise<string> {
  const { body } = await ask("POST", "/v1/run", report);
  await ask("GET", `/v1/runs/${body.runId}?wait=20`);
  return body.runId;
}

const isEndOf = (runId: string) => (event: ReadEvent) =>
  event.type === "run" && event.data.runId === runId && event.data.status === "COMPLETED";

describe("a stream of events", () => {
  test("begins with its place, and tells a run from its beginning to its end, with the wallet", async () => {
    await using reader = await readEvents(daemon.url, daemon.key);

    const runId = await runToEnd(owner);
    const end = await reader.until(isEndOf(runId));
    const wallet = await reader.until(({ type }) => type === "wallet");

    expect(reader.status).toBe(200);
    expect(Object.fromEntries(reader.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    expect(reader.events[0]).toMatchObject({ type: "ready", data: {} });
    const statuses = reader.events.filter(({ data }) => data.runId === runId).map(({ data }) => data.status);
    expect(statuses[0]).toMatch(/^(READY|RUNNING)$/);
    expect(end.data).toMatchObject({ provider: "nimbus", endpoint: "/report", cost: { currency: "USD" } });
    expect(wallet.data).toMatchObject({ balance: { currency: "USD" }, held: { currency: "USD" } });
  });

  test("tells of controls, approvals, webhooks, schedules and keys", async () => {
    await using reader = await readEvents(daemon.url, daemon.key);
    const dollars = { value: 5, unit: "DOLLAR", currency: "USD" };

    const budget = await owner("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount: dollars });
    const rule = await owner("POST", "/v1/controls/approval-rules", { limitAmount: dollars });
    const { label } = await newKey();
    await owner("POST", `/v1/api-keys/${encodeURIComponent(label)}/revoke`);

    await reader.until(({ type, data }) => type === "control" && data.kind === "created");
    await reader.until(({ type, data }) => type === "approval" && data.kind === "created");
    await reader.until(({ type, data }) => type === "key" && data.kind === "created" && data.id === label);
    await reader.until(({ type, data }) => type === "key" && data.kind === "revoked" && data.id === label);
    expect([budget.status, rule.status]).toEqual([201, 201]);
    await owner("DELETE", `/v1/controls/approval-rules/${rule.body.ruleId}`);
    await owner("DELETE", `/v1/controls/workspace/budgets/${budget.body.budgetControlId}`);
  });

  test("of another workspace tells nothing of this one", async () => {
    const there = await owner("POST", "/v1/admin/workspaces", { name: "There" });
    const { workspaceId } = there.body.workspace ?? there.body;
    const key = await owner("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "there", scopes: ["*"] });
    await using other = await readEvents(daemon.url, key.body.key);
    await using own = await readEvents(daemon.url, daemon.key);

    const runId = await runToEnd(owner);
    await own.until(isEndOf(runId));
    // The next event of the other workspace comes after all that could have been told.
    await owner("POST", `/v1/admin/workspaces/${workspaceId}/credits`, {
      amount: { value: 1, currency: "USD" },
      reason: "to see it",
    });
    await other.until(({ type }) => type === "wallet");

    expect(other.events.map(({ type }) => type)).toEqual(["ready", "wallet"]);
    expect(JSON.stringify(other.events)).not.toContain(runId);
  });

  test.each([
    ["runs:read", ["run"]],
    ["wallet:read", ["wallet"]],
    ["controls:read", ["control"]],
  ])("with %s alone tells of nothing else", async (scope, types) => {
    const { key } = await newKey({ scopes: [scope] });
    await using narrow = await readEvents(daemon.url, key);
    await using own = await readEvents(daemon.url, daemon.key);

    const runId = await runToEnd(owner);
    const dollars = { value: 7, unit: "DOLLAR", currency: "USD" };
    const budget = await owner("POST", "/v1/controls/workspace/budgets", { period: "WEEK", limitAmount: dollars });
    await owner("DELETE", `/v1/controls/workspace/budgets/${budget.body.budgetControlId}`);
    await own.until(({ type, data }) => type === "control" && data.kind === "deleted");
    await narrow.until(({ type, data }) => type === types[0] && (type !== "control" || data.kind === "deleted"));
    if (scope === "runs:read") await narrow.until(isEndOf(runId));

    const seen = new Set(narrow.events.map(({ type }) => type));
    expect([...seen]).toEqual(["ready", ...types]);
  });

  test("of a member tells that key's runs alone, also through its sessions", async () => {
    const member = await newKey({ role: "member" });
    const session = await signIn(daemon.url, member.ask);
    await using reader = await readEvents(daemon.url, session.key);

    const others = await runToEnd(owner);
    const own = await runToEnd(member.ask);
    await reader.until(isEndOf(own));

    expect(JSON.stringify(reader.events)).not.toContain(others);
  });

  test("of a member tells that key's schedules alone, as it lists them, also when they are deleted", async () => {
    const member = await newKey({ role: "member" });
    await using reader = await readEvents(daemon.url, member.key);
    const times = { provider: "nimbus", endpoint: "/report", input: report.input, cron: "0 7 * * *", timeZone: "UTC" };

    const ids: string[] = [];
    for (const ask of [owner, member.ask]) {
      const { body } = await ask("POST", "/v1/schedules", times);
      await ask("POST", `/v1/schedules/${body.scheduleId}/pause`);
      await ask("DELETE", `/v1/schedules/${body.scheduleId}`);
      ids.push(body.scheduleId);
    }
    await reader.until(({ type, data }) => type === "schedule" && data.kind === "deleted" && data.id === ids[1]);

    const told = reader.events.filter(({ type }) => type === "schedule").map(({ data }) => `${data.kind} ${data.id}`);
    expect(told).toEqual(["created", "paused", "deleted"].map((kind) => `${kind} ${ids[1]}`));
  });

  test("ends when its key is revoked, its session is closed, or the key of its session is revoked", async () => {
    const [plain, signedOut, orphaned] = [await newKey(), await newKey(), await newKey()];
    const [one, other] = [await signIn(daemon.url, signedOut.ask), await signIn(daemon.url, orphaned.ask)];
    const readers = await Promise.all([plain.key, one.key, other.key].map((key) => readEvents(daemon.url, key)));

    await owner("POST", `/v1/api-keys/${encodeURIComponent(plain.label)}/revoke`);
    await one.ask("DELETE", "/v1/console/session");
    await owner("POST", `/v1/api-keys/${encodeURIComponent(orphaned.label)}/revoke`);

    await Promise.all(readers.map(({ ended }) => ended));
    expect((await readEvents(daemon.url, other.key)).status).toBe(401);
  });

  test("is given eight times to a key, and again when one of them has gone", async () => {
    const { key } = await newKey();
    const readers = await Promise.all(Array.from({ length: 8 }, async () => await readEvents(daemon.url, key)));

    const ninth = await readEvents(daemon.url, key);
    expect(ninth.status).toBe(429);
    expect(ninth.headers.get("retry-after")).toBe("10");
    await readers[0]?.[Symbol.asyncDispose]();
    await expect.poll(async () => (await readEvents(daemon.url, key)).status, { timeout: 20_000 }).toBe(200);

    await owner("POST", `/v1/api-keys/${encodeURIComponent(`events ${made}`)}/revoke`);
    await Promise.all(readers.map(({ ended }) => ended));
  });

  test("goes on where it was, without a gap and without a double", async () => {
    await using whole = await readEvents(daemon.url, daemon.key);
    const first = await readEvents(daemon.url, daemon.key);
    const before = await runToEnd(owner);
    const seen = await first.until(isEndOf(before));
    const already = first.events.slice(0, first.events.indexOf(seen) + 1);
    await first[Symbol.asyncDispose]();
    const between = await runToEnd(owner);

    await using again = await readEvents(daemon.url, daemon.key, seen.id);
    const after = await runToEnd(owner);
    await again.until(isEndOf(after));
    await whole.until(isEndOf(after));

    expect(again.events[0]).toMatchObject({ type: "ready", id: seen.id });
    const runsOf = (events: readonly ReadEvent[]) => events.filter(({ type }) => type === "run").map(({ id }) => id);
    expect(new Set(runsOf(again.events)).size).toBe(runsOf(again.events).length);
    expect([...runsOf(already), ...runsOf(again.events)]).toEqual(runsOf(whole.events));
    expect(JSON.stringify(again.events)).toContain(between);
  });

  test.each(["", "x", "event 5", "99999999999999999999", "A".repeat(200)])(
    "with an id that was never given, %j, says that all has to be read again",
    async (id) => {
      const response = await fetch(`${daemon.url}/v1/events?after=${encodeURIComponent(id)}`, {
        headers: { authorization: `Bearer ${daemon.key}` },
      });
      const chunk = await response.body?.getReader().read();

      expect(new TextDecoder().decode(chunk?.value)).toMatch(/^id: \S+\nevent: reset\n/);
    },
  );

  test("needs a credential, and comes from no page of another origin", async () => {
    const without = await fetch(`${daemon.url}/v1/events`);
    const foreign = await fetch(`${daemon.url}/v1/events`, {
      headers: { authorization: `Bearer ${daemon.key}`, origin: "https://evil.example" },
    });

    expect([without.status, foreign.status]).toEqual([401, 403]);
  });
});

test("a stop of the daemon ends its streams, and is not held up by them", async () => {
  using home = mktHome();
  const stopped = await startTestDaemon({ home });
  const reader = await readEvents(stopped.url, stopped.key);
  await reader.until(({ type }) => type === "ready");

  await stopped[Symbol.asyncDispose]();

  await reader.ended;
  expect(reader.events.map(({ type }) => type)).toEqual(["ready"]);
});

test("an id of before a restart says that all has to be read again", async () => {
  using home = mktHome();
  const before = await startTestDaemon({ home });
  const reader = await readEvents(before.url, before.key);
  const { id } = await reader.until(({ type }) => type === "ready");
  await before.client.createBudget({
    body: { period: "DAY", limitAmount: { value: 1, unit: "DOLLAR", currency: "USD" } },
  });
  await before[Symbol.asyncDispose]();

  await using after = await startTestDaemon({ home });
  await using again = await readEvents(after.url, after.key, id);

  expect(await again.until(() => true)).toMatchObject({ type: "reset" });
});
