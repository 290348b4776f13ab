import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import {
  DAY,
  handClock,
  type HandClock,
  HOUR,
  openPhoneMarket,
  type PhoneMarket,
  scriptPhones,
} from "./phone-market.ts";

let upstream: FakeProvider;
let home: MktHome;
let clock: HandClock;
let market: PhoneMarket | undefined;

beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptPhones(upstream);
  home = mktHome();
  clock = handClock("2026-01-31T12:00:00.000Z");
});

afterEach(async () => {
  await market?.[Symbol.asyncDispose]();
  market = undefined;
  home[Symbol.dispose]();
  await upstream[Symbol.asyncDispose]();
});

async function open(options: { credit?: string; rent?: object } = {}): Promise<PhoneMarket> {
  const { credit = "1000", rent } = options;
  market = await openPhoneMarket(upstream, {
    home,
    clock,
    environment: { MKT_STARTING_CREDIT: credit },
    ...(rent !== undefined && { rent }),
  });
  return market;
}

async function reopen(): Promise<PhoneMarket> {
  await market?.[Symbol.asyncDispose]();
  return await open();
}

const cycle = (wanted: number) => (resource: any) => resource.renewal.cycle === wanted;
const state = (wanted: string) => (resource: any) => resource.state === wanted;

describe("the rent", () => {
  test("is charged three days ahead, once a month, and a 31st comes back after February", async () => {
    const phones = await open();
    const { resourceId } = await phones.buy();
    const paid = await phones.balance();

    clock.set("2026-02-25T11:59:00.000Z");
    const early = await phones.resource(resourceId);
    clock.set("2026-02-25T12:00:00.000Z");
    const renewed = await phones.until(resourceId, cycle(2));
    clock.set("2026-03-30T00:00:00.000Z");
    const again = await phones.until(resourceId, cycle(3));

    expect(early.renewal).toMatchObject({ cycle: 1, renewAttemptAt: "2026-02-25T12:00:00.000Z" });
    expect(renewed.renewal).toMatchObject({
      currentPeriodStart: "2026-02-28T12:00:00.000Z",
      currentPeriodEnd: "2026-03-31T12:00:00.000Z",
      lastAttempt: { outcome: "SUCCEEDED" },
    });
    expect(again.renewal.currentPeriodEnd).toBe("2026-04-30T12:00:00.000Z");
    expect(await phones.balance()).toBeCloseTo(paid - 4, 6);
    expect(await phones.events(resourceId)).toMatchObject([
      { type: "PROVISIONED", cycle: 1 },
      { type: "RENEWED", cycle: 2, amount: { value: 2, currency: "USD" } },
      { type: "RENEWED", cycle: 3 },
    ]);
  });

  test("is charged once, also across restarts and a clock that is set forth and back", async () => {
    let phones = await open();
    const { resourceId } = await phones.buy();
    const paid = await phones.balance();
    clock.set("2026-02-26T00:00:00.000Z");
    await phones.until(resourceId, cycle(2));

    phones = await reopen();
    clock.set("2026-02-01T00:00:00.000Z");
    phones = await reopen();
    clock.set("2026-02-26T01:00:00.000Z");
    phones = await reopen();
    await phones.daemon.daemon.close();
    phones = await reopen();

    expect(await phones.resource(resourceId)).toMatchObject({ state: "ACTIVE", renewal: { cycle: 2 } });
    expect(await phones.balance()).toBeCloseTo(paid - 2, 6);
  });

  test("of months that passed while nobody was there is not charged", async () => {
    const phones = await open();
    const { resourceId } = await phones.buy();
    const paid = await phones.balance();

    clock.set("2026-07-15T00:00:00.000Z");
    const renewed = await phones.until(resourceId, cycle(6));

    expect(renewed.renewal).toMatchObject({
      currentPeriodStart: "2026-06-30T12:00:00.000Z",
      currentPeriodEnd: "2026-07-31T12:00:00.000Z",
    });
    expect(await phones.balance()).toBeCloseTo(paid - 2, 6);
  });

  test("is not charged for what the provider has no longer: it is RELEASED, with the reason", async () => {
    const phones = await open();
    const { resourceId } = await phones.buy();
    const paid = await phones.balance();
    upstream.on("GET /numbers/*", { status: 404 });

    clock.set("2026-02-26T00:00:00.000Z");
    const gone = await phones.until(resourceId, state("RELEASED"));

    expect(gone).toMatchObject({ releaseReasonCode: "GONE", releasedAt: "2026-02-26T00:00:00.000Z" });
    expect(await phones.balance()).toBeCloseTo(paid, 6);
    expect((await phones.events(resourceId)).at(-1)).toMatchObject({ type: "RELEASED" });
  });

  test("is not charged while the provider does not tell, and nothing is lost over that", async () => {
    const phones = await open();
    const { resourceId, externalId } = await phones.buy();
    const paid = await phones.balance();
    upstream.on("GET /numbers/*", { status: 500, json: { message: "down for repairs" } });

    clock.set("2026-02-26T00:00:00.000Z");
    const failed = await phones.until(resourceId, (resource) => resource.renewal.lastAttempt?.outcome === "FAILED");
    clock.set("2026-03-20T00:00:00.000Z");
    await phones.until(resourceId, state("SUSPENDED"));
    upstream.on("GET /numbers/*", { json: { number: "+351" } });
    clock.forward(6 * HOUR);
    const back = await phones.until(resourceId, state("ACTIVE"));

    expect(failed).toMatchObject({
      state: "ACTIVE",
      renewal: { cycle: 1, lastAttempt: { reason: "down for repairs" } },
    });
    expect(back.renewal.cycle).toBe(2);
    expect(await phones.balance()).toBeCloseTo(paid - 2, 6);
    expect(upstream.count(`DELETE /numbers/${externalId}`)).toBe(0);
  });
});

describe("a wallet that does not cover the rent", () => {
  test("leaves the resource usable until the paid period ends, then SUSPENDED, and ACTIVE as soon as it is credited", async () => {
    const phones = await open({ credit: "3" });
    const { resourceId, externalId } = await phones.buy();

    clock.set("2026-02-26T00:00:00.000Z");
    const unpaid = await phones.until(resourceId, (resource) => resource.renewal.lastAttempt !== undefined);
    expect(await phones.run("/messages/send", { from: externalId })).toMatchObject({ status: "COMPLETED" });
    clock.set("2026-02-28T12:00:01.000Z");
    const suspended = await phones.until(resourceId, state("SUSPENDED"));
    const refused = await phones.run("/messages/send", { from: externalId });
    const { workspaces } = (await phones.daemon.request("GET", "/v1/auth/workspaces")).body;
    await phones.daemon.request("POST", `/v1/admin/workspaces/${workspaces[0].workspaceId}/credits`, {
      amount: { value: 2, currency: "USD" },
      reason: "top-up",
    });
    const back = await phones.until(resourceId, state("ACTIVE"));

    expect(unpaid).toMatchObject({
      state: "ACTIVE",
      renewal: { cycle: 1, lastAttempt: { outcome: "FAILED", reason: "The wallet has $0.95, and the rent is $2" } },
    });
    expect(suspended.renewal.cycle).toBe(1);
    expect(refused).toMatchObject({ code: 404, message: expect.stringContaining("its rent is not paid") });
    expect(back.renewal.cycle).toBe(2);
    expect(await phones.balance()).toBeCloseTo(0.94, 6);
    expect((await phones.events(resourceId)).map(({ type }) => type)).toEqual([
      "PROVISIONED",
      "RENEW_FAILED",
      "RENEW_FAILED",
      "SUSPENDED",
      "RENEWED",
      "RESUMED",
    ]);
  });

  test("loses the resource after seven days of grace: it is given back to the provider", async () => {
    const phones = await open({ credit: "3" });
    const { resourceId, externalId } = await phones.buy();

    clock.set("2026-02-28T12:00:01.000Z");
    await phones.until(resourceId, state("SUSPENDED"));
    clock.forward(7 * DAY - HOUR);
    const waiting = await phones.until(resourceId, ({ renewal }) => renewal.lastAttempt.at > "2026-03-07");
    clock.forward(HOUR);
    const lost = await phones.until(resourceId, state("RELEASED"));

    expect(waiting.state).toBe("SUSPENDED");
    expect(lost).toMatchObject({ releaseReasonCode: "UNPAID", releaseReason: "The rent was not paid" });
    expect(upstream.count(`DELETE /numbers/${externalId}`)).toBe(1);
    expect(await phones.balance()).toBeCloseTo(0.95, 6);
  });

  test("loses nothing at the first look after months in which nobody was there: the grace begins then", async () => {
    const phones = await open({ credit: "3" });
    const { resourceId, externalId } = await phones.buy();

    clock.set("2026-05-10T12:00:00.000Z");
    const again = await reopen();
    const suspended = await again.until(resourceId, state("SUSPENDED"));
    clock.forward(7 * DAY - HOUR);
    const waiting = await again.until(resourceId, ({ renewal }) => renewal.lastAttempt.at > "2026-05-17");
    clock.forward(HOUR);
    const lost = await again.until(resourceId, state("RELEASED"));

    expect(suspended.renewal.lastAttempt).toMatchObject({ reason: "The wallet has $0.95, and the rent is $2" });
    expect(waiting.state).toBe("SUSPENDED");
    expect(lost.releaseReasonCode).toBe("UNPAID");
    expect(upstream.count(`DELETE /numbers/${externalId}`)).toBe(1);
  });

  test("is charged below zero where wallets are unlimited", async () => {
    const phones = await open({ credit: "unlimited" });
    const { resourceId } = await phones.buy();

    clock.set("2026-02-26T00:00:00.000Z");
    await phones.until(resourceId, cycle(2));

    expect(await phones.balance()).toBeCloseTo(-4.05, 6);
  });
});

test("a rent that brings a budget to a mark is told in the log, once", async () => {
  const warnings: Readonly<Record<string, unknown>>[] = [];
  market = await openPhoneMarket(upstream, {
    home,
    clock,
    onLog: (line) => void (typeof line["percent"] === "number" && warnings.push(line)),
  });
  const { resourceId, externalId } = await market.buy();
  const { budgetControlId } = (
    await market.daemon.request("POST", "/v1/controls/workspace/budgets", {
      period: "DAY",
      limitAmount: { value: 250, unit: "CENT", currency: "USD" },
    })
  ).body;

  clock.set("2026-02-26T00:00:00.000Z");
  await market.until(resourceId, cycle(2));
  await market.run("/messages/send", { from: externalId });

  expect(warnings).toMatchObject([
    {
      msg: "a budget has reached 80 percent of its limit",
      resourceId,
      controlId: budgetControlId,
      percent: 80,
      spentMicroDollars: 2_000_000,
    },
  ]);
});

test("a rent counts in the window that is open, though the clock was set back to before it", async () => {
  clock.set("2026-03-05T12:00:00.000Z");
  const phones = await open();
  await phones.buy();
  const { budgetControlId } = (
    await phones.daemon.request("POST", "/v1/controls/workspace/budgets", {
      period: "MONTH",
      limitAmount: { value: 10_000, unit: "CENT", currency: "USD" },
    })
  ).body;
  clock.set("2026-01-31T12:00:00.000Z");
  const { resourceId } = await phones.buy();

  clock.set("2026-02-26T00:00:00.000Z");
  await phones.until(resourceId, cycle(2));

  const budget = await phones.daemon.request("GET", `/v1/controls/workspace/budgets/${budgetControlId}`);
  expect(budget.body).toMatchObject({ windowStart: "2026-03-01T00:00:00.000Z", spentAmount: 6.1 });
});

test("a rent by the minute is charged a tenth of it ahead", async () => {
  clock.set("2026-06-01T00:00:00.000Z");
  const phones = await open({ rent: { type: "BY_PERIOD", amount: 0.01, period: { unit: "MINUTE", count: 10 } } });
  const { resourceId } = await phones.buy();

  const { renewal } = await phones.resource(resourceId);

  expect(renewal).toMatchObject({
    renewLead: { unit: "MINUTE", count: 1 },
    renewAttemptAt: "2026-06-01T00:09:00.000Z",
    currentPeriodEnd: "2026-06-01T00:10:00.000Z",
  });
});
