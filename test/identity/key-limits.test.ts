import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runLimitsWithin } from "../../daemon/identity/run-limits.ts";
import { mktHome } from "../support/mkt-home.ts";
import { request } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";

const dollars = (value: number) => ({ value, currency: "USD" as const });

let daemon: TestDaemon;
let made = 0;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

async function create(members: object, key = daemon.key) {
  made += 1;
  return await request(`${daemon.url}/v1/api-keys`, "POST", { key, body: { label: `key-${made}`, ...members } });
}

describe("a key may be limited to", () => {
  test("providers, endpoints and an amount for each window, which are shown whenever it is read", async () => {
    const limits = {
      providers: ["atlas", "weather"],
      endpoints: ["atlas/sun", "weather/now"],
      spendLimit: { amount: dollars(0.25), period: "DAY" },
    };

    const created = await create({ label: "limited", ...limits });
    const read = await daemon.request("GET", "/v1/api-keys/limited");
    const listed = await daemon.request("GET", "/v1/api-keys?limit=100");

    expect(created).toMatchObject({ status: 201, body: limits });
    expect(read.body).toMatchObject(limits);
    expect(listed.body.items.find(({ label }: { label: string }) => label === "limited")).toMatchObject(limits);
  });

  test("what an operator says, in another workspace too", async () => {
    await daemon.request("POST", "/v1/admin/workspaces", { name: "Other" });

    const { status, body } = await daemon.request("POST", "/v1/admin/workspaces/other/api-keys", {
      label: "theirs",
      providers: ["atlas"],
      spendLimit: { amount: dollars(3), period: "MONTH" },
    });

    expect(status).toBe(201);
    expect(body).toMatchObject({ providers: ["atlas"], spendLimit: { amount: dollars(3), period: "MONTH" } });
  });

  test("nothing, and then has no such members", async () => {
    const { body } = await create({});

    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["providers"]));
    expect(body).not.toHaveProperty("endpoints");
    expect(body).not.toHaveProperty("spendLimit");
  });

  test("what is named twice, once", async () => {
    expect((await create({ providers: ["atlas", "atlas"] })).body.providers).toEqual(["atlas"]);
  });
});

describe("a key is refused with", () => {
  test.each<[string, object, string]>([
    ["a provider that is no slug", { providers: ["At las"] }, "providers[0]"],
    ["no provider at all", { providers: [] }, "providers"],
    ["an endpoint without its provider", { endpoints: ["/sun"] }, "endpoints[0]"],
    ["an endpoint without its path", { endpoints: ["atlas/"] }, "endpoints[0]"],
    ["an endpoint of a provider that is left out", { providers: ["a"], endpoints: ["b/x"] }, "endpoints"],
    ["a limit below 0", { spendLimit: { amount: dollars(-1), period: "DAY" } }, "spendLimit.amount"],
    [
      "a limit finer than a micro-dollar",
      { spendLimit: { amount: dollars(1e-7), period: "DAY" } },
      "spendLimit.amount",
    ],
    ["a limit for a year", { spendLimit: { amount: dollars(1), period: "YEAR" } }, "spendLimit.period"],
    ["a limit without its window", { spendLimit: { amount: dollars(1) } }, "spendLimit.period"],
    ["an endpoint alone", { endpoints: ["sun"] }, 'endpoints[0]: must be provider/path, such as atlas/sun (got "sun")'],
  ])("%s: 400 that names the member", async (_, members, name) => {
    const { status, body } = await create(members);

    expect(status).toBe(400);
    expect(body.message).toContain(name);
  });
});

describe("a key that makes another", () => {
  const own = {
    providers: ["atlas", "weather"],
    endpoints: ["atlas/sun", "weather/now"],
    spendLimit: { amount: dollars(5), period: "DAY" },
  };

  test("hands on its own limits when none are named", async () => {
    const maker = (await create(own)).body.key;

    expect((await create({}, maker)).body).toMatchObject(own);
  });

  test("may hand on less", async () => {
    const maker = (await create(own)).body.key;
    const less = {
      providers: ["atlas"],
      endpoints: ["atlas/sun"],
      spendLimit: { amount: dollars(4.999999), period: "DAY" },
    };

    expect(await create(less, maker)).toMatchObject({ status: 201, body: less });
  });

  test.each<[string, object]>([
    ["another provider", { providers: ["atlas", "scrape"] }],
    ["another endpoint", { endpoints: ["atlas/moon"] }],
    ["a higher limit", { spendLimit: { amount: dollars(5.000001), period: "DAY" } }],
    ["a limit for a shorter window", { spendLimit: { amount: dollars(1), period: "HOUR" } }],
    ["a limit for a longer window", { spendLimit: { amount: dollars(5), period: "MONTH" } }],
  ])("may not hand on %s", async (_, members) => {
    const maker = (await create(own)).body.key;

    expect(await create(members, maker)).toMatchObject({ status: 403, body: { code: 403 } });
  });

  test("may not hand on an endpoint of a provider that it may not run", async () => {
    const maker = (await create({ providers: ["atlas"] })).body.key;

    expect((await create({ endpoints: ["weather/now"] }, maker)).status).toBe(403);
  });

  test("never makes one that may do more, whatever is asked for", () => {
    const names = fc.constantFrom("a", "b", "c");
    const list = <Name>(of: fc.Arbitrary<Name>) => fc.option(fc.uniqueArray(of, { minLength: 1 }), { nil: undefined });
    const endpoint = fc.tuple(names, fc.constantFrom("x", "y")).map(([provider, path]) => `${provider}/${path}`);
    const limit = fc.option(
      fc.record({
        amount: fc.integer({ min: 0, max: 10 }).map(dollars),
        period: fc.constantFrom("HOUR" as const, "DAY" as const),
      }),
      { nil: undefined },
    );
    const wanted = fc.record({ providers: list(names), endpoints: list(endpoint), spendLimit: limit });
    const all = ["a/x", "a/y", "b/x", "b/y", "c/x", "c/y"];

    fc.assert(
      fc.property(wanted, wanted, (first, second) => {
        const maker = limitsOrNothing(undefined, first);
        fc.pre(maker !== undefined);
        const child = limitsOrNothing({ keyId: "k", workspaceId: "w", label: "l", fingerprint: "f", ...maker }, second);
        fc.pre(child !== undefined);

        const more = all.filter((name) => mayRun(child, name) && !mayRun(maker, name));
        expect(more).toEqual([]);
        if (maker.spendLimit !== undefined) {
          expect(child.spendLimit?.period).toBe(maker.spendLimit.period);
          expect(child.spendLimit?.microDollars).toBeLessThanOrEqual(maker.spendLimit.microDollars);
        }
      }),
    );
  });
});

function limitsOrNothing(...args: Parameters<typeof runLimitsWithin>) {
  try {
    return runLimitsWithin(...args);
  } catch {
    return undefined;
  }
}

function mayRun({ providers, endpoints }: ReturnType<typeof runLimitsWithin>, name: string): boolean {
  const [provider = ""] = name.split("/");
  return (providers?.includes(provider) ?? true) && (endpoints?.includes(name) ?? true);
}

describe("when a key was last used", () => {
  test("is told once it was, and not before", async () => {
    const { key } = (await create({ label: "used" })).body;
    const before = (await daemon.request("GET", "/v1/api-keys/used")).body;
    await request(`${daemon.url}/v1/auth/whoami`, "GET", { key });

    const after = (await daemon.request("GET", "/v1/api-keys/used")).body;

    expect(before).not.toHaveProperty("lastUsedAt");
    expect(Math.abs(Date.parse(after.lastUsedAt) - Date.now())).toBeLessThan(60_000);
  });

  test("is known after a restart", async () => {
    using home = mktHome();
    const lastUse = async () => {
      await using one = await startTestDaemon({ home });
      return (await one.request("GET", "/v1/api-keys/owner")).body.lastUsedAt;
    };

    const first = await lastUse();

    expect(await lastUse()).toBe(first);
  });
});
