import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { encodeCursor } from "../../daemon/http/cursors/cursor.ts";
import { createSealer } from "../../daemon/http/cursors/sealer.ts";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

/** docs/security.md, T19 and T25: what a caller is given tells nothing of how much others do, and no id leads to another. */

const endpoint = { request: { method: "GET", path: "/x" }, price: { type: "PER_CALL", amount: 0.01 } };

test("cursors and ids of movements show no number of the journal, and go on after a restart", async () => {
  using home = mktHome();
  await using vendor = await startFakeProvider();
  vendor.on("GET /x", { json: 1 });
  const http = { baseUrl: vendor.url, allowPrivateNetwork: true };
  const options = {
    home,
    manifests: { vendor: { http, endpoints: { "/x": endpoint } } },
    allowPrivateHosts: ["127.0.0.1"],
  };
  const run = { provider: "vendor", endpoint: "/x", input: {} };
  const before = await startTestDaemon(options);
  for (let index = 0; index < 4; index++) await before.request("POST", "/v1/run", run);
  const [runs, activities] = [
    await before.request("GET", "/v1/runs?limit=2"),
    await before.request("GET", "/v1/wallet/activities?limit=3"),
  ];
  await before[Symbol.asyncDispose]();
  await using after = await startTestDaemon(options);

  const shown: string[] = [runs.body.cursor, activities.body.cursor];
  const ids: string[] = activities.body.items.map(({ activityId }: { activityId: string }) => activityId);
  for (const text of [...shown, ...ids]) {
    expect(text).toMatch(/^[A-Za-z0-9_-]{60,}$/);
    expect(Buffer.from(text, "base64url").toString("latin1")).not.toMatch(/runs|wallet|activity|\d-\d{3}/);
  }
  expect(new Set(ids.map(({ length }) => length)).size).toBe(1);
  const next = await after.request("GET", `/v1/runs?limit=2&cursor=${runs.body.cursor}`);
  const again = await after.request("GET", "/v1/wallet/activities?limit=3");
  const rest = await after.request("GET", `/v1/wallet/activities?limit=100&cursor=${activities.body.cursor}`);
  expect(next.status).toBe(200);
  expect(next.body.items).toHaveLength(2);
  expect(next.body.items.map(({ runId }: { runId: string }) => runId)).not.toContain(runs.body.items[0].runId);
  expect(again.body.items).toEqual(activities.body.items);
  expect(rest.body.items.length).toBeGreaterThan(3);
  expect(rest.body.items.some(({ activityId }: { activityId: string }) => ids.includes(activityId))).toBe(false);
});

test("a cursor of another daemon, another list or one's own making is 400, so that none tells a number by trying", async () => {
  await using daemon = await startTestDaemon();
  await using other = await startTestDaemon();
  const list = async (cursor: string, path = "/v1/runs") => await daemon.request("GET", `${path}?cursor=${cursor}`);
  const foreign = createSealer(createHash("sha256").update("guess").digest()).seal(encodeCursor("runs", 5));
  const ofOther = (await other.request("GET", "/v1/wallet/activities?limit=1")).body.items[0].activityId as string;

  const ownMaking: readonly (number | string)[] = [1, 5, 1e9, Infinity, "5", "0x5", "5e0"];
  for (const number of ownMaking) expect((await list(encodeCursor("runs", number))).status).toBe(400);
  expect((await list(encodeCursor("wallet-activities", "1-1"), "/v1/wallet/activities")).status).toBe(400);
  expect((await list(encodeCursor("runs", 5), "/v1/wallet/activities")).status).toBe(400);
  expect((await list(foreign)).status).toBe(400);
  expect((await list(ofOther, "/v1/wallet/activities")).status).toBe(400);
});

describe("a sealed text", () => {
  const sealer = createSealer(new Uint8Array(32).fill(7));

  test("is opened by its key alone, and by it only when nothing was changed", () => {
    const sealed = sealer.seal("1234-1");

    expect(sealer.open(sealed)).toBe("1234-1");
    expect(sealer.seal("1234-1")).toBe(sealed);
    expect(createSealer(new Uint8Array(32)).open(sealed)).toBeUndefined();
    for (let at = 0; at < sealed.length; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      expect(sealer.open(changed)).toBeUndefined();
    }
  });

  test("tells neither order nor size of the numbers in it", () => {
    const sealed = Array.from({ length: 1_000 }, (_, index) => sealer.seal(`${index}-1`));

    expect(new Set(sealed.map(({ length }) => length)).size).toBe(1);
    expect(new Set(sealed.map((text) => text.slice(0, 8))).size).toBe(1_000);
    expect([...sealed].sort()).not.toEqual(sealed);
  });
});

test("of 10,000 ids that are made at once none is the neighbour of another", () => {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  const newId = createIdSource();
  const random = Array.from({ length: 10_000 }, () =>
    Array.from(newId().slice(10)).reduce((sum, char) => sum * 32n + BigInt(alphabet.indexOf(char)), 0n),
  ).sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));

  // Of 80 random bits the two nearest of 10,000 are some 2^54 apart; counted ones are 1.
  const gaps = random.slice(1).map((value, index) => value - (random[index] ?? 0n));
  expect(gaps.every((gap) => gap > 1n << 32n)).toBe(true);
});
