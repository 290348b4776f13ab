import type { lookup as dnsLookup } from "node:dns";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { createSecretBox } from "../../daemon/webhooks/secret-box.ts";
import { createWebhookService } from "../../daemon/webhooks/webhook-service.ts";
import { keyCreated, keyRevoked, ownerCreated, webhookCreated } from "../storage/lines.ts";
import { openStage, owner } from "./stage.ts";

let receiver: FakeProvider;

beforeAll(async () => {
  receiver = await startFakeProvider();
  receiver.on("POST /*", { status: 200 });
});

afterAll(async () => {
  await receiver.close();
});

const tenant: WorkspaceCaller = { ...owner, operator: false };
const event = { scheduleId: "s1" };

function callerWith(keyId: string): WorkspaceCaller {
  const key = { keyId, workspaceId: "w1" as const, label: keyId, fingerprint: keyId };
  return { ...owner, actor: `API_KEY#${keyId}`, key };
}

/** One address on loopback or in a private network, as people write it who hope that nobody looks. */
const spellings = [
  "127.0.0.1",
  "127.1",
  "0177.0.0.1",
  "0x7f.0.0.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "127.0.0.1.",
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "0.0.0.0",
  "0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[64:ff9b::7f00:1]",
  "10.0.0.1",
  "192.168.0.1",
  "172.16.0.1",
  "169.254.169.254",
  "[fe80::1]",
  "[fd00::1]",
  "%31%32%37.0.0.1",
  "１２７.0.0.1",
];

describe("a private address", () => {
  test.each(spellings)("spelled %s receives nothing, whether with TLS or without", async (host) => {
    await using stage = await openStage({ privateHosts: [] });
    const before = receiver.accepted();

    for (const scheme of ["https", "http"]) {
      const url = `${scheme}://${host}:${receiver.port}/hook`;
      await expect(stage.webhooks.create(owner, { url })).rejects.toMatchObject({ kind: "invalidInput" });
    }

    expect(await stage.webhooks.list(owner)).toEqual([]);
    expect(receiver.accepted()).toBe(before);
  });

  test("behind a name is refused at each call, whatever the name leads to then", async () => {
    const answers = ["192.0.2.1", "127.0.0.1", "10.0.0.1"];
    let asked = 0;
    const lookup = ((_name: string, _options: object, done: (error: null, found: object[]) => void) => {
      done(null, [{ address: answers[asked++ % answers.length], family: 4 }]);
    }) as unknown as typeof dnsLookup;
    await using stage = await openStage({ privateHosts: [], lookup });
    const before = receiver.accepted();
    const { webhook } = await stage.webhooks.create(owner, { url: `https://rebinding.example:${receiver.port}/hook` });

    await stage.tell("schedule.paused", event);
    for (const waitMs of [0, 5_000, 300_000]) {
      stage.clock.pass(waitMs);
      await stage.driver.tick();
    }

    expect(asked).toBe(3);
    expect(receiver.accepted()).toBe(before);
    const [delivery] = await stage.store.listDeliveries(webhook.webhookId);
    expect(delivery).toMatchObject({ state: "WAITING", attempts: 3 });
    expect(delivery?.last?.error).toContain("is a private address");
  });

  test("that the operator opened is open to the operator's webhooks, and to nobody else's", async () => {
    await using stage = await openStage();
    const url = `${receiver.url}/hook`;

    await expect(stage.webhooks.create(tenant, { url })).rejects.toMatchObject({ kind: "invalidInput" });
    expect((await stage.webhooks.create(owner, { url })).webhook.origin).toBe(receiver.url);
  });
});

describe("a key", () => {
  const mayNot = { kind: "forbidden", errorCode: "INSUFFICIENT_SCOPE" };
  const url = "https://hooks.invalid/x";

  test("that may not read all runs makes no webhook, enables none and widens none", async () => {
    await using stage = await openStage();
    const { webhook } = await stage.webhooks.create(tenant, { url, events: ["budget.*"] });
    const { webhookId } = webhook;
    const narrow: WorkspaceCaller = { ...tenant, scopes: ["controls:*"] };
    const member: WorkspaceCaller = { ...tenant, ownOnly: true };

    for (const caller of [narrow, member]) {
      await expect(stage.webhooks.create(caller, { url })).rejects.toMatchObject(mayNot);
      await expect(stage.webhooks.change(caller, webhookId, { status: "ENABLED" })).rejects.toMatchObject(mayNot);
      await expect(stage.webhooks.change(caller, webhookId, { events: ["*"] })).rejects.toMatchObject(mayNot);
    }
    expect((await stage.webhooks.change(narrow, webhookId, { status: "DISABLED" })).webhook.disabled).toBeDefined();
  });

  test("takes its webhooks with it when it is revoked; who enables one answers for it from then on", async () => {
    await using stage = await openStage();
    await stage.store.commit({ line: keyCreated("k2") });
    const { webhook } = await stage.webhooks.create({ ...callerWith("k2"), operator: false }, { url });

    await stage.store.commit({ line: keyRevoked("k2") });
    await stage.tell("schedule.paused", event);
    expect(await stage.store.listWaitingDeliveries()).toEqual([]);
    expect((await stage.webhooks.get(owner, webhook.webhookId)).webhook.disabled).toMatchObject({ why: "KEY_REVOKED" });

    const enabled = await stage.webhooks.change(owner, webhook.webhookId, { status: "ENABLED" });
    expect(enabled.webhook).toMatchObject({ keyId: "k1", createdBy: "API_KEY#k1" });
    expect(enabled.webhook).not.toHaveProperty("disabled");
  });

  test("takes over a webhook of before keys answered for them, by the next change of it", async () => {
    await using stage = await openStage();
    for (const line of [keyCreated("k2"), webhookCreated("old", { sealedUrl: "sealed" })]) {
      if (line.t === "webhook.created") delete line.webhook.keyId;
      await stage.store.commit({ line });
    }

    const changed = await stage.webhooks.change(callerWith("k2"), "old", { name: "ours" });
    const later = await stage.webhooks.change(owner, "old", { name: "still theirs" });
    await stage.store.commit({ line: keyRevoked("k2") });

    expect(changed.webhook).toMatchObject({ name: "ours", keyId: "k2", createdBy: "API_KEY#k2" });
    expect(later.webhook).toMatchObject({ keyId: "k2" });
    expect((await stage.webhooks.get(owner, "old")).webhook.disabled).toMatchObject({ why: "KEY_REVOKED" });
  });

  test("takes its webhooks with it when it expires", async () => {
    await using stage = await openStage();
    const expiresAt = new Date(stage.clock.now() + 60_000).toISOString();
    await stage.store.commit({ line: keyCreated("k2", { expiresAt }) });
    const { webhook } = await stage.webhooks.create(callerWith("k2"), { url: `${receiver.url}/expired` });
    stage.clock.pass(60_000);

    await stage.tell("schedule.paused", event);
    await stage.driver.tick();

    expect(receiver.calls.filter(({ path }) => path === "/expired")).toEqual([]);
    const { webhook: after, dead } = await stage.webhooks.get(owner, webhook.webhookId);
    expect({ why: after.disabled?.why, dead }).toEqual({ why: "KEY_EXPIRED", dead: 1 });
    const enabled = await stage.webhooks.change(owner, webhook.webhookId, { status: "ENABLED" });
    expect(enabled.webhook).not.toHaveProperty("disabled");
  });

  test("is what a webhook belongs to: a person with an access token makes none and enables none, but may disable it", async () => {
    await using stage = await openStage();
    const { key: _key, ...session } = owner;
    const person: WorkspaceCaller = { ...session, kind: "JWT", actor: "USER#u1" };
    const { webhookId } = (await stage.webhooks.create(owner, { url })).webhook;

    await expect(stage.webhooks.create(person, { url })).rejects.toThrow("belongs to an API key");
    const { webhook } = await stage.webhooks.change(person, webhookId, { status: "DISABLED" });
    expect(webhook.disabled).toMatchObject({ why: "ASKED" });
    await expect(stage.webhooks.change(person, webhookId, { status: "ENABLED" })).rejects.toMatchObject({
      kind: "forbidden",
      message: expect.stringContaining("mkt keys create"),
    });
  });

  test("that tests a webhook which is not there leaves nobody waiting for the attempt", async () => {
    const store = openMemoryStore();
    await store.commit({ line: ownerCreated() });
    const signals: AbortSignal[] = [];
    const webhooks = createWebhookService({
      store,
      box: createSecretBox({ find: async () => undefined, findOrMake: async () => Buffer.alloc(32) }),
      clock: { now: () => 0 },
      newId: () => "id",
      driver: { whenTried: async (_, signal) => void signals.push(signal) },
      checkAddress: async (address) => new URL(address),
      testTimeoutMs: 60_000,
    });

    await expect(webhooks.test(owner, "nothing")).rejects.toMatchObject({ kind: "notFound" });

    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("of another workspace finds none of it", async () => {
    await using stage = await openStage();
    const { webhook } = await stage.webhooks.create(owner, { url });
    const other: WorkspaceCaller = { ...owner, workspaceId: "w2" };

    expect(await stage.webhooks.list(other)).toEqual([]);
    await expect(stage.webhooks.rotate(other, webhook.webhookId)).rejects.toMatchObject({ kind: "notFound" });
    await expect(stage.webhooks.test(other, webhook.webhookId)).rejects.toMatchObject({ kind: "notFound" });
  });
});

describe("a secret", () => {
  test("is in no line, and neither is the address", async () => {
    await using stage = await openStage();
    const { secret, webhook } = await stage.webhooks.create(owner, {
      url: "https://hooks.example.com/services/T0/B0/verysecret",
      format: "slack",
    });

    const kept = JSON.stringify(webhook);

    expect(kept).not.toContain(secret.slice("whsec_".length));
    expect(kept).not.toContain("verysecret");
    expect(kept).toContain("https://hooks.example.com");
  });

  test("that another key sealed is said to be unreadable, and nothing is sent unsigned", async () => {
    const before = receiver.calls.length;
    await using first = await openStage();
    const { webhook } = await first.webhooks.create(owner, { url: `${receiver.url}/restored` });
    await using restored = await openStage({ store: first.store });
    await first.driver.close();

    await restored.tell("schedule.paused", event);
    await restored.driver.tick();

    expect(receiver.calls.length).toBe(before);
    const [delivery] = await restored.store.listDeliveries(webhook.webhookId);
    expect(delivery?.last?.error).toContain("their key is not on this machine");
  });
});
