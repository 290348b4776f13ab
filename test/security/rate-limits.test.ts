import { afterEach, describe, expect, test, vi } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { createRateGuard, networkOf } from "../../daemon/http/limits/rate-limits.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { type Answer, request } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

afterEach(() => {
  vi.useRealTimers();
});

function limitsOf(environment: Readonly<Record<string, string>>, flags: { host?: string; allowRemote?: boolean } = {}) {
  return parseDaemonConfig(flags, { environment, bundledCatalogDir, version: "0.1.0" }).rateLimits;
}

/** As many requests, so many at a time; the statuses in their order. */
async function ask(count: number, one: (index: number) => Promise<Answer>, atOnce = 50): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const batch = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => one(from + index));
    answers.push(...(await Promise.all(batch)));
  }
  return answers;
}

function countStatus(answers: readonly Answer[], wanted: number): number {
  return answers.filter(({ status }) => status === wanted).length;
}

describe("a source whose keys let nobody in", () => {
  test("is told 429 after 600 in a minute, while a valid key from the same place gets in", async () => {
    await using daemon = await startTestDaemon();
    const whoami = async (key: string) => await request(`${daemon.url}/v1/auth/whoami`, "GET", { key });

    const answers = await ask(1_000, async (index) => await whoami(`mkt_live_${index}`));
    const valid = await whoami(daemon.key);

    expect(countStatus(answers, 401)).toBe(600);
    expect(countStatus(answers, 429)).toBe(400);
    expect(answers.at(-1)).toMatchObject({
      body: {
        code: 429,
        errorCode: "RATE_LIMITED",
        message: expect.stringMatching(/^Rate limited\. Retry after \d+s\.$/),
      },
    });
    expect(Object.fromEntries(answers.at(-1)?.headers ?? [])).toMatchObject({
      "retry-after": expect.stringMatching(/^\d+$/),
      "ratelimit-limit": "600",
      "ratelimit-remaining": "0",
      "ratelimit-reset": expect.stringMatching(/^\d+$/),
      "x-ratelimit-rule": "failed-keys",
    });
    expect(valid.status).toBe(200);
  });

  test("is not counted for requests without any credentials", async () => {
    await using daemon = await startTestDaemon();

    const answers = await ask(700, async () => await request(`${daemon.url}/v1/auth/whoami`));

    expect(countStatus(answers, 401)).toBe(700);
  });

  test("may try again in the next minute", async () => {
    await using daemon = await startTestDaemon({ config: { rateLimits: { failedKeys: 2 } } });
    vi.useFakeTimers({ toFake: ["Date"] });
    const guess = async () => (await request(`${daemon.url}/v1/auth/whoami`, "GET", { key: "nonsense" })).status;

    const before = [await guess(), await guess(), await guess()];
    vi.setSystemTime(Date.now() + 60_000);

    expect(before).toEqual([401, 401, 429]);
    expect(await guess()).toBe(401);
  });
});

describe("a key", () => {
  test("may make as many requests a minute as is set, and every answer tells how many are left", async () => {
    await using daemon = await startTestDaemon({ environment: { MKT_RATE_LIMIT: "3" } });
    const other = (await daemon.request("POST", "/v1/api-keys", { label: "other" })).body.key;

    const answers = [
      await daemon.request("GET", "/v1/auth/whoami"),
      await daemon.request("GET", "/v1/runs/unknown"),
      await daemon.request("GET", "/v1/auth/whoami"),
    ];
    const others = await request(`${daemon.url}/v1/auth/whoami`, "GET", { key: other });

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit-remaining"))).toEqual(["1", "0", "0"]);
    expect(answers.map(({ headers }) => headers.get("x-ratelimit-rule"))).toEqual(["caller", "caller", "caller"]);
    expect(others.status).toBe(200);
    expect((await request(`${daemon.url}/public/v1/stats`)).status).toBe(200);
  });

  test("has no limit as long as this machine alone gets in", async () => {
    await using daemon = await startTestDaemon();

    const { headers } = await daemon.request("GET", "/v1/auth/whoami");

    expect(headers.get("ratelimit-limit")).toBeNull();
  });
});

describe("the setting", () => {
  test("limits keys by itself once other machines are let in", () => {
    expect(limitsOf({})).toEqual({ failedKeys: 600, failedTokens: 3_000 });
    expect(limitsOf({}, { host: "0.0.0.0", allowRemote: true })).toMatchObject({ caller: 6_000 });
  });

  test("is a number of requests a minute, or off", () => {
    expect(limitsOf({ MKT_RATE_LIMIT: "120" })).toMatchObject({ caller: 120, failedKeys: 600 });
    expect(limitsOf({ MKT_RATE_LIMIT: "off" }, { host: "0.0.0.0", allowRemote: true })).toEqual({ public: 1_200 });
  });

  test.each(["0", "-1", "1.5", "many", "1e3"])("is refused as %s", (text) => {
    expect(() => limitsOf({ MKT_RATE_LIMIT: text })).toThrow(ConfigRefused);
  });
});

describe("what is remembered", () => {
  test("is bounded: 10,000 callers, the one that was away longest is forgotten", () => {
    const guard = createRateGuard({ limits: { caller: 1 }, clock: { now: () => 0 } });
    const count = (n: number) =>
      guard.count({ kind: "API_KEY", actor: `API_KEY#${n}`, userId: "u", scopes: [], operator: false });
    for (let n = 0; n < 10_001; n += 1) count(n);

    expect(() => count(10_000)).toThrow("Rate limited");
    expect(() => count(0)).not.toThrow();
  });

  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8::6", "2001:db8:0:0"],
    ["2001:db8:1:2::", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("of the source %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
