import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { microDollars } from "../../controls/control-market.ts";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { request } from "../../support/request.ts";
import { type CliOutcome, runMkt } from "../../support/run-cli.ts";
import { spawnMkt } from "../../support/spawn-mkt.ts";
import { toDaemonExit } from "../../../daemon/start/daemon-exit.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";
import { scriptReport, untilCalled, weatherManifest } from "../../support/weather-manifest.ts";

/** Routes that their provider bills; how many come back is measured for one of them. */
function mapsManifest(baseUrl: string, more: object = {}): object {
  const endpoint = (what: string) => ({
    displayName: what,
    description: `The ${what} between two villages, with its length in metres.`,
    request: { method: "GET" },
  });
  return {
    displayName: "Acme Maps",
    http: { baseUrl, allowPrivateNetwork: true },
    price: { type: "FREE", billedByVendor: true },
    markup: { percent: 50 },
    endpoints: {
      "/cycling": endpoint("cycling route"),
      "/hiking": { ...endpoint("hiking route"), usage: { count: "$.routes", estimate: { max: 20 } } },
      ...more,
    },
  };
}

let vendor: FakeProvider;
let home: MktHome;
let daemon: TestDaemon;
const start = async (manifests: Readonly<Record<string, object>> = { "acme-maps": mapsManifest(vendor.url) }) =>
  await startTestDaemon({ home, manifests });
beforeEach(async () => {
  vendor = await startFakeProvider();
  vendor.on("GET /*", { json: { routes: [{}, {}] } });
  home = mktHome();
  daemon = await start();
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const file = () => join(home.configDir, "prices.yaml");
const mkt = async (...words: string[]): Promise<CliOutcome> =>
  await runMkt(words, { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key }, columns: 120 });
const cycling = { provider: "acme-maps", endpoint: "/cycling" };
const inspect = async (endpoint = "/cycling") =>
  (await daemon.request("POST", "/v1/inspect", { provider: "acme-maps", endpoint })).body;
const perCall = (value: number) => ({ type: "PER_CALL", amount: { value, currency: "USD" } });
const billed = { ...perCall(0), billedByVendor: true };

describe("mkt catalog price", () => {
  test("gives what the provider bills a price in one command, which budgets, quotes, cards and filters see", async () => {
    const { exitCode, stderr } = await mkt("catalog", "price", "acme-maps/cycling", "0.005");
    await daemon.request("POST", "/v1/controls/workspace/budgets", {
      period: "DAY",
      limitAmount: microDollars(0.008),
    });
    const first = await daemon.request("POST", "/v1/run", cycling);
    const second = await daemon.request("POST", "/v1/run", cycling);
    const quoted = await daemon.request("POST", "/v1/quote", cycling);
    const q = "cycling route between two villages";
    const found = await daemon.request("POST", "/v1/discover", { q, maxPrice: { value: 0.005, currency: "USD" } });

    expect(exitCode, stderr).toBe(0);
    expect(first.body).toMatchObject({ status: "COMPLETED", cost: { value: 0.005 } });
    expect(second.body.status).toBe("BLOCKED");
    expect(quoted.body).toMatchObject({ maximum: { value: 0.005 }, wouldBlock: [{ kind: "budget" }] });
    expect(found.body.results).toMatchObject([{ endpoint: "/cycling", price: perCall(0.005) }]);
    expect((await inspect()).notes.join()).toContain("The price is set by the owner of this service.");
    expect((await inspect("/hiking")).price).toEqual(billed);
  });

  test("prices all of a provider, and keeps the price of an endpoint that has one of its own", async () => {
    await mkt("catalog", "price", "acme-maps", "0.002", "--per", "call");
    await mkt("catalog", "price", "acme-maps/hiking", "0.01", "--per", "result", "--flat-fee", "0.03");

    expect((await inspect()).price).toEqual(perCall(0.002));
    expect((await inspect("/hiking")).price).toMatchObject({ type: "PER_RESULT", flatFee: { value: 0.03 } });
    const ran = await daemon.request("POST", "/v1/run", { provider: "acme-maps", endpoint: "/hiking" });
    expect(ran.body.cost.value).toBe(0.05);
    const list = await mkt("catalog", "list", "--json");
    expect(JSON.parse(list.stdout).providers).toMatchObject([{ provider: "acme-maps", pricedByOwner: 2 }]);
  });

  test("is taken back, and then the provider bills again", async () => {
    await mkt("catalog", "price", "acme-maps/cycling", "0.005");

    const removed = await mkt("catalog", "price", "acme-maps/cycling", "--remove");
    const again = await mkt("catalog", "price", "acme-maps/cyclin", "--remove");

    expect(removed.exitCode).toBe(0);
    expect((await inspect()).price).toEqual(billed);
    expect(again.exitCode).toBe(8);
  });

  test.each([
    ["an endpoint with a slip", ["acme-maps/cyclng", "0.005"], 8, /did you mean "\/cycling"/],
    ["a provider with a slip", ["acme-map", "0.005"], 8, /did you mean "acme-maps"/],
    [
      "a count that nothing measures",
      ["acme-maps/cycling", "0.01", "--per", "result"],
      5,
      /usage\.count.*catalog price acme-maps\/cycling <dollars>/s,
    ],
    ["a unit that nothing measures", ["acme-maps/hiking", "0.01", "--per", "1000 tokens"], 5, /usage\.units/],
    ["no amount", ["acme-maps/cycling"], 2, /What does acme-maps\/cycling cost\?/],
    ["words in place of an amount", ["acme-maps/cycling", "much"], 2, /dollars/],
  ])("refuses %s, says what to do, and writes nothing", async (_, words, code, message) => {
    const { exitCode, stderr } = await mkt("catalog", "price", ...words);

    expect(stderr).toMatch(message);
    expect(exitCode).toBe(code);
    expect(() => readFileSync(file())).toThrow("ENOENT");
  });

  test("is the operator's alone", async () => {
    const { key } = (await daemon.request("POST", "/v1/api-keys", { label: "ada", scopes: ["runs:create"] })).body;
    const body = { provider: "acme-maps", endpoint: "/cycling", price: perCall(0) };

    const { status } = await request(`${daemon.url}/v1/admin/prices`, "PUT", { key, body });

    expect(status).toBeGreaterThanOrEqual(401);
    expect(status).toBeLessThanOrEqual(404);
    expect(() => readFileSync(file())).toThrow("ENOENT");
  });

  test("refuses members that it does not know", async () => {
    const price = { ...perCall(0.01), flatfee: { value: 1, currency: "USD" } };

    const { status } = await daemon.request("PUT", "/v1/admin/prices", { ...cycling, price });

    expect(status).toBe(400);
  });
});

describe("the file of prices", () => {
  test("is read by people, keeps their comments, and outlives an update of the provider's file", async () => {
    await mkt("catalog", "price", "acme-maps/cycling", "0.005");
    writeFileSync(file(), `# as our contract of May says\n${readFileSync(file(), "utf8")}`);
    await mkt("catalog", "price", "acme-maps", "0.001");
    await daemon[Symbol.asyncDispose]();

    const newer = { ...mapsManifest(vendor.url), description: "A later version of the file.", price: perCallFile(0.2) };
    daemon = await start({ "acme-maps": newer });

    expect(readFileSync(file(), "utf8")).toBe(`# as our contract of May says
# Prices that the owner of this marketplace set, in USD: what callers pay, in place of the prices in
# provider files. By provider/endpoint, or by provider for all of its endpoints. Written by mkt catalog price.
mkt: 1
prices:
  acme-maps/cycling: { type: PER_CALL, amount: 0.005 }
  acme-maps: { type: PER_CALL, amount: 0.001 }
`);
    expect((await inspect()).price).toEqual(perCall(0.005));
    expect((await inspect("/hiking")).price).toEqual(perCall(0.001));
  });

  test("is read anew when somebody edits it, and what it said holds while it cannot be read", async () => {
    const edit = (text: string) => writeFileSync(file(), text);
    edit("mkt: 1\nprices:\n  acme-maps/cycling: { type: PER_CALL, amount: 0.007 }\n");
    await expect.poll(async () => (await inspect()).price, { timeout: 15_000 }).toEqual(perCall(0.007));

    edit("mkt: 1\nprices: { acme-maps/cycling: { type: PER_CALL, amount: -1 } }\n");
    const errors = async () => JSON.parse((await mkt("catalog", "list", "--json")).stdout).errors;
    await expect
      .poll(errors, { timeout: 15_000 })
      .toMatchObject([{ file: file(), message: /negative.*last good version is used/ }]);

    expect((await inspect()).price).toEqual(perCall(0.007));
    edit("mkt: 1\nprices: [\n");
    const refused = await mkt("catalog", "price", "acme-maps/cycling", "0.005");
    expect(refused.stderr).toContain("fix it, or remove it");
    expect(readFileSync(file(), "utf8")).toBe("mkt: 1\nprices: [\n");
  });

  test("takes no price that a mistake elsewhere in it would keep from being in force, and lets the mistake be taken away", async () => {
    await mkt("catalog", "price", "acme-maps/cycling", "0.005");
    const mistaken = `${readFileSync(file(), "utf8")}  acme-maps/hiking: { type: PER_CAL, amount: 0.01 }\n`;
    writeFileSync(file(), mistaken);

    const refused = await mkt("catalog", "price", "acme-maps/cycling", "0.05");
    const untouched = readFileSync(file(), "utf8");
    const removed = await mkt("catalog", "price", "acme-maps/hiking", "--remove");
    const set = await mkt("catalog", "price", "acme-maps/cycling", "0.05");

    expect(refused.exitCode).toBe(12);
    expect(refused.stderr).toMatch(/No price was changed.*prices\.yaml has a mistake \(line 6, .*"PER_CALL"/s);
    expect(refused.stderr).toContain("catalog list");
    expect(untouched).toBe(mistaken);
    expect([removed.exitCode, set.exitCode]).toEqual([0, 0]);
    expect((await inspect()).price).toEqual(perCall(0.05));
  });

  test("with a mistake in one price keeps the others at a start, and runs nothing whose price nobody knows", async () => {
    const prices =
      "acme-maps/cycling: { type: PER_CALL, amount: 0.005 }\n  acme-maps/hiking: { type: PER_CALL, amount: 0,01 }";
    await daemon[Symbol.asyncDispose]();
    writeFileSync(file(), `mkt: 1\nprices:\n  ${prices}\n`);
    daemon = await start();

    const hiking = await daemon.request("POST", "/v1/run", { provider: "acme-maps", endpoint: "/hiking" });

    expect((await inspect()).price).toEqual(perCall(0.005));
    expect(hiking).toMatchObject({ status: 503, body: { message: expect.stringContaining("has a mistake") } });
    expect(vendor.calls).toHaveLength(0);
    writeFileSync(file(), `mkt: 1\nprices:\n  ${prices.replace("0,01", "0.01")}\n`);
    await expect.poll(async () => (await inspect("/hiking")).price, { timeout: 15_000 }).toEqual(perCall(0.01));
  });

  test.each([
    ["is no YAML", "mkt: 1\nprices: {"],
    ["names its prices by a slip", "mkt: 1\nprice:\n  acme-maps: { type: PER_CALL, amount: 0.01 }\n"],
  ])("that %s keeps the daemon from starting, and holds as it was in one that runs", async (_, text) => {
    await mkt("catalog", "price", "acme-maps/cycling", "0.005");
    const sound = readFileSync(file(), "utf8");

    writeFileSync(file(), text);
    await expect.poll(async () => (await mkt("catalog", "list")).stderr, { timeout: 15_000 }).toContain("prices.yaml");
    const held = (await inspect()).price;
    await daemon[Symbol.asyncDispose]();
    const refusal: unknown = await start().catch((error: unknown) => error);
    writeFileSync(file(), sound);
    daemon = await start();

    expect(held).toEqual(perCall(0.005));
    expect(toDaemonExit(refusal)).toMatchObject({ code: 78, message: expect.stringContaining("prices.yaml") });
    expect((await inspect()).price).toEqual(perCall(0.005));
  });

  test("tells of a price whose endpoint is gone, and lets it be taken away", async () => {
    await mkt("catalog", "price", "acme-maps/hiking", "0.005");
    await daemon[Symbol.asyncDispose]();
    const { "/hiking": _, ...left } = (mapsManifest(vendor.url) as { endpoints: Record<string, object> }).endpoints;
    daemon = await start({ "acme-maps": { ...mapsManifest(vendor.url), endpoints: left } });

    const listed = JSON.parse((await mkt("catalog", "prices", "--json")).stdout);
    const removed = await mkt("catalog", "price", "acme-maps/hiking", "--remove");

    expect(listed.items).toMatchObject([
      {
        provider: "acme-maps",
        endpoint: "/hiking",
        problem: expect.stringContaining("nothing of the catalog is called"),
      },
    ]);
    expect(removed.exitCode).toBe(0);
    expect(JSON.parse((await mkt("catalog", "prices", "--json")).stdout).items).toEqual([]);
  });

  test("is in what the catalog is exported with", async () => {
    await mkt("catalog", "price", "acme-maps/cycling", "0.005");

    const { stdout } = await spawnMkt(["catalog", "export", "--format", "mcp", join(home.path, "trusted")], { home });

    const tools: { name: string; description: string }[] = JSON.parse(stdout).tools;
    const priceOf = (word: string) =>
      tools
        .find(({ name }) => name.includes(word))
        ?.description.split("\n")
        .at(-1);
    expect(priceOf("cycling")).toBe("Price: $0.005/call.");
    expect(priceOf("hiking")).toBe("Price: billed by Acme Maps on your key.");
  });

  test("holds for every daemon of the same configuration", async () => {
    const other = { ...home, environment: { ...home.environment, MKT_DATA_DIR: join(home.path, "data-2") } };
    await using second = await startTestDaemon({ home: other, manifests: { "acme-maps": mapsManifest(vendor.url) } });

    await mkt("catalog", "price", "acme-maps/cycling", "0.005");

    const price = async () => (await second.request("POST", "/v1/inspect", cycling)).body.price;
    await expect.poll(price, { timeout: 15_000 }).toEqual(perCall(0.005));
  });
});

test("a run that is under way ends under the price that it began with", async () => {
  await daemon[Symbol.asyncDispose]();
  daemon = await start({ weather: weatherManifest(vendor.url) });
  scriptReport(vendor, { polls: 1_000_000 });
  const body = { provider: "weather", endpoint: "/report", input: { topic: "rain", limit: 3 } };
  const { runId } = (await daemon.request("POST", "/v1/run", body)).body;
  await untilCalled(vendor, "POST /reports");

  await mkt("catalog", "price", "weather/report", "5", "--per", "result");
  const quoted = await daemon.request("POST", "/v1/quote", body);
  scriptReport(vendor, { polls: 0, result: { items: [1, 2] } });
  const ended = await daemon.request("GET", `/v1/runs/${runId}?wait=20`);

  expect(quoted.body.maximum.value).toBe(15);
  expect(ended.body).toMatchObject({ status: "COMPLETED", cost: { value: 0.009 } });
});

function perCallFile(amount: number): object {
  return { type: "PER_CALL", amount };
}
