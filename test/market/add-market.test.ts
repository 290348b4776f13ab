import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { teamManifest } from "./two-daemons.ts";

const LOCAL = ["--allow-private-host", "127.0.0.1"];

async function mkt(home: MktHome, environment: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  return await spawnMkt(["catalog", ...argv], { home, environment });
}

/** A market of the compatible interface alone, with these cards and inspections. */
async function compatibleMarket(endpoints: readonly Record<string, unknown>[]) {
  const market = await startFakeProvider();
  const cards = endpoints.map(({ provider, endpoint }) => ({ provider, endpoint, providerDisplayName: provider }));
  market.on("GET /v1/endpoints", ({ query }) => {
    if (query.get("readonly") === "false") return { json: { items: [], total: 2 } };
    const from = Number(query.get("cursor") ?? 0);
    const more = from + 1 < cards.length ? { cursor: String(from + 1) } : {};
    return { json: { items: cards.slice(from, from + 1), ...more } };
  });
  market.on("POST /v1/inspect", ({ json }) => {
    const found = endpoints.find(({ endpoint }) => endpoint === json.endpoint);
    return found === undefined ? { status: 404, json: { code: 404, message: "none" } } : { json: found };
  });
  return market;
}

const price = { type: "PER_CALL", amount: { value: 0.01, currency: "USD" } };

const SEVERAL_PROCESSES_MS = 120_000;

test(
  "mkt catalog add-market takes over a team's daemon: found, inspected, run, refreshed",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    await using vendor = await startFakeProvider();
    vendor.on("GET /list", { json: { items: [1, 2, 3] } });
    await using team = await startTestDaemon({ manifests: { acme: teamManifest(vendor.url) } });
    using home = mktHome();
    const environment = { TEAM_KEY: team.key };
    const words = ["add-market", team.url, "--key-env", "TEAM_KEY", "--markup", "10%", "--prefix", "team", ...LOCAL];

    const added = await mkt(home, environment, ...words, "--json");
    const file = join(home.configDir, "catalog", "team-acme.yaml");
    const written = readFileSync(file, "utf8");
    const check = await mkt(home, environment, "check", file);
    const again = await mkt(home, environment, ...words, "--json");
    const early = await mkt(home, environment, "drift", ...LOCAL);
    await using laptop = await startTestDaemon({ home, environment });
    await laptop.client.createGrant({ body: { provider: "team-acme" } });
    const drift = await mkt(home, environment, "drift", ...LOCAL);
    const found = await laptop.request("POST", "/v1/discover", { q: "list up to so many things" });
    const inspected = await laptop.request("POST", "/v1/inspect", { provider: "team-acme", endpoint: "/list" });
    const run = await laptop.request("POST", "/v1/run", {
      provider: "team-acme",
      endpoint: "/list",
      input: { limit: 3 },
    });

    expect(added).toMatchObject({ code: 0 });
    expect(JSON.parse(added.stdout)).toMatchObject({ documents: [{ provider: "team-acme", endpoints: 5 }] });
    expect(written).not.toContain(team.key);
    expect(written).toContain("Acme (via 127.0.0.1");
    expect(check).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ documents: [{ summary: { changed: false } }] });
    expect(early).toMatchObject({ code: 1, stdout: expect.stringContaining("mkt catalog grant team-acme") });
    expect(drift).toMatchObject({ code: 0, stdout: "team-acme: as it was imported.\n" });
    expect(found.body.results[0]).toMatchObject({ provider: "team-acme", endpoint: "/list" });
    expect(inspected.body).toMatchObject({
      mode: "sync",
      via: [new URL(team.url).host],
      price: { type: "PER_RESULT", amount: { value: 0.0003663 } },
    });
    // 3 × 333 = 999 there, × 1.1 = 1098.9
    expect(run.body).toMatchObject({ output: [1, 2, 3], billing: { reportedCost: { value: 1_099 } } });
  },
);

test("drift shows what the market changed, and --accept takes it over", { timeout: SEVERAL_PROCESSES_MS }, async () => {
  await using vendor = await startFakeProvider();
  using teamHome = mktHome();
  const before = teamManifest(vendor.url) as { endpoints: Record<string, object> };
  const { "/cut": _cut, ...rest } = before.endpoints;
  const after = { ...before, endpoints: { ...rest, "/buy": { ...rest["/buy"], description: "Buys two things." } } };
  using home = mktHome();
  await using team = await startTestDaemon({ home: teamHome, manifests: { acme: before } });
  const environment = { TEAM_KEY: team.key };
  await mkt(home, environment, "add-market", team.url, "--key-env", "TEAM_KEY", "--prefix", "team", ...LOCAL);
  teamHome.writeCatalog("trusted", { acme: after });
  await expect
    .poll(async () => (await team.request("POST", "/v1/inspect", { provider: "acme", endpoint: "/cut" })).status, {
      timeout: 20_000,
    })
    .toBe(404);

  const named = ["drift", "team-acme", "--auth-env", "TEAM_KEY", ...LOCAL];
  const drift = await mkt(home, environment, ...named, "--json");
  const accepted = await mkt(home, environment, ...named, "--accept", "--yes");
  const then = await mkt(home, environment, ...named);
  const file = readFileSync(join(home.configDir, "catalog", "team-acme.yaml"), "utf8");

  expect(JSON.parse(drift.stdout).providers).toMatchObject([
    { provider: "team-acme", state: "changed", removed: ["/cut"], changed: ["/buy"] },
  ]);
  expect(accepted).toMatchObject({ code: 0 });
  expect(then).toMatchObject({ code: 0 });
  expect(file).toContain("Buys two things.");
  expect(file).not.toContain("/cut");
});

test(
  "drift sends no variable that a file names to where nobody granted it",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    await using market = await compatibleMarket([{ provider: "a", endpoint: "/one", price, tags: [], categories: [] }]);
    using home = mktHome();
    const environment = { TEAM_KEY: "the-key-of-the-team", AWS_SECRET_ACCESS_KEY: "another-secret" };
    await mkt(home, environment, "add-market", market.url, "--key-env", "TEAM_KEY", "--prefix", "shop", ...LOCAL);
    // As in a catalog folder that somebody else sent.
    const record = join(home.configDir, "catalog", ".imported", "shop-a.json");
    writeFileSync(record, readFileSync(record, "utf8").replaceAll("TEAM_KEY", "AWS_SECRET_ACCESS_KEY"));
    const before = market.calls.length;

    const drift = await mkt(home, environment, "drift", ...LOCAL);

    expect(drift).toMatchObject({ code: 1, stdout: expect.stringContaining("may not use AWS_SECRET_ACCESS_KEY") });
    expect(market.calls.length).toBe(before);
  },
);

test(
  "a market of the compatible interface is read page by page, and says what cannot be taken",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    await using market = await compatibleMarket([
      { provider: "a", endpoint: "/one", price, description: "One.", tags: [], categories: [] },
      {
        provider: "a",
        endpoint: "/rented",
        price: { type: "BY_PERIOD", amount: { value: 2, currency: "USD" }, period: { unit: "MONTH", count: 1 } },
      },
      { provider: "a", endpoint: "/euros", price: { type: "PER_CALL", amount: { value: 1, currency: "EUR" } } },
      { provider: "a", endpoint: "/elsewhere", price, via: ["far.example"] },
      { provider: "a", endpoint: "/keyless", price, unavailable: { reason: "missingSecret" } },
      {
        provider: "b",
        endpoint: "/two",
        price,
        description: "\u001b[31mrm -rf\u001b[0m \u202e Two.",
        hints: { next: "rm -rf ~" },
      },
    ]);
    using home = mktHome();

    const { code, stdout } = await mkt(home, {}, "add-market", market.url, ...LOCAL, "--prefix", "shop", "--json");
    const report = JSON.parse(stdout);
    const dir = join(home.configDir, "catalog");
    const second = readFileSync(join(dir, "shop-b.yaml"), "utf8");

    expect(code).toBe(0);
    expect(readdirSync(dir).filter((name) => name.endsWith(".yaml"))).toEqual(["shop-a.yaml", "shop-b.yaml"]);
    expect(report).toMatchObject({ leftOut: 2, imported: 2 });
    expect(report.documents[0].skipped.map(({ operation }: { operation: string }) => operation)).toEqual([
      "/rented",
      "/euros",
      "/elsewhere",
      "/keyless",
    ]);
    expect(second).toContain("additions: false");
    expect(second).toContain("rm -rf Two.");
    expect(second).not.toContain("hints");
  },
);

test(
  "a market that is none, that does not take the key, or that nobody opened is refused with the reason",
  { timeout: SEVERAL_PROCESSES_MS },
  async () => {
    using home = mktHome();
    await using market = await startFakeProvider();
    market.on("GET /v1/endpoints", { status: 401, json: { code: 401, message: "Unauthorized" } });
    await using other = await startFakeProvider();

    const unauthorized = await mkt(
      home,
      { TEAM_KEY: "x" },
      "add-market",
      market.url,
      "--key-env",
      "TEAM_KEY",
      ...LOCAL,
    );
    const noMarket = await mkt(home, {}, "add-market", other.url, ...LOCAL);
    const closed = await mkt(home, {}, "add-market", other.url);
    const unset = await mkt(home, {}, "add-market", other.url, "--key-env", "TEAM_KEY", ...LOCAL);

    expect([unauthorized, noMarket, closed, unset].map(({ code }) => code === 0)).toEqual([false, false, false, false]);
    expect(unauthorized.stderr).toContain("its key is not valid there");
    expect(noMarket.stderr).toContain("no market of this contract");
    expect(closed.stderr).toMatch(/private address|without TLS/);
    expect(unset.stderr).toContain("TEAM_KEY holds no token");
    expect(other.calls.length).toBe(1);
  },
);
