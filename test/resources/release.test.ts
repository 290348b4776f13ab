import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { untilCalled } from "../support/weather-manifest.ts";
import { handClock, type HandClock, openPhoneMarket, type PhoneMarket, scriptPhones } from "./phone-market.ts";

let upstream: FakeProvider;
let home: MktHome;
let clock: HandClock;
let phones: PhoneMarket;

beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptPhones(upstream);
  home = mktHome();
  clock = handClock("2026-01-31T12:00:00.000Z");
  phones = await open();
});

afterEach(async () => {
  await phones?.[Symbol.asyncDispose]();
  home[Symbol.dispose]();
  await upstream[Symbol.asyncDispose]();
});

const open = async () => await openPhoneMarket(upstream, { home, clock, environment: { MKT_STARTING_CREDIT: "1000" } });

async function reopen(): Promise<void> {
  await phones[Symbol.asyncDispose]();
  phones = await open();
}

const release = async (resourceId: string) =>
  await phones.daemon.request("POST", `/v1/resources/${resourceId}/release`);
const state = (wanted: string) => (resource: any) => resource.state === wanted;

describe("a resource with a rent", () => {
  test("is EXPIRING and usable until the date that is paid for, then given back; no rent is charged any more", async () => {
    const { resourceId, externalId } = await phones.buy();
    const paid = await phones.balance();

    const accepted = await release(resourceId);
    const repeated = await release(resourceId);
    const used = await phones.run("/messages/send", { from: externalId });
    clock.set("2026-02-27T00:00:00.000Z");
    await phones.run("/messages/send", { from: externalId });
    const before = upstream.count(`DELETE /numbers/${externalId}`);
    clock.set("2026-02-28T12:00:00.000Z");
    const released = await phones.until(resourceId, state("RELEASED"));

    expect(accepted).toMatchObject({
      status: 202,
      body: { resourceId, state: "EXPIRING", message: expect.stringContaining("2026-02-28T12:00:00.000Z") },
    });
    expect(repeated).toMatchObject({ status: 202, body: accepted.body });
    expect(used.status).toBe("COMPLETED");
    expect(before).toBe(0);
    expect(released).toMatchObject({
      releasable: false,
      releaseReasonCode: "REQUESTED",
      releasedBy: expect.stringMatching(/^API_KEY#/),
      renewal: { cycle: 1, cancelledAt: "2026-01-31T12:00:00.000Z" },
    });
    expect(upstream.count(`DELETE /numbers/${externalId}`)).toBe(1);
    expect(await phones.balance()).toBeCloseTo(paid - 0.02, 6);
    expect((await release(resourceId)).status).toBe(409);
    expect((await phones.events(resourceId)).map(({ type }) => type)).toEqual([
      "PROVISIONED",
      "RELEASE_REQUESTED",
      "RELEASED",
    ]);
  });

  test("may not be changed any more once its release was asked for", async () => {
    const { resourceId, externalId } = await phones.buy();
    await release(resourceId);

    expect(await phones.run("/numbers/label", { number: externalId })).toMatchObject({ code: 404 });
  });

  test("cannot be used beyond that date, though its provider does not take it back", async () => {
    const { resourceId, externalId } = await phones.buy();
    upstream.on("DELETE /numbers/*", { status: 500 });
    await release(resourceId);

    clock.set("2026-02-28T12:00:00.000Z");
    await untilCalled(upstream, `DELETE /numbers/${externalId}`);

    expect(await phones.run("/messages/send", { from: externalId })).toMatchObject({
      code: 404,
      message: `The phone-number "${externalId}" cannot be used now, it is EXPIRING`,
    });
  });

  test("goes on being given back after a restart", async () => {
    const { resourceId, externalId } = await phones.buy();
    await release(resourceId);

    await reopen();
    clock.set("2026-03-01T00:00:00.000Z");
    await phones.until(resourceId, state("RELEASED"));

    expect(upstream.count(`DELETE /numbers/${externalId}`)).toBe(1);
  });
});

describe("a resource without a rent", () => {
  const makeLock = async () => (await phones.run("/locks/make")).resources[0].resourceId as string;

  test("is given back at once", async () => {
    const resourceId = await makeLock();

    expect((await release(resourceId)).body.message).toBe("It is being given back to the provider");
    await phones.until(resourceId, state("RELEASED"));

    expect(upstream.count("DELETE /locks/lock-1")).toBe(1);
  });

  test("that its provider never takes back cannot be released: 409", async () => {
    const resourceId = (await phones.run("/relics/make")).resources[0].resourceId as string;

    const { status, body } = await release(resourceId);

    expect(status).toBe(409);
    expect(body.message).toContain("no way to take it back");
    expect(await phones.resource(resourceId)).toMatchObject({ state: "ACTIVE", releasable: false });
  });

  test("is tried again, later and later, while the provider does not take it", async () => {
    upstream.on("DELETE /locks/*", { status: 503 }, { reset: true }, { status: 204 });
    const resourceId = await makeLock();

    await release(resourceId);
    await untilCalled(upstream, "DELETE /locks/lock-1");
    await expect.poll(async () => (await phones.events(resourceId)).at(-1)?.type).toBe("RELEASE_FAILED");
    clock.forward(10_000);
    await untilCalled(upstream, "DELETE /locks/lock-1", 1);
    await expect.poll(async () => (await phones.events(resourceId)).length).toBe(4);
    expect(await phones.resource(resourceId)).toMatchObject({ state: "EXPIRING" });
    clock.forward(10_000);
    await phones.until(resourceId, state("RELEASED"));

    expect((await phones.events(resourceId)).map(({ type }) => type)).toEqual([
      "PROVISIONED",
      "RELEASE_REQUESTED",
      "RELEASE_FAILED",
      "RELEASE_FAILED",
      "RELEASED",
    ]);
  });

  test("is given back by one call at a time, however often that is asked", async () => {
    upstream.on("DELETE /locks/*", { status: 204, delayMs: 300 });
    const resourceId = await makeLock();

    const answers = await Promise.all([release(resourceId), release(resourceId), release(resourceId)]);
    await phones.until(resourceId, state("RELEASED"));

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(upstream.count("DELETE /locks/lock-1")).toBe(1);
  });

  test("whose call was cut off by the end of the daemon is given back by the next one", async () => {
    upstream.on("DELETE /locks/*", { hang: true });
    const resourceId = await makeLock();
    await release(resourceId);
    await untilCalled(upstream, "DELETE /locks/lock-1");

    upstream.on("DELETE /locks/*", { status: 204 });
    await reopen();
    const released = await phones.until(resourceId, state("RELEASED"));

    expect(released.releaseReasonCode).toBe("REQUESTED");
    expect(upstream.count("DELETE /locks/lock-1")).toBe(2);
  });
});
