import { describe, expect, test } from "vitest";
import { Command } from "commander";
import { jsonLines, lastLine, runMkt } from "../support/run-cli.ts";
import { aRun, startStandIn, sunEndpoint, type StandInRoutes } from "./stand-in-service.ts";

const money = (value: number) => ({ value, currency: "USD" });
const key = {
  label: "ci",
  keyPrefix: "mkt_live_abcd",
  createdBy: "USER#1",
  createdAt: "2026-01-01T00:00:00.000Z",
  owner: "1",
  scopes: ["*"],
  status: "ACTIVE",
  origin: "API",
};
const whoami = {
  user: { userId: "u1", username: "owner", metadata: {}, createdAt: "x", updatedAt: "x" },
  workspace: { workspaceId: "w1", name: "Home", slug: "home", metadata: {}, createdAt: "x", updatedAt: "x" },
};
const card = {
  provider: "atlas",
  providerDisplayName: "Atlas",
  endpoint: "/sun",
  displayName: "Sun",
  displayDescription: "Sunrise",
  price: sunEndpoint.price,
  tags: [],
  categories: [],
};
const catalog = {
  folders: ["/catalog"],
  providers: [
    {
      provider: "weather",
      displayName: "Weather",
      endpoints: 2,
      file: "/catalog/weather.yaml",
      origin: "https://weather.example",
      available: false,
      missingSecrets: [{ name: "key", env: "WEATHER_KEY" }],
      needsGrant: true,
      grant: { origin: "https://weather.example", variables: ["WEATHER_KEY"], privateHosts: [] },
    },
  ],
  errors: [{ file: "/catalog/bad.yaml", path: "endpoints", rule: "required", message: "there are none" }],
};
const paged = new Set(["GET /v1/runs", "GET /v1/api-keys", "GET /public/v1/providers", "GET /public/v1/endpoints"]);

/** A day begins where this machine is. */
const midnight = new Date(2026, 0, 1).toISOString();

const grant = { provider: "weather", ...catalog.providers[0]?.grant, grantedAt: "2026-01-01T00:00:00.000Z" };

const sums = {
  runs: 2,
  failed: 1,
  charged: money(0.02),
  cost: money(0.01),
  rent: money(0),
  overruns: 0,
  overrun: money(0),
};

const settings = {
  mirrorProviderStatus: false,
  discoverFloor: 0.2,
  discoverPool: 200,
  health: { freshMinutes: 15, timedRuns: 5 },
};

const routes: StandInRoutes = {
  "GET /v1/auth/whoami": { body: whoami },
  "GET /v1/auth/workspaces": { body: { workspaces: [{ workspaceId: "w1", slug: "home" }] } },
  "GET /v1/wallet/balance": { body: { balance: money(9.999), held: money(0) } },
  "GET /v1/wallet/activities": {
    body: {
      items: [
        {
          activityId: "2-1",
          type: "RUN_HOLD",
          amount: money(-0.01),
          runId: "01RUN",
          createdAt: "2026-01-01T00:00:01Z",
        },
        { activityId: "1-1", type: "TOPUP", amount: money(10), reason: "April", createdAt: "2026-01-01T00:00:00Z" },
      ],
      cursor: "next",
    },
  },
  "GET /v1/usage": {
    body: {
      items: [
        { group: "atlas", ...sums },
        { group: null, ...sums },
      ],
      total: sums,
    },
  },
  "GET /v1/runs/export": { headers: { "content-type": "text/csv" }, text: "runId,status\r\n01RUN,COMPLETED\r\n" },
  "GET /v1/api-keys": { body: { items: [key] } },
  "POST /v1/api-keys": { status: 201, body: { ...key, key: "mkt_live_secret" } },
  "POST /v1/api-keys/ci/revoke": { body: { ...key, status: "REVOKED" } },
  "GET /v1/runs": { body: { items: [aRun()] } },
  "POST /v1/runs/01RUN/stop": { status: 202, body: { runId: "01RUN", status: "STOPPING", message: "Stopping" } },
  "GET /public/v1/categories": {
    body: {
      items: [
        { id: "places", displayName: "Places", endpointCount: 1, kind: "top", children: ["countries"] },
        { id: "countries", displayName: "Countries", endpointCount: 1, kind: "category", parents: ["places"] },
      ],
      totalEndpointCount: 1,
    },
  },
  "GET /public/v1/providers": { body: { items: [{ provider: "atlas", displayName: "Atlas", endpointCount: 3 }] } },
  "GET /public/v1/endpoints": { body: { items: [card] } },
  "GET /v1/admin/workspaces": { body: { items: [{ workspaceId: "w2", name: "Research", slug: "research" }] } },
  "POST /v1/admin/workspaces": { status: 201, body: { workspaceId: "w3", name: "New", slug: "new" } },
  "POST /v1/admin/users": { status: 201, body: { userId: "u2", username: "ada", workspaceId: "w1" } },
  "POST /v1/admin/workspaces/w1/credits": {
    status: 201,
    body: { workspaceId: "w1", balance: money(20), held: money(0) },
  },
  "POST /v1/admin/workspaces/w1/debits": {
    status: 201,
    body: { workspaceId: "w1", balance: money(1), held: money(0) },
  },
  "POST /v1/admin/workspaces/w1/api-keys": { status: 201, body: { ...key, key: "mkt_live_other" } },
  "GET /v1/admin/catalog": { body: catalog },
  "GET /v1/admin/grants": { body: { items: [grant] } },
  "GET /v1/admin/settings": { body: settings },
  "PATCH /v1/admin/settings": { body: settings },
  "GET /v1/api-keys/ci": { body: key },
  "PATCH /v1/api-keys/ci": { body: { ...key, label: "build" } },
  "GET /v1/api-keys/scopes": {
    body: { resources: [{ key: "runs", label: "Runs", actions: [{ key: "create", description: "create runs" }] }] },
  },
  "GET /v1/wallet/topup": {
    body: {
      minAmount: 0.01,
      currency: "USD",
      processingFee: { type: "PERCENTAGE", rate: 2, description: "card" },
      tiers: [],
      presets: [10, 25],
      defaultPreset: 10,
      autoReload: { enabled: false, topUpToAmount: 0, threshold: 0 },
    },
  },
  "GET /v1/runs/01RUN/controls": {
    body: { items: [{ controlId: "01CAP", controlType: "WORKSPACE_RUN_CAP", status: "PASSED" }], cursor: null },
  },
  "POST /v1/resources/01RES/release": {
    status: 202,
    body: { resourceId: "01RES", state: "EXPIRING", message: "Released at its end" },
  },
  "POST /v1/discover/providers": {
    body: { items: [{ provider: "atlas", displayName: "Atlas", endpointCount: 3 }] },
  },
  "POST /v1/discover/categories": { body: { items: [], totalEndpointCount: 0 } },
  "POST /v1/quote": {
    body: {
      provider: "atlas",
      endpoint: "/sun",
      price: sunEndpoint.price,
      estimate: money(0.001),
      maximum: money(0.001),
      rule: {},
      wouldBlock: [],
    },
  },
  "POST /v1/run": { body: aRun() },
  "POST /v1/admin/grants": { status: 201, body: grant },
  "DELETE /v1/admin/grants/weather": { status: 204 },
  "POST /v1/discover": {
    body: { query: "x", count: 2, results: ["a", "b"].map((provider) => ({ ...card, provider, score: 1 })) },
  },
};

describe("each command asks the service", () => {
  test.each<[string, string, Record<string, unknown>]>([
    [
      "discover sun set --limit 3 --provider a --provider b --tag t --max-price 0.5 --mode sync --category sky --min-score 0.1 --include-unavailable",
      "POST /v1/discover",
      {
        q: "sun set",
        limit: 3,
        provider: ["a", "b"],
        tags: ["t"],
        maxPrice: money(0.5),
        mode: "sync",
        category: "sky",
        minScore: 0.1,
        includeUnavailable: true,
      },
    ],
    [
      "runs --status FAILED,STOPPED --provider atlas --since 2026-01-01",
      "GET /v1/runs",
      { status: "FAILED,STOPPED", provider: "atlas", since: midnight },
    ],
    ["runs list --limit 5", "GET /v1/runs", { limit: "5" }],
    ["runs export", "GET /v1/runs/export", { format: "csv" }],
    ["runs export --jsonl", "GET /v1/runs/export", { format: "ndjson" }],
    ["runs --status failed", "GET /v1/runs", { status: "FAILED" }],
    ["keys --status revoked", "GET /v1/api-keys", { status: "REVOKED" }],
    [
      "runs export --format ndjson --tag team=red --until 2026-01-01",
      "GET /v1/runs/export",
      { format: "ndjson", tag: "team:red", until: midnight },
    ],
    ["usage", "GET /v1/usage", { groupBy: "provider" }],
    [
      "usage --by tag:team --since 2026-01-01 --until 2026-02-01T10:00:00Z",
      "GET /v1/usage",
      { groupBy: "tag:team", since: midnight, until: "2026-02-01T10:00:00.000Z" },
    ],
    ["stop 01RUN", "POST /v1/runs/01RUN/stop", {}],
    ["runs controls 01RUN --limit 5", "GET /v1/runs/01RUN/controls", { limit: "5" }],
    ["release 01RES --yes", "POST /v1/resources/01RES/release", {}],
    [
      "discover rain --by provider --mode sync --tag t",
      "POST /v1/discover/providers",
      { q: "rain", mode: "sync", tags: ["t"] },
    ],
    ["discover rain --by category", "POST /v1/discover/categories", { q: "rain" }],
    [
      "quote atlas/sun -i {} --max-cost 0.5 --tag a=b --deadline-seconds 2.5",
      "POST /v1/quote",
      {
        provider: "atlas",
        endpoint: "/sun",
        input: {},
        maxCost: { value: 0.5, currency: "USD" },
        tags: { a: "b" },
        deadlineMs: 2500,
      },
    ],
    [
      "run atlas/sun -i {} --deadline-seconds 30",
      "POST /v1/run",
      { provider: "atlas", endpoint: "/sun", input: {}, deadlineMs: 30_000 },
    ],
    ["runs stop 01RUN", "POST /v1/runs/01RUN/stop", {}],
    ["whoami", "GET /v1/auth/whoami", {}],
    ["workspaces", "GET /v1/auth/workspaces", {}],
    ["workspaces create New --slug new", "POST /v1/admin/workspaces", { name: "New", slug: "new" }],
    [
      "users add ada --email a@example.org",
      "POST /v1/admin/users",
      { username: "ada", email: "a@example.org", workspaceId: "w1" },
    ],
    ["wallet", "GET /v1/wallet/balance", {}],
    ["wallet activities --limit 2 --cursor c", "GET /v1/wallet/activities", { limit: "2", cursor: "c" }],
    ["wallet credit 10 --reason April", "POST /v1/admin/workspaces/w1/credits", { amount: money(10), reason: "April" }],
    ["wallet credit $0.5", "POST /v1/admin/workspaces/w1/credits", { amount: money(0.5), reason: "mkt wallet credit" }],
    [
      "wallet debit 1 --workspace research",
      "POST /v1/admin/workspaces/w1/debits",
      { amount: money(1), reason: "mkt wallet debit" },
    ],
    ["keys", "GET /v1/api-keys", {}],
    ["keys list --status REVOKED", "GET /v1/api-keys", { status: "REVOKED" }],
    [
      "keys create --label ci --scope runs:create --scope runs:read",
      "POST /v1/api-keys",
      { label: "ci", scopes: ["runs:create", "runs:read"] },
    ],
    [
      "keys create --label ci --workspace Research --operator",
      "POST /v1/admin/workspaces/w1/api-keys",
      { label: "ci", operator: true },
    ],
    ["keys revoke ci", "POST /v1/api-keys/ci/revoke", {}],
    ["keys get ci", "GET /v1/api-keys/ci", {}],
    ["keys rename ci build", "PATCH /v1/api-keys/ci", { label: "build" }],
    ["keys scopes", "GET /v1/api-keys/scopes", {}],
    ["wallet topup", "GET /v1/wallet/topup", {}],
    ["settings", "GET /v1/admin/settings", {}],
    [
      "settings set discoverFloor=0.2 health.freshMinutes=30 health.timedRuns=5 mirrorProviderStatus=true",
      "PATCH /v1/admin/settings",
      { discoverFloor: 0.2, health: { freshMinutes: 30, timedRuns: 5 }, mirrorProviderStatus: true },
    ],
    ["catalog grants", "GET /v1/admin/grants", {}],
    ["categories places", "GET /public/v1/categories", { q: "places" }],
    ["providers", "GET /public/v1/providers", {}],
    ["endpoints sun --provider atlas", "GET /public/v1/endpoints", { q: "sun", provider: "atlas" }],
    ["catalog list", "GET /v1/admin/catalog", {}],
    ["catalog grant weather --yes", "POST /v1/admin/grants", { provider: "weather" }],
    ["catalog revoke weather", "DELETE /v1/admin/grants/weather", {}],
  ])("mkt %s", async (line, route, sent) => {
    await using service = await startStandIn(routes);

    const { exitCode } = await runMkt(line.split(" "), service);

    const last = service.requests.at(-1);
    expect(exitCode).toBe(0);
    expect(`${last?.method} ${last?.path}`).toBe(route);
    // Of a list that comes in pages a screen is asked for, where nobody says how many.
    expect(last?.body ?? last?.query).toEqual(paged.has(route) ? { limit: "30", ...sent } : sent);
  });

  test.each([
    ["whoami", "owner"],
    ["workspaces", "w1"],
    ["workspaces create New", "mkt keys create --label first --role owner --workspace new"],
    ["users add ada", "mkt keys create --label ada --workspace w1"],
    ["wallet", "$9.999"],
    ["wallet activities", "RUN_HOLD  -$0.01  01RUN"],
    ["wallet activities", "TOPUP       +$10  April"],
    ["usage", "atlas        2       1    $0.02  $0.01"],
    ["usage", "(none)"],
    ["usage", "total"],
    ["wallet credit 10", "now has $20"],
    ["keys", "mkt_live_abcd…"],
    ["keys create --label ci", "mkt_live_secret"],
    ["runs", "mkt get-run 01RUN"],
    ["stop 01RUN", "mkt get-run 01RUN --wait"],
    ["categories", "mkt endpoints --category countries"],
    ["providers", "mkt endpoints --provider atlas"],
    ["endpoints", "mkt inspect atlas/sun"],
    ["catalog list", "mkt catalog grant weather"],
    ["catalog grant weather --yes", "mkt catalog revoke weather"],
    ["keys revoke ci --yes", "mkt keys"],
    ["daemon status", "mkt daemon start"],
    ["keys get ci", "mkt_live_abcd…"],
    ["keys rename ci build", "mkt keys revoke build"],
    ["keys scopes", "runs:create"],
    ["wallet topup", "2 % (card)"],
    ["settings", "health.freshMinutes"],
    ["catalog grants", "WEATHER_KEY"],
    ["runs controls 01RUN", "mkt caps get 01CAP"],
    ["release 01RES --yes", "Released at its end"],
  ])("mkt %s shows a person what came and what to do next", async (line, shown) => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(line.split(" "), { ...service, tty: true });

    expect(stdout).toContain(shown);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/: mkt /);
  });

  test("keys create --json prints label and key", async () => {
    await using service = await startStandIn(routes);

    const { stdout } = await runMkt(["keys", "create", "--label", "ci", "--json"], service);

    expect(JSON.parse(stdout)).toMatchObject({ label: "ci", key: "mkt_live_secret" });
  });

  test("catalog list prints a provider a line, and wrong files on stderr", async () => {
    await using service = await startStandIn(routes);

    const { stdout, stderr } = await runMkt(["catalog", "list"], service);

    expect(jsonLines(stdout)).toEqual(catalog.providers);
    expect(stderr).toBe("/catalog/bad.yaml endpoints: there are none (required)\n");
  });

  test("whoami says on stderr where address and key came from", async () => {
    await using service = await startStandIn(routes);

    const { stderr } = await runMkt(["whoami"], service);

    expect(stderr).toBe(`Address ${service.url}, from MKT_API_URL.\nThe key came from MKT_API_KEY.\n`);
  });

  test("a provider that is not loaded is named, with what is near", async () => {
    await using service = await startStandIn(routes);

    const { exitCode, stderr } = await runMkt(["catalog", "grant", "wether"], service);

    expect(exitCode).toBe(8);
    expect(stderr).toContain("Did you mean weather?");
  });
});

describe("questions", () => {
  test("a grant without a terminal and without --yes is refused, saying what it asks for", async () => {
    await using service = await startStandIn(routes);

    const { exitCode, stderr } = await runMkt(["catalog", "grant", "weather"], service);

    expect(exitCode).toBe(2);
    expect(stderr).toContain("WEATHER_KEY");
    expect(stderr).toContain("mkt catalog grant weather --yes");
  });

  test.each([
    ["y\n", 0, 1],
    ["\n", 1, 0],
    ["no\n", 1, 0],
    ["", 1, 0],
  ])("the answer %j to a question on a terminal decides", async (answer, code, calls) => {
    await using service = await startStandIn(routes);
    const { exitCode, stderr } = await runMkt(["keys", "revoke", "ci"], { ...service, tty: true, stdin: answer });

    expect(stderr).toContain('Revoke the key "ci"?');
    expect(exitCode).toBe(code);
    expect(service.requests).toHaveLength(calls);
  });

  test.each([["--yes"], ["--no-input"]])("none with %s", async (flag) => {
    await using service = await startStandIn(routes);

    const { exitCode, stderr } = await runMkt(["keys", "revoke", "ci", flag], { ...service, tty: true });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });
});

describe("the command line", () => {
  test("prints the version", async () => {
    expect(await runMkt(["--version"])).toEqual({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
  });

  test("takes flags for every command before and after its name", async () => {
    await using service = await startStandIn(routes);

    const before = await runMkt(["--json", "runs"], service);
    const after = await runMkt(["runs", "--json"], service);

    expect(before.stdout).toBe(after.stdout);
    expect(JSON.parse(before.stdout)).toHaveProperty("items");
  });

  test.each([
    [["discovr", "x"], "unknown command 'discovr'"],
    [["run"], "missing required argument 'endpoint'"],
    [["whoami", "extra"], "too many arguments"],
    [["keys", "create"], "required option '--label <label>'"],
    [["wallet", "credit", "ten"], "not an amount in dollars"],
    [["runs", "--jsn"], "unknown option '--jsn'. Did you mean --json?"],
    [["keys", "creat"], "unknown command 'keys creat'. Did you mean create?"],
    [["run", "atlas/sun", "--deadline-seconds", "0.5"], "It must be at least 1 second."],
    [["discover", "x", "--by", "provider", "--limit", "3"], "--limit cannot be combined with --by provider"],
    [["discover", "x", "--by", "provider", "--explain"], "--explain cannot be combined with --by provider"],
    [["discover", "x", "--by", "provder"], "Allowed choices are endpoint, provider, category."],
    [["settings", "set", "discoverFloor"], "It must be name=value."],
    [["runs", "--fields", "a..b"], 'a name is missing in "a..b"'],
    [["wallet", "credit", "0.0000001"], "more than 6 digits"],
    [["runs", "--limit", "0"], "whole number above 0"],
    [["keys", "create", "--label", "x", "--operator"], "--operator needs --workspace"],
  ])("%j is wrong usage, told as one JSON object with --json", async (words, message) => {
    await using service = await startStandIn(routes);

    const plain = await runMkt(words, service);
    const json = await runMkt([...words, "--json"], service);

    expect(plain.exitCode).toBe(2);
    expect(plain.stderr).toContain(message);
    expect(json.exitCode).toBe(2);
    expect(JSON.parse(lastLine(json.stderr))).toMatchObject({ code: 0, message: expect.stringContaining(message) });
    expect(json.stdout).toBe("");
  });

  test("has room for commands of others, which end it with their own exit code", async () => {
    const { exitCode, stderr } = await runMkt(["daemon", "--port", "7717"], { mount: mountTakenPort });

    expect(exitCode).toBe(78);
    expect(stderr).toBe("error: Port 7717 is taken.\n  next: mkt daemon --help\n");
  });
});

function mountTakenPort(program: Command): void {
  const daemon = program.commands.find((command) => command.name() === "daemon");
  daemon?.addCommand(
    new Command("run").option("--port <port>").action((flags: { port: string }) => {
      throw Object.assign(new Error(`Port ${flags.port} is taken.`), { exitCode: 78 });
    }),
    { isDefault: true },
  );
}
