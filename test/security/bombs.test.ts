import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { spawnDaemon, type SpawnedDaemon } from "../support/spawn-mkt.ts";

/**
 * What a hostile provider answers, as the caller who pays sees it: a run that FAILED or was out of time, nothing charged, and
 * a daemon that is as it was. The ways to say it are in outbound-answers.test.ts. docs/security.md, T10, T11 and T14.
 */

const MEGABYTE = 1_024 * 1_024;
/** What decoding it whole would take at least. */
const BOMB_BYTES = 200 * MEGABYTE;
const DEPTH = 5_000;

let vendor: FakeProvider;
let daemon: SpawnedDaemon;
beforeAll(async () => {
  vendor = await startFakeProvider();
  const json = { "content-type": "application/json" };
  vendor.on("GET /good", { json: { ok: true } });
  vendor.on("GET /gzip", {
    bytes: gzipSync(Buffer.alloc(BOMB_BYTES, 0x20)),
    headers: { ...json, "content-encoding": "gzip" },
  });
  vendor.on("GET /deep", { text: "[".repeat(DEPTH) + "]".repeat(DEPTH), headers: json });
  vendor.on("GET /drip", { dripEveryMs: 50, text: "[", headers: json });
  const endpoint = (path: string) => ({
    description: "Answers.",
    request: { method: "GET", path },
    price: { type: "PER_CALL", amount: 0.05 },
  });
  const paths = ["/good", "/gzip", "/deep", "/drip"];
  daemon = await spawnDaemon({
    manifests: {
      vendor: {
        http: { baseUrl: vendor.url, allowPrivateNetwork: true, retry: { attempts: 1 } },
        endpoints: Object.fromEntries(paths.map((path) => [path, endpoint(path)])),
      },
    },
  });
}, 120_000);
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const run = async (endpoint: string, more: object = {}) =>
  await daemon.request("POST", "/v1/run", { provider: "vendor", endpoint, ...more });
const walletOf = async () => (await daemon.request("GET", "/v1/wallet/balance")).body;

describe("an answer that is a bomb", () => {
  test.each([
    ["200 MB in 200 KB of gzip", "/gzip", "larger than"],
    ["5,000 levels of JSON", "/deep", "deeper than"],
  ])("of %s is a run that FAILED, says why, and costs nothing", async (_title, endpoint, reason) => {
    // What the daemon needs to serve anything at all is there before it is measured.
    await run("/good");
    const before = { wallet: await walletOf(), peak: peakOf(daemon.pid) };

    const { status, body } = await run(endpoint);

    expect([status, body.status, body.output]).toEqual([200, "FAILED", null]);
    expect(JSON.stringify(body.error)).toContain(reason);
    expect(body.billing.reportedCost).toMatchObject({ value: 0 });
    expect(await walletOf()).toEqual(before.wallet);
    expect(peakOf(daemon.pid) - before.peak).toBeLessThan(BOMB_BYTES / 2);
    expect((await run("/good")).body.status).toBe("COMPLETED");
  });
});

test("an answer that never ends is out of time at the deadline, costs nothing and leaves no connection", async () => {
  const wallet = await walletOf();
  const begun = Date.now();

  const { status, body } = await run("/drip", { deadlineMs: 1_500 });

  expect([status, body.status]).toEqual([408, "TIMED_OUT"]);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(1_450);
  expect(Date.now() - begun).toBeLessThan(15_000);
  expect(await walletOf()).toEqual(wallet);
  await expect.poll(() => vendor.connections()).toBeLessThanOrEqual(1);
});

/** The most memory that a process ever had, in bytes; 0 where the system does not tell. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
