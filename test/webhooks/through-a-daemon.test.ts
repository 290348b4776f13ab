import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApprovalMarket, openApprovalMarket } from "../approvals/approval-market.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { listen } from "./listen.ts";

const SOON = { timeout: 15_000 };

let receiver: FakeProvider;
let market: ApprovalMarket;
beforeEach(async () => {
  receiver = await startFakeProvider();
  market = await openApprovalMarket();
});
afterEach(async () => {
  // What hangs must not hold the end of the daemon up.
  await receiver.close();
  await market[Symbol.asyncDispose]();
});

test("a run that waits for somebody's yes is told, with what it may cost and nothing of its input", async () => {
  const { messages } = await listen(market.daemon.request, receiver, ["approval.*", "run.*"]);
  await market.rule(0.005);

  const { body } = await market.ask();
  await expect.poll(() => messages().length, SOON).toBe(1);
  const [asked] = messages();
  await market.approve(body.runId);
  await expect.poll(() => messages().length, SOON).toBe(2);

  expect(asked).toMatchObject({
    type: "approval.requested",
    data: {
      runId: body.runId,
      provider: "weather",
      endpoint: "/now",
      maximum: { value: 0.01 },
      above: { value: 0.005 },
      expiresAt: body.approval.expiresAt,
    },
  });
  expect(JSON.stringify(asked)).not.toContain("Lisbon");
  expect(messages()[1]).toMatchObject({ type: "run.completed", data: { runId: body.runId } });
});

test("an endpoint's outage is told once when it begins and once when it ends", async () => {
  const { messages } = await listen(market.daemon.request, receiver, ["endpoint.*"]);
  market.upstream.on("GET /now", { status: 500, json: {} });
  for (let nth = 0; nth < 7; nth += 1) await market.run();
  await expect.poll(() => messages().length, SOON).toBe(1);

  market.upstream.on("GET /now", { json: { temperature: 21 } });
  await market.run();
  await expect.poll(() => messages().length, SOON).toBe(2);
  await market.run();

  const endpoint = { provider: "weather", endpoint: "/now" };
  expect(messages()).toMatchObject([
    { type: "endpoint.outage_began", data: { ...endpoint, status: "outage" } },
    { type: "endpoint.outage_ended", data: { ...endpoint, since: expect.any(String) } },
  ]);
});

test("receivers that never answer hold no run up: all end while these still hold their requests", async () => {
  const stuck = ["/stuck-1", "/stuck-2", "/stuck-3"];
  for (const path of stuck) {
    receiver.on(`POST ${path}`, { hang: true });
    await market.daemon.request("POST", "/v1/webhooks", { url: `${receiver.url}${path}`, events: ["run.*"] });
  }
  await market.run();
  await expect.poll(() => receiver.connections(), SOON).toBe(stuck.length);

  const ended = await Promise.all(Array.from({ length: 100 }, async () => (await market.run()).body.status));

  expect(ended).toEqual(ended.map(() => "COMPLETED"));
  expect(ended).toHaveLength(100);
  expect(receiver.answered()).toBe(0);
  expect(receiver.connections()).toBeGreaterThanOrEqual(stuck.length);
  const waiting = await Promise.all(
    (await market.daemon.request("GET", "/v1/webhooks")).body.items.map(async ({ webhookId }: any) => {
      const path = `/v1/webhooks/${webhookId}/deliveries?state=WAITING&limit=100`;
      return (await market.daemon.request("GET", path)).body.items.length;
    }),
  );
  expect(waiting).toEqual(stuck.map(() => 100));
});
