import { execFileSync } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type SpawnedDaemon, spawnDaemon, spawnMkt } from "../support/spawn-mkt.ts";

// Longer than the minute after which a process that hangs is killed, so that none outlives its test.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const canary = "canary-7f3a91c5/d+2";

/** A file that asks for a variable and sends it to its vendor, as a good one and a thief's alike would. */
function skywatch(baseUrl: string): object {
  return {
    displayName: "Skywatch",
    secrets: { key: { env: "SKYWATCH_KEY", description: "from skywatch.example/keys" } },
    http: {
      baseUrl,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      auth: { type: "apiKey", in: "query", name: "apikey", value: "${secret.key}" },
      headers: { "x-token": "Token ${secret.key}" },
    },
    endpoints: {
      "/comets": {
        displayName: "Comets",
        description: "Comets that are visible tonight, with their brightness.",
        tags: ["comets"],
        request: { method: "GET", path: "/comets" },
        price: { type: "PER_CALL", amount: 0.01 },
      },
    },
  };
}

const cometsRun = { provider: "skywatch", endpoint: "/comets" };

/** A daemon with the file in a folder that nobody vouched for. */
async function startWithStrangersFile(
  home: MktHome,
  vendor: FakeProvider,
  environment: Readonly<Record<string, string>>,
) {
  const dir = home.writeCatalog("strangers", { skywatch: skywatch(vendor.url) });
  return await spawnDaemon({ home, environment, args: ["--catalog", dir, "--allow-private-host", vendor.host] });
}

async function foundComets(daemon: SpawnedDaemon, more: object = {}): Promise<unknown[]> {
  const answer = await daemon.request("POST", "/v1/discover", { q: "comets visible tonight", ...more });
  return (answer.body.results as { provider: string }[]).map(({ provider }) => provider);
}

describe.concurrent("a file of a folder that is not trusted", () => {
  test("gets no variable before the operator grants it, and the 503 names the command; after it, it works", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /comets", { json: { comets: [] } });
    await using daemon = await startWithStrangersFile(home, vendor, { SKYWATCH_KEY: canary });

    const refused = await daemon.request("POST", "/v1/run", cometsRun);
    const typed = await spawnMkt(["run", "skywatch/comets"], { home });
    const hidden = await foundComets(daemon);
    const shown = await foundComets(daemon, { includeUnavailable: true });
    const callsBefore = vendor.accepted();
    const grant = await spawnMkt(["catalog", "grant", "skywatch", "--yes"], { home });
    const run = await daemon.request("POST", "/v1/run", cometsRun);
    const found = await foundComets(daemon);

    expect(refused).toMatchObject({
      status: 503,
      body: { code: 503, message: expect.stringContaining("mkt catalog grant skywatch") },
    });
    expect(typed).toMatchObject({
      code: 12,
      stdout: "",
      stderr: expect.stringContaining("mkt catalog grant skywatch"),
    });
    expect([hidden, shown]).toEqual([[], ["skywatch"]]);
    expect(callsBefore).toBe(0);
    expect(grant.code).toBe(0);
    expect(JSON.parse(grant.stdout)).toMatchObject({ provider: "skywatch", variables: ["SKYWATCH_KEY"] });
    expect(run).toMatchObject({ status: 200, body: { status: "COMPLETED", output: { comets: [] } } });
    expect(vendor.calls[0]?.query.get("apikey")).toBe(canary);
    expect(found).toEqual(["skywatch"]);
  });

  test("keeps its grant over a restart, and loses it when the operator takes it back", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    vendor.on("GET /comets", { json: {} });
    await using first = await startWithStrangersFile(home, vendor, { SKYWATCH_KEY: canary });
    await spawnMkt(["catalog", "grant", "skywatch", "--yes"], { home });
    await first.kill("SIGKILL");

    await using second = await startWithStrangersFile(home, vendor, { SKYWATCH_KEY: canary });
    const granted = await second.request("POST", "/v1/run", cometsRun);
    const revoke = await spawnMkt(["catalog", "revoke", "skywatch"], { home });
    const revoked = await second.request("POST", "/v1/run", cometsRun);

    expect(granted).toMatchObject({ status: 200, body: { status: "COMPLETED" } });
    expect(revoke.code).toBe(0);
    expect(revoked.status).toBe(503);
    expect(vendor.count("GET /comets")).toBe(1);
  });

  test("may not call a private address either, unless it was granted or named at the start", async () => {
    using home = mktHome();
    await using vendor = await startFakeProvider();
    const dir = home.writeCatalog("strangers", { skywatch: skywatch(vendor.url) });
    await using daemon = await spawnDaemon({ home, environment: { SKYWATCH_KEY: canary }, args: ["--catalog", dir] });

    const refused = await daemon.request("POST", "/v1/run", cometsRun);
    const list = await spawnMkt(["catalog", "list", "--json"], { home });

    expect(refused.status).toBe(503);
    expect(JSON.parse(list.stdout).providers).toMatchObject([
      { provider: "skywatch", needsGrant: true, grant: { variables: ["SKYWATCH_KEY"], privateHosts: [vendor.host] } },
    ]);
    expect(vendor.accepted()).toBe(0);
  });
});

test("a provider whose variable is not set is hidden, shown on request, and says which variable it misses", async () => {
  await using vendor = await startFakeProvider();
  vendor.on("GET /comets", { json: {} });
  using home = mktHome();
  const manifests = { skywatch: skywatch(vendor.url) };
  await using daemon = await spawnDaemon({ home, manifests });

  const refused = await daemon.request("POST", "/v1/run", cometsRun);
  const hidden = await foundComets(daemon);
  const shown = await foundComets(daemon, { includeUnavailable: true });
  const discovered = await spawnMkt(["discover", "comets", "--include-unavailable", "--json"], { home });
  const list = await spawnMkt(["catalog", "list", "--json"], { home });
  await daemon.kill();
  await using withKey = await spawnDaemon({ home, manifests, environment: { SKYWATCH_KEY: canary } });
  const found = await foundComets(withKey);
  const run = await withKey.request("POST", "/v1/run", cometsRun);

  expect(refused).toMatchObject({ status: 503, body: { code: 503, message: expect.stringContaining("SKYWATCH_KEY") } });
  expect([hidden, shown, found]).toEqual([[], ["skywatch"], ["skywatch"]]);
  expect(JSON.parse(discovered.stdout).results).toMatchObject([{ provider: "skywatch" }]);
  expect(JSON.parse(list.stdout).providers).toMatchObject([
    { available: false, missingSecrets: [{ env: "SKYWATCH_KEY", description: "from skywatch.example/keys" }] },
  ]);
  expect(run).toMatchObject({ status: 200, body: { status: "COMPLETED" } });
});

test("a secret never gets into an answer, a log or a file, also when the provider echoes it", async () => {
  using home = mktHome();
  await using vendor = await startFakeProvider();
  const echo = {
    said: `key ${canary}`,
    base64: Buffer.from(canary).toString("base64"),
    url: `/?k=${encodeURIComponent(canary)}`,
  };
  vendor.on(
    "GET /comets",
    { json: echo },
    { status: 401, json: { error: { message: `bad key ${canary}` } } },
    { status: 500, text: `failed with ${canary}` },
    { text: `{"broken ${canary}` },
    { reset: true },
  );
  const environment = { SKYWATCH_KEY: canary, MKT_LOG_LEVEL: "trace" };
  await using daemon = await spawnDaemon({ home, environment, manifests: { skywatch: skywatch(vendor.url) } });

  const answers: string[] = [];
  for (const _ of [1, 2, 3, 4, 5]) answers.push((await daemon.request("POST", "/v1/run", cometsRun)).text);
  const runs = (await daemon.request("GET", "/v1/runs")).body.items as { runId: string }[];
  for (const { runId } of runs) answers.push((await daemon.request("GET", `/v1/runs/${runId}`)).text);
  for (const path of ["/v1/admin/catalog", "/v1/admin/settings", "/v1/admin/grants", "/openapi.json"]) {
    answers.push((await daemon.request("GET", path)).text);
  }
  answers.push((await daemon.request("POST", "/v1/inspect", cometsRun)).text);
  const typed = await spawnMkt(["run", "skywatch/comets", "--debug"], { home, environment: { MKT_LOG_LEVEL: "" } });
  const { stdout, stderr } = await daemon.kill();

  expect(vendor.calls.map(({ query }) => query.get("apikey"))).toEqual(Array(6).fill(canary));
  expect(runs).toHaveLength(5);
  expect(answers[0]).toContain("[redacted]");
  expect(filesWith("[redacted]", home.dataDir)).not.toBe("");
  for (const form of spellings(canary)) {
    expect([...answers, typed.stdout, typed.stderr, stdout, stderr].join("\n")).not.toContain(form);
    expect(filesWith(form, home.dataDir, home.configDir)).toBe("");
  }
});

/** How the secret may look in a text, and the part of it that every spelling shares. */
function spellings(secret: string): string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64"), "7f3a91c5"];
}

function filesWith(text: string, ...folders: readonly string[]): string {
  return execFileSync("sh", ["-c", 'grep -rlaFe "$@" || true', "sh", text, ...folders], { encoding: "utf8" });
}
