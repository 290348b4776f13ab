import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { dieLeaving } from "../support/suite-store.ts";
import { untilCalled } from "../support/weather-manifest.ts";
import {
  handClock,
  type HandClock,
  openPhoneMarket,
  type PhoneMarket,
  phonedesk,
  scriptPhones,
} from "./phone-market.ts";

/*
 * A daemon that dies: what it had on disk at that moment, which is all that kill -9 leaves, is in another home, and the
 * next daemon starts there.
 */
let upstream: FakeProvider;
let home: MktHome;
let copy: MktHome;
let clock: HandClock;
let market: PhoneMarket;

beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptPhones(upstream);
  [home, copy] = [mktHome(), mktHome()];
  clock = handClock();
  market = await openPhoneMarket(upstream, { home, clock, environment: { MKT_STARTING_CREDIT: "100" } });
});

afterEach(async () => {
  // What hangs must not hold the end of the test up.
  await upstream[Symbol.asyncDispose]();
  await market[Symbol.asyncDispose]();
  home[Symbol.dispose]();
  copy[Symbol.dispose]();
});

async function restartFromDisk() {
  await dieLeaving(home, copy);
  const daemon = await startTestDaemon({
    home: copy,
    clock,
    manifests: { phonedesk: phonedesk(upstream.url) },
    config: { forceUnlock: true },
  });
  return {
    ask: askWith(daemon.url, market.daemon.key),
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

describe("after a crash", () => {
  test("in the middle of a call that makes a resource, the run is FAILED, uncharged, and says what may be left", async () => {
    upstream.on("POST /numbers", { hang: true });
    void market.run("/numbers/buy", { country: "PT" }).catch(() => {});
    await untilCalled(upstream, "POST /numbers");

    await using next = await restartFromDisk();
    const { items } = (await next.ask("GET", "/v1/runs")).body;
    const run = (await next.ask("GET", `/v1/runs/${items[0].runId}`)).body;
    const { balance, held } = (await next.ask("GET", "/v1/wallet/balance")).body;

    expect(run).toMatchObject({
      status: "FAILED",
      providerMayHaveCharged: true,
      notes: [expect.stringContaining("may have made a resource (Phone number)")],
    });
    expect([balance.value, held.value]).toEqual([100, 0]);
    expect((await next.ask("GET", "/v1/resources")).body).toEqual({ items: [] });
    expect(upstream.count("POST /numbers")).toBe(1);
  });

  test("in the middle of giving one back, it is given back again", async () => {
    const run = await market.run("/locks/make");
    const { resourceId } = run.resources[0];
    upstream.on("DELETE /locks/*", { hang: true });
    await market.daemon.request("POST", `/v1/resources/${resourceId}/release`);
    await untilCalled(upstream, "DELETE /locks/lock-1");

    upstream.on("DELETE /locks/*", { status: 204 });
    await using next = await restartFromDisk();

    await expect
      .poll(async () => (await next.ask("GET", `/v1/resources/${resourceId}`)).body.state, { timeout: 10_000 })
      .toBe("RELEASED");
  });

  test("in the middle of asking whether one is still there, its rent is charged once", async () => {
    const { resourceId } = await market.buy();
    upstream.on("GET /numbers/*", { hang: true });
    clock.set("2026-02-26T00:00:00.000Z");
    await untilCalled(upstream, "GET /numbers/*");

    upstream.on("GET /numbers/*", { json: { number: "+351" } });
    await using next = await restartFromDisk();
    await expect
      .poll(async () => (await next.ask("GET", `/v1/resources/${resourceId}`)).body.renewal.cycle, { timeout: 10_000 })
      .toBe(2);

    expect((await next.ask("GET", "/v1/wallet/balance")).body.balance.value).toBeCloseTo(95.95, 6);
  });
});
