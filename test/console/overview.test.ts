import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { scriptReport, weatherManifest } from "../support/weather-manifest.ts";

let upstream: FakeProvider;
let daemon: TestDaemon;
let owner: Ask;
beforeAll(async () => {
  upstream = await startFakeProvider();
  scriptReport(upstream, { polls: 1_000_000 });
  daemon = await startTestDaemon({ manifests: { nimbus: weatherManifest(upstream.url) } });
  owner = daemon.request;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const report = { provider: "nimbus", endpoint: "/report", input: { topic: "rain", limit: 1 } };
const dollars = (value: number) => ({ value, unit: "DOLLAR", currency: "USD" });
const overview = async (ask: Ask) => (await ask("GET", "/v1/overview")).body;

async function newKey(members: object): Promise<Ask> {
  const { body } = await owner("POST", "/v1/api-keys", { label: JSON.stringify(members).slice(0, 60), ...members });
  return askWith(daemon.url, body.key);
}

test("an overview has the wallet, what was spent, budgets, what is in flight and what waits", async () => {
  await owner("POST", "/v1/controls/workspace/budgets", { period: "DAY", limitAmount: dollars(1) });
  await owner("POST", "/v1/controls/approval-rules", { limitAmount: dollars(0), keyLabel: "owner" });
  const { body: waiting } = await owner("POST", "/v1/run", report);
  const member = await newKey({ role: "member" });
  const { body: going } = await member("POST", "/v1/run", report);

  const seen = await overview(owner);

  expect(seen.workspace).toMatchObject({ slug: "default" });
  expect(seen.wallet.held.value).toBeGreaterThan(0);
  expect(seen.spent).toEqual({ today: { value: 0, currency: "USD" }, month: { value: 0, currency: "USD" } });
  expect(seen.budgets).toHaveLength(1);
  expect(seen.inFlight.runs.map((run: { runId: string }) => run.runId)).toContain(going.runId);
  expect(seen.attention).toContainEqual(expect.objectContaining({ kind: "approvalWaiting", subject: waiting.runId }));
});

test("an overview leaves out what the key may not read", async () => {
  const member = await newKey({ role: "member", expiresAt: "2099-01-01T00:00:00Z" });
  const wallet = await newKey({ scopes: ["wallet:read"] });

  const [ofMember, ofWallet] = [await overview(member), await overview(wallet)];

  expect(Object.keys(ofMember).toSorted()).toEqual(["attention", "inFlight", "wallet", "workspace"]);
  expect(ofMember).toMatchObject({ attention: [], inFlight: { count: 0, runs: [] } });
  expect(Object.keys(ofWallet).toSorted()).toEqual(["attention", "spent", "wallet", "workspace"]);
  expect(ofWallet.attention).toEqual([]);
});

test("an overview of another workspace has nothing of this one", async () => {
  const { body } = await owner("POST", "/v1/admin/workspaces", { name: "Elsewhere" });
  const { workspaceId } = body.workspace ?? body;
  const made = await owner("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, { label: "e", scopes: ["*"] });

  const seen = await overview(askWith(daemon.url, made.body.key));

  expect(seen).toMatchObject({
    workspace: { slug: "elsewhere" },
    wallet: { balance: { value: 0 }, held: { value: 0 } },
    budgets: [],
    inFlight: { count: 0, runs: [] },
    attention: [],
  });
});
