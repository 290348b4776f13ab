import { afterEach, beforeEach, describe, expect, test, type TestContext } from "vitest";
import { examine } from "../../daemon/doctor/doctor.ts";
import type { ResourceRecord } from "../../daemon/ledger/records/resource-record.ts";
import { openJournalStore } from "../../daemon/storage/journal/journal-store.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { mktHome, type MktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { dieLeaving, needsFiles } from "../support/suite-store.ts";
import { DAY, handClock, type HandClock, phonedesk, scriptPhones } from "./phone-market.ts";

/*
 * A provider that gives a thing by its name: whoever asks for "box1" gets box1. Here `/numbers/buy` gives the number that
 * `country` names, for $0.05 a call and $2 a month.
 */
let upstream: FakeProvider;
let home: MktHome;
let clock: HandClock;
let daemon: TestDaemon;

beforeEach(async () => {
  upstream = await startFakeProvider();
  scriptPhones(upstream);
  upstream.on("POST /numbers", ({ json }) => ({
    json: { id: json.country, number: `+${json.country}`, country: "PT" },
  }));
  home = mktHome();
  clock = handClock();
  daemon = await serve(home);
});

afterEach(async () => {
  await upstream[Symbol.asyncDispose]();
  await daemon[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

async function serve(folder: MktHome, config = {}): Promise<TestDaemon> {
  return await startTestDaemon({
    home: folder,
    clock,
    config,
    manifests: { phonedesk: phonedesk(upstream.url), otherdesk: phonedesk(upstream.url) },
    environment: { MKT_STARTING_CREDIT: "100" },
  });
}

/** The owner's workspace, and one of somebody else with $100. */
async function neighbours(): Promise<{ mine: Ask; theirs: Ask; theirKey: string }> {
  const mine = daemon.request;
  const made = (await mine("POST", "/v1/admin/workspaces", { name: "Neighbour" })).body;
  const path = `/v1/admin/workspaces/${made.workspaceId}`;
  await mine("POST", `${path}/credits`, { amount: { value: 100, currency: "USD" }, reason: "test" });
  const theirKey = (await mine("POST", `${path}/api-keys`, { label: "theirs" })).body.key;
  return { mine, theirs: askWith(daemon.url, theirKey), theirKey };
}

const run = async (ask: Ask, endpoint: string, body: object, provider = "phonedesk") =>
  (await ask("POST", "/v1/run", { provider, endpoint, input: { body } })).body;
const buy = async (ask: Ask, name = "box1") => await run(ask, "/numbers/buy", { country: name });
const resourcesOf = async (ask: Ask, state = "") => (await ask("GET", `/v1/resources${state}`)).body.items;
const balance = async (ask: Ask) => (await ask("GET", "/v1/wallet/balance")).body;
const release = async (ask: Ask, resourceId: string) => await ask("POST", `/v1/resources/${resourceId}/release`);
const untilReleased = async (ask: Ask, resourceId: string) => {
  await expect
    .poll(async () => (await ask("GET", `/v1/resources/${resourceId}`)).body.state, { timeout: 10_000 })
    .toBe("RELEASED");
};

describe("an id that another workspace's resource has", () => {
  test("gives the run no resource, no rent, and a note that names nothing of the owner", async () => {
    const { mine, theirs } = await neighbours();
    const first = await buy(mine);
    const second = await buy(theirs);

    expect(first.resources).toMatchObject([{ action: "PROVISIONED", identifier: "+box1" }]);
    expect(second).toMatchObject({
      status: "COMPLETED",
      cost: { value: 0.05 },
      output: { id: "box1" },
      notes: [
        "The provider's answer names a resource (Phone number) that is not this workspace's; it got none. No rent was charged.",
      ],
    });
    expect(second).not.toHaveProperty("resources");
    expect(await resourcesOf(theirs)).toEqual([]);
    expect(await balance(theirs)).toMatchObject({ balance: { value: 99.95 }, held: { value: 0 } });
    const [owned] = await resourcesOf(mine);
    expect(JSON.stringify(second)).not.toContain(owned.resourceId);
    expect((await run(theirs, "/messages/send", { from: "box1" })).code).toBe(404);
    expect((await run(theirs, "/numbers/drop", { number: "box1" })).code).toBe(404);
    expect(await run(mine, "/messages/send", { from: "box1" })).toMatchObject({ status: "COMPLETED" });
  });

  test("has one owner also when both ask at once, and many times", async () => {
    const { mine, theirs } = await neighbours();
    const names = Array.from({ length: 10 }, (_, n) => `box${n}`);

    await Promise.all(names.flatMap((name) => [buy(mine, name), buy(theirs, name), buy(mine, name)]));

    const all = [...(await resourcesOf(mine, "?limit=100")), ...(await resourcesOf(theirs, "?limit=100"))];
    expect(all.map(({ externalId }) => externalId).sort()).toEqual(names);
    const spent = 200 - (await balance(mine)).balance.value - (await balance(theirs)).balance.value;
    expect(spent).toBeCloseTo(30 * 0.05 + 10 * 2, 6);
  });

  test("is another one at another provider, and of another kind", async () => {
    const { mine, theirs } = await neighbours();
    await buy(mine, "lock-1");

    const elsewhere = await run(theirs, "/numbers/buy", { country: "lock-1" }, "otherdesk");
    const lock = await run(theirs, "/locks/make", {});

    expect(elsewhere.resources).toHaveLength(1);
    expect(lock.resources).toHaveLength(1);
  });

  test("is free again once it is released: a new thing, of whoever gets it", async () => {
    const { mine, theirs } = await neighbours();
    const lock = async (ask: Ask) => (await run(ask, "/locks/make", {})).resources?.[0].resourceId as string;
    const first = await lock(mine);
    await release(mine, first);
    await untilReleased(mine, first);

    const second = await lock(theirs);

    expect(second).toBeDefined();
    expect(second).not.toBe(first);
    expect(await lock(mine)).toBeUndefined();
  });
});

describe("an id that the workspace has already", () => {
  test("is the same resource: one rent, and the run says so", async () => {
    const { mine } = await neighbours();
    const first = await buy(mine);
    const second = await buy(mine);

    expect(second).toMatchObject({
      status: "COMPLETED",
      cost: { value: 0.05 },
      resources: first.resources,
      notes: [
        "The provider gave a resource (Phone number) that this workspace has already: it is still one. No rent was charged.",
      ],
    });
    expect(await resourcesOf(mine)).toHaveLength(1);
    clock.forward(40 * DAY);
    await expect.poll(async () => (await resourcesOf(mine))[0].renewal.cycle, { timeout: 10_000 }).toBe(2);
    expect((await balance(mine)).balance.value).toBeCloseTo(100 - 2 * 0.05 - 2 * 2, 6);
  });

  test("stays with its workspace when it was to be released later: the release is withdrawn", async () => {
    const { mine } = await neighbours();
    const { resourceId } = (await buy(mine)).resources[0];
    await release(mine, resourceId);
    const again = await buy(mine);
    clock.forward(40 * DAY);

    await expect.poll(async () => (await resourcesOf(mine))[0].renewal.cycle, { timeout: 10_000 }).toBe(2);

    expect(again).toMatchObject({ cost: { value: 0.05 }, resources: [{ action: "PROVISIONED", resourceId }] });
    expect(again.notes.join()).toContain("Its release was withdrawn.");
    const [now] = await resourcesOf(mine);
    expect(now).toMatchObject({ resourceId, state: "ACTIVE" });
    expect(now).not.toHaveProperty("releaseReason");
    expect(now.renewal).not.toHaveProperty("cancelledAt");
    expect(upstream.count("DELETE /numbers/*")).toBe(0);
  });

  test("that is being given back at this moment is not taken for kept", async () => {
    const { mine } = await neighbours();
    upstream.on("DELETE /locks/*", { hang: true });
    const { resourceId } = (await run(mine, "/locks/make", {})).resources[0];
    await release(mine, resourceId);

    const again = await run(mine, "/locks/make", {});

    expect(again.notes.join()).toContain("It is being given back to the provider");
    expect((await mine("GET", `/v1/resources/${resourceId}`)).body.state).toBe("EXPIRING");
  });

  test("is the same after a crash and a restart, for its workspace and for others", async () => {
    const { mine, theirKey } = await neighbours();
    const { resourceId } = (await buy(mine)).resources[0];
    using copy = mktHome();
    await dieLeaving(home, copy);
    await using next = await serve(copy, { forceUnlock: true });

    const again = await buy(askWith(next.url, daemon.key));
    const other = await buy(askWith(next.url, theirKey));

    expect(again.resources).toMatchObject([{ resourceId }]);
    expect(other).not.toHaveProperty("resources");
  });
});

describe("a folder of a version that let an id be taken twice", () => {
  /** What such a version recorded: the neighbour's resource, of the same id as the owner's. */
  async function recordTwice(context: TestContext): Promise<{ theirs: string; first: string }> {
    needsFiles(context, "no version that kept its data in a database let it be taken twice");
    const { mine, theirKey, theirs } = await neighbours();
    const first = (await buy(mine)).resources[0].resourceId;
    const { workspaceId } = (await theirs("GET", "/v1/auth/whoami")).body.workspace;
    const ownerOfFirst = (await mine("GET", "/v1/auth/whoami")).body.workspace.workspaceId;
    await daemon.daemon.close();
    const store = await openJournalStore({ dataDir: home.dataDir, onFatal: () => {} });
    const known = (await store.findResource(ownerOfFirst, first)) as ResourceRecord;
    const resource = { ...known, resourceId: "01ZZZZZZZZZZZZZZZZZZZZZZZZ", workspaceId };
    await store.commit({
      line: { t: "resource.changed", v: 1, at: known.createdAt, ws: workspaceId, resource, led: [] },
    });
    await store.close();
    return { theirs: theirKey, first };
  }
  const duplicate = "01ZZZZZZZZZZZZZZZZZZZZZZZZ";

  test("opens; doctor names the resources, and the later one cannot be used or read at the provider", async (context) => {
    const { theirs, first } = await recordTwice(context);
    const { findings } = await examine({ dataDir: home.dataDir });
    const doctor = await spawnMkt(["doctor", "--data-dir", home.dataDir, "--json"], { home });
    daemon = await serve(home);
    const ask = askWith(daemon.url, theirs);

    expect(findings).toMatchObject([{ check: "resources", kind: "damage" }]);
    expect(JSON.parse(doctor.stdout).findings).toContainEqual(
      expect.objectContaining({ check: "data", next: expect.stringMatching(/^mkt .*resources$/) }),
    );
    expect(findings[0]?.message).toMatch(new RegExp(`^${duplicate} .* as ${first} `));
    expect((await ask("GET", `/v1/resources/${duplicate}`)).body).toMatchObject({ state: "ACTIVE" });
    expect((await run(ask, "/messages/send", { from: "box1" })).code).toBe(404);
    expect((await ask("GET", `/v1/resources/${duplicate}/external/phone-number`)).status).toBe(404);
    expect(await run(askWith(daemon.url, daemon.key), "/messages/send", { from: "box1" })).toMatchObject({
      status: "COMPLETED",
    });
  });

  test("ends the later one without a rent and without a word to the provider", async (context) => {
    const { theirs, first } = await recordTwice(context);
    clock.forward(40 * DAY);
    daemon = await serve(home);
    const ask = askWith(daemon.url, theirs);
    await untilReleased(ask, duplicate);
    await expect.poll(async () => (await resourcesOf(daemon.request))[0].renewal.cycle, { timeout: 10_000 }).toBe(2);

    expect((await ask("GET", `/v1/resources/${duplicate}`)).body).toMatchObject({ releaseReasonCode: "DUPLICATE" });
    expect((await balance(ask)).balance.value).toBe(100);
    expect(upstream.count("DELETE /numbers/*")).toBe(0);
    expect((await resourcesOf(daemon.request))[0]).toMatchObject({ resourceId: first, state: "ACTIVE" });
    await daemon.daemon.close();
    expect((await examine({ dataDir: home.dataDir })).findings).toEqual([]);
  });

  test("lets the later one be released, which the first does not notice", async (context) => {
    const { theirs, first } = await recordTwice(context);
    daemon = await serve(home);
    const ask = askWith(daemon.url, theirs);

    await release(ask, duplicate);
    clock.forward(31 * DAY);
    await untilReleased(ask, duplicate);

    expect(upstream.count("DELETE /numbers/*")).toBe(0);
    expect((await resourcesOf(daemon.request))[0]).toMatchObject({ resourceId: first, state: "ACTIVE" });
  });
});
