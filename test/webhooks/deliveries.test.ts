import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RETRY_DELAYS_MS } from "../../daemon/webhooks/retry-schedule.ts";
import { StorageAway } from "../../daemon/ledger/transaction/commit-errors.ts";
import { openMemoryStore } from "../../daemon/storage/memory-store.ts";
import { type FakeCall, type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { pauseSchedule } from "../../daemon/schedules/pause-schedule.ts";
import { AT, scheduleCreated } from "../storage/lines.ts";
import { openStage, owner, TestClock } from "./stage.ts";

let receiver: FakeProvider;

beforeAll(async () => {
  receiver = await startFakeProvider();
});

afterAll(async () => {
  await receiver.close();
});

let paths = 0;
/** An address at the receiver that no other test has. */
function freshPath(): string {
  return `/hook${(paths += 1)}`;
}

function callsOf(path: string): readonly FakeCall[] {
  return receiver.calls.filter((call) => call.path === path);
}

/** As the receiver's own library checks it; the time is the stage's, which is in the past. */
function verify(secret: string, { text, headers }: FakeCall): unknown {
  const { "webhook-id": id = "", "webhook-timestamp": at = "", "webhook-signature": signature = "" } = headers;
  const verifier = new Verifier(secret);
  const expected = verifier.sign(String(id), new Date(Number(at) * 1_000), text);
  expect(String(signature).split(" ")).toContain(expected);
  return JSON.parse(text);
}

describe("a message", () => {
  test("tells that a run ended, signed as Standard Webhooks are, without its input and output", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 204 });
    await using stage = await openStage();
    const { secret } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });

    await stage.endRun("r1", { output: { answer: "the output" }, resultCount: 3 });
    await stage.driver.tick();

    const [call] = callsOf(path);
    if (call === undefined) throw new Error("nothing came");
    expect(verify(secret, call)).toEqual({
      type: "run.completed",
      timestamp: "2026-11-21T10:00:00.000Z",
      data: expect.objectContaining({ runId: "r1", status: "COMPLETED", cost: { value: 0.01, currency: "USD" } }),
    });
    expect(call.headers).toMatchObject({ "content-type": "application/json", "user-agent": "mkt/test" });
    expect(call.text).not.toContain("the output");
    expect(call.text).not.toContain("Lisbon");
    expect(await stage.store.listWaitingDeliveries()).toEqual([]);
  });

  test("tells that a schedule was paused, and why, in the line that pauses it", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 204 });
    await using stage = await openStage();
    const { secret } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}`, events: ["schedule.*"] });
    const { definition, ...created } = scheduleCreated("s1", { name: "morning" });
    await stage.store.commit({ line: { ...created, definition } });
    const pause = { reason: "FAILURES", message: "5 runs in a row failed", at: AT } as const;

    await pauseSchedule(stage.store, definition, { pause });
    const again = pauseSchedule(stage.store, definition, { pause });
    await expect(again).rejects.toMatchObject({ name: "GuardFailed" });
    await stage.driver.tick();

    const [call, ...others] = callsOf(path);
    if (call === undefined) throw new Error("nothing came");
    expect(verify(secret, call)).toEqual({
      type: "schedule.paused",
      timestamp: AT,
      data: {
        scheduleId: "s1",
        name: "morning",
        provider: "weather",
        endpoint: "/now",
        reason: "FAILURES",
        message: "5 runs in a row failed",
      },
    });
    expect(others).toEqual([]);
  });

  test("is verified by the library of the receiver, with its own clock", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200, text: "ok" });
    const clock = new TestClock();
    clock.wallMs = Date.now();
    await using stage = await openStage({ clock });
    const { secret } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });

    await stage.tell("schedule.paused", { scheduleId: "s1" });
    await stage.driver.tick();

    const [call] = callsOf(path);
    const headers = call?.headers as Record<string, string>;
    expect(new Verifier(secret).verify(call?.text ?? "", headers)).toMatchObject({ data: { scheduleId: "s1" } });
    expect(() => new Verifier(secret).verify(`${call?.text} `, headers)).toThrow("No matching signature");
  });

  test("carries both signatures while a secret is replaced, and then the new one alone", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200 });
    await using stage = await openStage();
    const { secret, webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });

    const rotated = await stage.webhooks.rotate(owner, webhook.webhookId, 1);
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();
    stage.clock.pass(3_600_001);
    await stage.tell("schedule.paused", { n: 2 });
    await stage.driver.tick();

    const [both, one] = callsOf(path);
    if (both === undefined || one === undefined) throw new Error("two messages were sent");
    verify(secret, both);
    verify(rotated.secret, both);
    verify(rotated.secret, one);
    expect(String(one.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });

  test("is signed with the first secret as long as it was promised: a further rotation is refused until then, or cuts both", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200 });
    await using stage = await openStage();
    const { secret, webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    const { webhookId } = webhook;
    await stage.webhooks.rotate(owner, webhookId, 1);

    const again = stage.webhooks.rotate(owner, webhookId);
    await expect(again).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringContaining("overlapHours 0"),
    });
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();
    const cut = await stage.webhooks.rotate(owner, webhookId, 0);
    await stage.tell("schedule.paused", { n: 2 });
    await stage.driver.tick();
    const later = await stage.webhooks.rotate(owner, webhookId, 1);

    const [still, only] = callsOf(path);
    if (still === undefined || only === undefined) throw new Error("two messages were sent");
    verify(secret, still);
    verify(cut.secret, only);
    expect(String(only.headers["webhook-signature"]).split(" ")).toHaveLength(1);
    expect(later.webhook.secrets).toHaveLength(2);
    stage.clock.pass(3_600_001);
    expect((await stage.webhooks.rotate(owner, webhookId)).webhook.secrets).toHaveLength(2);
  });

  test("for a chat service is one line of text, with what it would take for markup escaped", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200 });
    await using stage = await openStage();
    await stage.webhooks.create(owner, { url: `${receiver.url}${path}`, format: "slack" });

    await stage.tell("budget.reached", { period: "DAY", percent: 80, spentAmount: 4, limitAmount: 5 });
    await stage.tell("schedule.paused", {
      name: "<!channel> & co",
      provider: "a",
      endpoint: "/b",
      message: "It failed.",
    });
    const maximum = { value: 0.25, currency: "USD" };
    const expiresAt = "2026-11-22T10:00:00Z";
    await stage.tell("approval.requested", { runId: "r1", provider: "a", endpoint: "/b", maximum, expiresAt });
    await stage.tell("secret.failing", { provider: "a" });
    await stage.driver.tick();

    expect(new Set(callsOf(path).map(({ json }) => json.text))).toEqual(
      new Set([
        "The day budget has reached 80 percent: $4 of $5 are spent.",
        "The schedule &lt;!channel&gt; &amp; co of a/b is paused. It failed.",
        "Run r1 of a/b waits for approval until 2026-11-22T10:00:00Z: it may cost up to $0.25.",
        "The provider a refuses its secret.",
      ]),
    );
    expect(callsOf(path).every(({ json }) => Object.keys(json).join() === "text")).toBe(true);
  });

  test("has at most 20 kB, whatever tags a run has", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200 });
    await using stage = await openStage();
    await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });

    await stage.endRun("r1", { tags: { long: "ä".repeat(30_000) } });
    await stage.driver.tick();

    const [call] = callsOf(path);
    expect(call?.bytes.length).toBeLessThan(20_000);
    expect(call?.json.data).toMatchObject({ runId: "r1", status: "COMPLETED" });
  });
});

describe("a delivery that fails", () => {
  test("is tried ten times at the times of the specification, under one id, and is then dead", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 500 });
    await using stage = await openStage();
    const { webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();

    for (const [attempt, delayMs] of RETRY_DELAYS_MS.slice(1).entries()) {
      stage.clock.pass(delayMs - 1);
      await stage.driver.tick();
      expect(callsOf(path)).toHaveLength(attempt + 1);
      stage.clock.pass(1);
      await stage.driver.tick();
      expect(callsOf(path)).toHaveLength(attempt + 2);
    }

    const [delivery] = await stage.store.listDeliveries(webhook.webhookId);
    expect(delivery).toMatchObject({ state: "DEAD", attempts: 10, last: { status: 500, error: "it answered 500" } });
    expect(new Set(callsOf(path).map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([delivery?.id]));
    expect(new Set(callsOf(path).map(({ text }) => text)).size).toBe(1);
    stage.clock.pass(1_000_000_000);
    await stage.driver.tick();
    expect(callsOf(path)).toHaveLength(10);
  });

  test("waits as long as Retry-After asks for, if that is longer", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 503, headers: { "retry-after": "120" } }, { status: 200 });
    await using stage = await openStage();
    await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();

    stage.clock.pass(119_000);
    await stage.driver.tick();
    expect(callsOf(path)).toHaveLength(1);
    stage.clock.pass(1_000);
    await stage.driver.tick();
    expect(callsOf(path)).toHaveLength(2);
  });

  test("by 410 disables its webhook, which says so", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 410 });
    await using stage = await openStage();
    const { webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();
    await stage.tell("schedule.paused", { n: 2 });
    stage.clock.pass(1_000_000);
    await stage.driver.tick();

    expect(callsOf(path)).toHaveLength(1);
    const after = await stage.webhooks.get(owner, webhook.webhookId);
    expect(after.webhook.disabled).toMatchObject({ why: "GONE" });
    expect(after).toMatchObject({ waiting: 0, dead: 1 });
  });

  test("by a redirect is not sent where that leads", async () => {
    const [path, target] = [freshPath(), freshPath()];
    receiver.on(`POST ${path}`, { status: 307, headers: { location: `${receiver.url}${target}` } });
    receiver.on(`POST ${target}`, { status: 200 });
    await using stage = await openStage();
    const { webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();

    expect(callsOf(target)).toEqual([]);
    expect((await stage.store.listDeliveries(webhook.webhookId))[0]).toMatchObject({
      state: "WAITING",
      last: { status: 307, error: "it redirected (307), which is not followed" },
    });
  });

  test("goes on after a restart at its time, under its id, also when the clock was set meanwhile", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 500 }, { status: 500 }, { status: 200 });
    const [store, clock, key] = [openMemoryStore(), new TestClock(), Buffer.alloc(32, 7)];
    {
      await using before = await openStage({ store, clock, key });
      await before.webhooks.create(owner, { url: `${receiver.url}${path}` });
      await before.tell("schedule.paused", { n: 1 });
      await before.driver.tick();
      clock.pass(5_000);
      await before.driver.tick();
    }
    expect(callsOf(path)).toHaveLength(2);
    // A year back: what was to come in five minutes must not come in a year.
    clock.wallMs -= 365 * 86_400_000;

    await using after = await openStage({ store, clock, key });
    await after.driver.tick();
    expect(callsOf(path)).toHaveLength(2);
    clock.pass(5 * 60_000);
    await after.driver.tick();

    expect(callsOf(path)).toHaveLength(3);
    expect(new Set(callsOf(path).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  test("is sent when the clock jumps to its time, as on a machine that slept", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 500 }, { status: 200 });
    await using stage = await openStage();
    await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();

    stage.clock.wallMs += 3_600_000;
    await stage.driver.tick();

    expect(callsOf(path)).toHaveLength(2);
  });

  test.each(["findRun", "findDelivery"] as const)(
    "that cannot be read while the database is away (%s) loses no attempt, and is sent when it is back",
    async (method) => {
      const path = freshPath();
      receiver.on(`POST ${path}`, { status: 204 });
      const memory = openMemoryStore();
      let isAway = false;
      const store = new Proxy(memory, {
        get(target, name) {
          if (name === method && isAway) return () => Promise.reject(new StorageAway("the database is away"));
          return Reflect.get(target, name);
        },
      });
      await using stage = await openStage({ store });
      await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
      isAway = true;
      await stage.endRun("r1");
      await stage.driver.tick();
      stage.clock.pass(5_000);
      await stage.driver.tick();
      isAway = false;

      stage.clock.pass(5_000);
      await stage.driver.tick();

      expect(callsOf(path)).toHaveLength(1);
      const id = String(callsOf(path)[0]?.headers["webhook-id"]);
      const [webhook] = await memory.listWebhooks("w1");
      const delivery = await memory.findDelivery({ webhookId: webhook?.webhookId ?? "", id });
      expect(delivery).toMatchObject({ state: "DELIVERED", attempts: 1 });
    },
  );

  test("is sent again by its id or by time, under the same id", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 410 }, { status: 200 });
    await using stage = await openStage();
    const { webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    const { webhookId } = webhook;
    await stage.tell("schedule.paused", { n: 1 });
    await stage.driver.tick();
    const [dead] = await stage.store.listDeliveries(webhookId);
    if (dead === undefined) throw new Error("one is dead");

    await expect(stage.webhooks.resend(owner, webhookId, { ids: [dead.id] })).rejects.toThrow("is disabled");
    await stage.webhooks.change(owner, webhookId, { status: "ENABLED" });
    await expect(stage.webhooks.resend(owner, webhookId, { ids: ["msg_other"] })).rejects.toThrow("is not among those");
    expect(await stage.webhooks.resend(owner, webhookId, { since: "2026-11-21T10:00:01.000Z" })).toEqual([]);
    expect(await stage.webhooks.resend(owner, webhookId, { since: "2026-11-21T12:00:00.000+02:00" })).toEqual([
      dead.id,
    ]);
    await stage.driver.tick();

    expect(callsOf(path).map(({ headers }) => headers["webhook-id"])).toEqual([dead.id, dead.id]);
    expect(await stage.store.findDelivery(dead)).toMatchObject({ state: "DELIVERED" });
    expect(await stage.webhooks.resend(owner, webhookId, { ids: [dead.id] })).toEqual([dead.id]);
  });
});

describe("a receiver", () => {
  test("that never answers, drips or sends without end holds few sockets, and the others go on", async () => {
    await using stuck = await startFakeProvider();
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200 });
    stuck.on("POST /silent", { hang: true });
    stuck.on("POST /drip", { status: 200, text: "x", dripEveryMs: 20 });
    stuck.on("POST /endless", { status: 200, bytes: Buffer.alloc(5_000_000), unfinished: true });
    await using stage = await openStage({ attemptTimeoutMs: 300 });
    for (const kind of ["silent", "drip", "endless"])
      await stage.webhooks.create(owner, { url: `${stuck.url}/${kind}` });
    await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });

    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, stuck.connections())), 5);
    for (let n = 0; n < 50; n += 1) await stage.tell("schedule.paused", { n });
    while (callsOf(path).length < 50) await new Promise((resolve) => setTimeout(resolve, 10));
    clearInterval(watch);

    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(24);
    const [, , endless] = await stage.webhooks.list(owner);
    expect(endless).toBeDefined();
    await stage.driver.close();
    await expect.poll(() => stuck.connections()).toBe(0);
  });

  test("with hundreds of deliveries gets each once, in few lines of the journal", async () => {
    const path = freshPath();
    receiver.on(`POST ${path}`, { status: 200 });
    const store = openMemoryStore();
    let lines = 0;
    const counting = {
      ...store,
      commit: async (transaction: Parameters<typeof store.commit>[0]) => {
        lines += 1;
        await store.commit(transaction);
      },
    };
    await using stage = await openStage({ store: counting });
    const { webhook } = await stage.webhooks.create(owner, { url: `${receiver.url}${path}` });
    const before = lines;
    const { messageId } = await import("../../daemon/ledger/transaction/record-events.ts");
    const to = Array.from({ length: 300 }, (_, n): [string, string] => [
      webhook.webhookId,
      messageId(webhook.webhookId, "x", String(n)),
    ]);

    await stage.store.commit({
      line: {
        t: "webhook.event",
        v: 1,
        at: "2026-11-21T10:00:00.000Z",
        ws: "w1",
        events: [{ type: "run.completed", data: {}, to }],
      },
    });
    await stage.driver.tick();

    expect(new Set(callsOf(path).map(({ headers }) => headers["webhook-id"])).size).toBe(300);
    expect(callsOf(path)).toHaveLength(300);
    expect(lines - before).toBeLessThan(300);
  });
});
