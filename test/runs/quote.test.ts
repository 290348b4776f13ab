import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlMarket, openControlMarket } from "../controls/control-market.ts";
import { request } from "../support/request.ts";
import { runMkt } from "../support/run-cli.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/** Beside the weather: one price that chooses a row by the input, and one that adds tiers up. */
function pricesManifest(baseUrl: string): object {
  const call = { method: "GET", path: "/now" };
  return {
    displayName: "Prices",
    http: { baseUrl, allowPrivateNetwork: true },
    endpoints: {
      "/rows": {
        description: "A price by quality.",
        request: call,
        input: { queryParams: { required: ["quality"], properties: { quality: { enum: ["high", "low"] } } } },
        price: {
          type: "PER_UNIT_MATRIX",
          selectors: [{ label: "Quality", key: "quality", in: "queryParam" }],
          variants: [
            { label: "High", when: { quality: "high" }, price: { type: "PER_CALL", amount: 0.3 } },
            { label: "Low", when: { quality: "low" }, price: { type: "PER_CALL", amount: 0.1 } },
          ],
        },
      },
      "/tiers": {
        description: "A price that adds up.",
        request: call,
        input: { queryParams: { properties: { pages: { type: "integer" } } } },
        price: {
          type: "TIERED",
          default: { type: "PER_CALL", amount: 0.01 },
          selectors: [{ label: "Pages", key: "pages", in: "queryParam" }],
          tiers: [
            {
              label: "Pages",
              selector: { label: "Pages", key: "pages", in: "queryParam" },
              price: { type: "PER_RESULT", amount: 0.002 },
            },
          ],
        },
      },
    },
  };
}

let market: ControlMarket;
beforeEach(async () => {
  market = await openControlMarket();
});
afterEach(async () => {
  await market[Symbol.asyncDispose]();
});

const money = (value: number) => ({ value, currency: "USD" });
const now = { provider: "weather", endpoint: "/now", input: { city: "Lisbon" } };
const report = (limit: number) => ({ provider: "weather", endpoint: "/report", input: { topic: "rain", limit } });
const quote = async (body: object) => await market.daemon.request("POST", "/v1/quote", body);

describe("a quote", () => {
  test("says what a run would cost, likely and at most, and by which rule", async () => {
    const { status, body } = await quote(report(10));

    expect(status).toBe(200);
    expect(body).toEqual({
      provider: "weather",
      endpoint: "/report",
      price: expect.objectContaining({ type: "PER_RESULT", amount: 0.002, currency: "USD" }),
      estimate: money(0.025),
      maximum: money(0.025),
      rule: { quantity: 10 },
      wouldBlock: [],
    });
  });

  test("calls nothing, holds nothing and records nothing", async () => {
    await market.budget("DAY", 0.005);
    const before = await market.daemon.request("GET", "/v1/wallet/balance");

    await quote(report(10));
    await quote(now);

    expect(market.upstream.calls).toHaveLength(0);
    expect((await market.daemon.request("GET", "/v1/wallet/balance")).body).toEqual(before.body);
    expect((await market.daemon.request("GET", "/v1/runs")).body.items).toEqual([]);
  });

  test("is what the run then costs", async () => {
    const quoted = await quote(now);
    const ran = await market.run();

    expect(ran.body.cost).toEqual(quoted.body.maximum);
    expect(ran.body.price).toEqual(quoted.body.price);
  });

  test.each([
    ["input that the endpoint does not take", { ...now, input: { city: "" } }, 400],
    ["a member that there is not", { ...now, dry: true }, 400],
    ["a maxCost that is no amount", { ...now, maxCost: money(-1) }, 400],
    ["an unknown endpoint", { ...now, endpoint: "/never" }, 404],
  ])("of %s is refused in the words of the run", async (_, body, status) => {
    const quoted = await quote(body);
    const ran = await market.daemon.request("POST", "/v1/run", body);

    expect(quoted.status).toBe(status);
    expect(quoted.text).toBe(ran.text);
  });

  test("needs the right to run, since it tells what is left", async () => {
    const minted = await market.daemon.request("POST", "/v1/api-keys", { label: "reader", scopes: ["runs:read"] });

    const answer = await request(`${market.daemon.url}/v1/quote`, "POST", { key: minted.body.key, body: now });

    expect(answer).toMatchObject({ status: 403, body: { errorCode: "INSUFFICIENT_SCOPE" } });
  });
});

describe("what would refuse the run", () => {
  test("is listed in the order in which it would be met, with what each leaves", async () => {
    const [cap, budget] = [await market.runCap(0.002), await market.budget("DAY", 0.015)];
    await market.daemon.request("POST", "/v1/admin/workspaces/default/debits", { amount: money(9.99), reason: "test" });
    await market.daemon.request("PATCH", `/v1/controls/workspace/run-caps/${cap}`, { status: "PAUSED" });
    await market.run();
    await market.daemon.request("PATCH", `/v1/controls/workspace/run-caps/${cap}`, { status: "ACTIVE" });
    const spendLimit = { amount: money(0.003), period: "DAY" };
    const minted = await market.daemon.request("POST", "/v1/api-keys", { label: "limited", spendLimit });

    const body = { ...now, maxCost: money(0.004) };
    const quoted = await request(`${market.daemon.url}/v1/quote`, "POST", { key: minted.body.key, body });

    expect(quoted.body.wouldBlock).toEqual([
      { kind: "maxCost", available: money(0.004) },
      { kind: "keyLimit", available: money(0.003) },
      { kind: "runCap", controlId: cap, available: money(0.002) },
      { kind: "budget", controlId: budget, available: money(0.005) },
      { kind: "wallet", available: money(0) },
    ]);
  });

  test("is nothing where the control is paused", async () => {
    const id = await market.budget("DAY", 0);
    await market.daemon.request("PATCH", `/v1/controls/workspace/budgets/${id}`, { status: "PAUSED" });

    expect((await quote(now)).body.wouldBlock).toEqual([]);
  });

  test("a key's allowlist is no matter of money: 403", async () => {
    const minted = await market.daemon.request("POST", "/v1/api-keys", { label: "other", providers: ["atlas"] });

    const answer = await request(`${market.daemon.url}/v1/quote`, "POST", { key: minted.body.key, body: now });

    expect(answer.status).toBe(403);
  });
});

describe("the rule of a structured price", () => {
  beforeEach(async () => {
    await market[Symbol.asyncDispose]();
    const upstream = "http://127.0.0.1:9";
    const manifests = { weather: weatherManifest(upstream), prices: pricesManifest(upstream) };
    market = await openControlMarket({ manifests });
  });

  test("is the row that the input chooses", async () => {
    const { body } = await quote({ provider: "prices", endpoint: "/rows", input: { quality: "low" } });

    expect(body).toMatchObject({ rule: { label: "Low" }, maximum: money(0.1) });
  });

  test("names the tiers that are added, and what they count", async () => {
    const { body } = await quote({ provider: "prices", endpoint: "/tiers", input: { pages: 7 } });

    expect(body).toMatchObject({ rule: { label: "Pages", quantity: 7 }, maximum: money(0.024) });
  });
});

describe("mkt run --dry-run", () => {
  const mkt = async (words: readonly string[], tty = false) =>
    await runMkt(["run", ...words, "--dry-run"], {
      env: { MKT_API_URL: market.daemon.url, MKT_API_KEY: market.daemon.key },
      tty,
    });

  test("prints the quote, ends with 0 and runs nothing", async () => {
    const { exitCode, stdout, stderr } = await mkt(["weather/report", "topic=rain", "limit=10"]);

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ estimate: money(0.025), maximum: money(0.025), wouldBlock: [] });
    expect(stderr).toBe("Would cost: about $0.025, at most $0.025 (price $0.002/result + $0.005 start)\n");
    expect(market.upstream.calls).toHaveLength(0);
  });

  test("shows a person price, estimate and maximum", async () => {
    const { exitCode, stdout } = await mkt(["weather/report", "topic=rain", "limit=10"], true);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^about \$0\.025, at most \$0\.025 {2}weather\/report\n/);
    expect(stdout).toMatch(/price +\$0\.002\/result \+ \$0\.005 start\nquantity +10\n/);
  });

  test("ends with 7 and names what would refuse", async () => {
    const id = await market.budget("DAY", 0.005);

    const { exitCode, stdout, stderr } = await mkt(["weather/now", "city=Lisbon", "--max-cost", "0.002"]);

    expect(exitCode).toBe(7);
    expect(JSON.parse(stdout).wouldBlock).toHaveLength(2);
    expect(stderr).toContain(
      `This run would be refused by --max-cost ($0.002); the budget ${id} ($0.005 left). Nothing was run.`,
    );
    expect(stderr).toContain("next: mkt inspect weather/now\n");
  });

  test("says where to look at what would refuse", async () => {
    const id = await market.budget("DAY", 0.005);

    expect((await mkt(["weather/now", "city=Lisbon"])).stderr).toContain(`next: mkt budgets get ${id}\n`);
  });

  test("ends with 7 where the limit of the key would refuse, as the run does", async () => {
    const spendLimit = { amount: money(0.005), period: "DAY" };
    const { body } = await market.daemon.request("POST", "/v1/api-keys", { label: "small", spendLimit });
    const env = { MKT_API_URL: market.daemon.url, MKT_API_KEY: body.key };
    const words = ["run", "weather/now", "city=Lisbon"];

    const codes = [await runMkt([...words, "--dry-run"], { env }), await runMkt(words, { env })];

    expect(codes.map(({ exitCode }) => exitCode)).toEqual([7, 7]);
  });

  test("with --json the refusal is one object, last on stderr", async () => {
    await market.runCap(0.001);

    const { exitCode, stdout, stderr } = await mkt(["weather/now", "city=Lisbon", "--json"]);

    expect(exitCode).toBe(7);
    expect(JSON.parse(stdout).wouldBlock).toMatchObject([{ kind: "runCap" }]);
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "").message).toContain("would be refused by the run cap");
  });

  test("ends as the run would where the input is refused", async () => {
    const { exitCode, stdout } = await mkt(["weather/now", "-i", '{"city": ""}']);

    expect(exitCode).toBe(5);
    expect(stdout).toBe("");
  });
});
