import { describe, expect, test } from "vitest";
import { ConfigRefused } from "../../daemon/config/config-refused.ts";
import { parseDaemonConfig } from "../../daemon/config/daemon-config.ts";
import { createSourceReader } from "../../daemon/http/callers/request-source.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { request } from "../support/request.ts";
import { startTestDaemon } from "../support/start-daemon.ts";

function configOf(environment: Readonly<Record<string, string>>, flags: { host?: string; allowRemote?: boolean } = {}) {
  return parseDaemonConfig(flags, { environment, bundledCatalogDir, version: "0.1.0" });
}

describe("a source without a key", () => {
  test("may make as many requests a minute as is set, on both ports together; keys and health are not counted", async () => {
    await using daemon = await startTestDaemon({ environment: { MKT_PUBLIC_RATE_LIMIT: "3" } });

    const answers = [
      await request(`${daemon.url}/public/v1/stats`),
      await request(`${daemon.registryUrl}/public/v1/stats`),
      await request(`${daemon.url}/llms.txt`),
      await request(`${daemon.registryUrl}/public/v1/categories`),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(answers.map(({ headers }) => headers.get("ratelimit-remaining"))).toEqual(["2", "1", "0", "0"]);
    expect(Object.fromEntries(answers[3]?.headers ?? [])).toMatchObject({
      "retry-after": expect.stringMatching(/^\d+$/),
      "ratelimit-limit": "3",
      "x-ratelimit-rule": "public",
    });
    expect(answers[3]?.body).toMatchObject({ code: 429, errorCode: "RATE_LIMITED" });
    expect((await request(`${daemon.url}/health`)).status).toBe(200);
    expect((await daemon.request("POST", "/v1/discover", { q: "weather" })).status).toBe(200);
  });

  test("has no limit as long as this machine alone gets in", async () => {
    await using daemon = await startTestDaemon();

    expect((await request(`${daemon.url}/public/v1/stats`)).headers.get("ratelimit-limit")).toBeNull();
  });
});

describe("whom a proxy speaks for", () => {
  const limited = { MKT_PUBLIC_RATE_LIMIT: "1" };
  const ask = async (url: string, forwardedFor: string) =>
    (await request(url, "GET", { headers: { "x-forwarded-for": forwardedFor } })).status;

  test("is believed of a proxy that is named: each visitor has a limit of their own", async () => {
    await using daemon = await startTestDaemon({ environment: { ...limited, MKT_TRUSTED_PROXIES: "127.0.0.1" } });
    const stats = `${daemon.url}/public/v1/stats`;

    const statuses = [
      await ask(stats, "203.0.113.7"),
      await ask(stats, "203.0.113.8"),
      await ask(stats, "203.0.113.7"),
      // Whatever the visitor wrote stands before what the proxy added.
      await ask(stats, "198.51.100.1, 203.0.113.8"),
    ];

    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  test("is not believed of anybody else", async () => {
    await using daemon = await startTestDaemon({ environment: { ...limited, MKT_TRUSTED_PROXIES: "10.0.0.0/8" } });
    const stats = `${daemon.url}/public/v1/stats`;

    expect([await ask(stats, "203.0.113.7"), await ask(stats, "203.0.113.8")]).toEqual([200, 429]);
  });

  test("counts for keys that let nobody in as well", async () => {
    await using daemon = await startTestDaemon({
      environment: { MKT_TRUSTED_PROXIES: "127.0.0.1" },
      config: { rateLimits: { failedKeys: 1 } },
    });
    const guess = async (from: string) =>
      (await request(`${daemon.url}/v1/auth/whoami`, "GET", { key: "nonsense", headers: { "x-forwarded-for": from } }))
        .status;

    expect([await guess("203.0.113.7"), await guess("203.0.113.7"), await guess("203.0.113.8")]).toEqual([
      401, 429, 401,
    ]);
  });

  test.each([
    ["the visitor, through one proxy", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["the visitor, through two that are named", "127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["the last that is not named", "127.0.0.1", "1.1.1.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["a proxy in the form of IPv6", "::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"],
    ["an address of IPv6", "127.0.0.1", "2001:db8::7", "2001:db8::7"],
    ["the proxy, which names nobody", "127.0.0.1", undefined, "127.0.0.1"],
    ["the proxy, which names what is no address", "127.0.0.1", "unknown", "127.0.0.1"],
    ["the proxy, which names nothing", "127.0.0.1", " , ", "127.0.0.1"],
    ["the other end, which is not named", "203.0.113.9", "203.0.113.7", "203.0.113.9"],
  ])("is %s", (_, remoteAddress, forwardedFor, expected) => {
    const sourceOf = createSourceReader(["127.0.0.1", "10.0.0.0/8"]);
    const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };

    expect(sourceOf({ socket: { remoteAddress }, headers } as Parameters<typeof sourceOf>[0])).toBe(expected);
  });
});

describe("the settings", () => {
  test("limit sources by themselves once others can be told apart", () => {
    expect(configOf({}).rateLimits.public).toBeUndefined();
    expect(configOf({}, { host: "0.0.0.0", allowRemote: true }).rateLimits.public).toBe(1_200);
    expect(configOf({ MKT_TRUSTED_PROXIES: "127.0.0.1,::1" }).rateLimits.public).toBe(1_200);
    expect(configOf({ MKT_TRUSTED_PROXIES: "127.0.0.1", MKT_PUBLIC_RATE_LIMIT: "off" }).rateLimits.public).toBe(
      undefined,
    );
    expect(configOf({ MKT_PUBLIC_RATE_LIMIT: "60" }).rateLimits).toMatchObject({ public: 60, failedKeys: 600 });
  });

  test.each(["proxy.example", "10.0.0.0/33", "10.0.0.0/8/8", "::1/129", "10.0.0/8", "*"])(
    "take no %s for a proxy",
    (text) => {
      expect(() => configOf({ MKT_TRUSTED_PROXIES: text })).toThrow(ConfigRefused);
    },
  );
});
