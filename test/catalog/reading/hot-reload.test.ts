import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../support/fake-provider.ts";
import { type MktHome, mktHome } from "../../support/mkt-home.ts";
import { request } from "../../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../../support/start-daemon.ts";

/** Ten times what a change takes to be seen. */
const SOON = { interval: 20 };

function shop(baseUrl: string, { amount = 0.01, path = "/offers", secret = "SHOP_KEY" } = {}): object {
  return {
    secrets: { key: { env: secret, optional: true } },
    http: {
      baseUrl,
      allowPrivateNetwork: true,
      retry: { attempts: 1 },
      auth: { type: "apiKey", in: "header", name: "x-key", value: "${secret.key}" },
    },
    async: {
      start: { id: "$.id" },
      poll: {
        method: "GET",
        path: `${path}/jobs/\${run.externalId}`,
        everyMs: 20,
        status: "$.status",
        states: { running: ["working"], done: ["done"] },
      },
      runMs: 60_000,
    },
    endpoints: {
      "/offers": {
        description: "What is on sale.",
        request: { method: "GET", path },
        price: { type: "PER_CALL", amount },
      },
      "/report": {
        description: "What was on sale.",
        request: { method: "POST", path: `${path}/jobs` },
        price: { type: "PER_CALL", amount },
        async: {},
      },
    },
  };
}

const priceOf = async (daemon: TestDaemon) =>
  (await daemon.request("POST", "/v1/inspect", { provider: "shop", endpoint: "/offers" })).body?.price?.amount?.value;
const errorsOf = async (daemon: TestDaemon) => (await daemon.request("GET", "/v1/admin/catalog")).body.errors;
const run = async (daemon: TestDaemon, endpoint = "/offers") =>
  (await daemon.request("POST", "/v1/run", { provider: "shop", endpoint })).body;
const runOf = async (daemon: TestDaemon, runId: string) => (await daemon.request("GET", `/v1/runs/${runId}`)).body;

function scriptShop(upstream: FakeProvider): { finish(): void } {
  let status = "working";
  for (const path of ["/offers", "/moved"]) {
    upstream.on(`GET ${path}`, { json: { path } });
    upstream.on(`POST ${path}/jobs`, { status: 202, json: { id: "job-1" } });
    upstream.on(`GET ${path}/jobs/*`, () => ({ json: { status, path } }));
  }
  return {
    finish() {
      status = "done";
    },
  };
}

function writeRaw(home: MktHome, text: string): void {
  writeFileSync(join(home.writeCatalog("trusted", {}), "shop.json"), text);
}

describe("while the daemon runs", () => {
  test("a file that is put into the catalog is served, one that changes has its new price, one that goes is gone", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });

    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    await expect.poll(() => priceOf(daemon), SOON).toBe(0.01);
    const before = await run(daemon);
    home.writeCatalog("trusted", { shop: shop(upstream.url, { amount: 0.02 }) });
    await expect.poll(() => priceOf(daemon), SOON).toBe(0.02);
    const after = await run(daemon);
    rmSync(join(home.path, "trusted", "shop.json"));
    await expect.poll(() => priceOf(daemon), SOON).toBeUndefined();

    const [first, second] = [await runOf(daemon, before.runId), await runOf(daemon, after.runId)];
    expect([first.billing.reportedCost.value, second.billing.reportedCost.value]).toEqual([10_000, 20_000]);
    expect(first.manifestHash).toMatch(/^[0-9a-f]{64}$/);
    expect(second.manifestHash).not.toBe(first.manifestHash);
  });

  test("the catalog folder of the configuration is seen when it is made", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    await using daemon = await startTestDaemon({ home });

    const dir = join(home.configDir, "catalog");
    mkdirSync(dir);
    writeFileSync(join(dir, "shop.json"), JSON.stringify({ mkt: 1, provider: "shop", ...shop(upstream.url) }));

    await expect.poll(() => priceOf(daemon), SOON).toBe(0.01);
  });

  test("a bad file leaves the last good version, is told with its place, and takes no other provider down", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url), other: shop(upstream.url) });
    const warnings: unknown[] = [];
    await using daemon = await startTestDaemon({ home, onLog: (line) => void warnings.push(line["problem"]) });

    writeRaw(home, '{"mkt": 1, "provider": "shop", "endpoints": {');
    await expect.poll(() => errorsOf(daemon), SOON).toHaveLength(1);
    const errors = await errorsOf(daemon);
    const meanwhile = await run(daemon);
    const other = await daemon.request("POST", "/v1/run", { provider: "other", endpoint: "/offers" });
    home.writeCatalog("trusted", { shop: shop(upstream.url, { amount: 0.03 }) });
    await expect.poll(() => priceOf(daemon), SOON).toBe(0.03);

    expect(errors[0].file).toContain("shop.json");
    expect(errors[0].message).toContain("the last good version is used");
    expect(meanwhile).toMatchObject({ status: "COMPLETED", billing: { reportedCost: { value: 10_000 } } });
    expect(other.status).toBe(200);
    expect(await errorsOf(daemon)).toEqual([]);
    expect(warnings.filter((problem) => problem !== undefined)).toHaveLength(1);
  });

  test("an endpoint that an edit would take down goes on as it was", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    await using daemon = await startTestDaemon({ home });
    const broken = shop(upstream.url, { amount: 0.04 }) as { endpoints: Record<string, object> };
    broken.endpoints["/offers"] = {
      ...broken.endpoints["/offers"],
      input: { queryParams: { properties: { city: { type: "string", pattern: "(?=x)y" } } } },
    };

    home.writeCatalog("trusted", { shop: broken });
    await expect.poll(() => errorsOf(daemon), SOON).toHaveLength(1);

    expect(await priceOf(daemon)).toBe(0.01);
  });
});

describe("a run that is under way when its file changes", () => {
  const underWay = async (daemon: TestDaemon, upstream: FakeProvider) => {
    const accepted = await run(daemon, "/report");
    await expect.poll(() => upstream.count("GET /offers/jobs/job-1"), SOON).toBeGreaterThan(0);
    return accepted.runId as string;
  };

  test("ends under the version that it began with: its address, its credentials, its price", async () => {
    await using upstream = await startFakeProvider();
    const job = scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    const environment = { SHOP_KEY: "first-canary", OTHER_KEY: "second-canary" };
    await using daemon = await startTestDaemon({ home, environment });
    const runId = await underWay(daemon, upstream);
    const moved = shop(upstream.url, { amount: 0.05, path: "/moved", secret: "OTHER_KEY" });

    home.writeCatalog("trusted", { shop: moved });
    await expect.poll(() => priceOf(daemon), SOON).toBe(0.05);
    job.finish();
    await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");

    const ended = await runOf(daemon, runId);
    expect(ended).toMatchObject({ output: { path: "/offers" }, billing: { reportedCost: { value: 10_000 } } });
    expect(upstream.count("GET /moved/jobs/job-1")).toBe(0);
    expect(new Set(upstream.calls.map(({ headers }) => headers["x-key"]))).toEqual(new Set(["first-canary"]));
  });

  test.skipIf(process.platform === "win32")(
    "begins and ends although a pipe has taken the place of its file",
    async () => {
      await using upstream = await startFakeProvider();
      const job = scriptShop(upstream);
      using home = mktHome();
      home.writeCatalog("trusted", { shop: shop(upstream.url) });
      await using daemon = await startTestDaemon({ home });

      rmSync(join(home.path, "trusted", "shop.json"));
      execFileSync("mkfifo", [join(home.path, "trusted", "shop.json")]);
      await expect.poll(() => errorsOf(daemon), SOON).toHaveLength(1);
      const runId = await underWay(daemon, upstream);
      job.finish();

      await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");
    },
  );

  test("ends under that version after a restart too, and the version is let go of then", async () => {
    await using upstream = await startFakeProvider();
    const job = scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    const keptVersions = () => readdirSync(join(home.dataDir, "docs")).filter((name) => name.startsWith("manifest-"));
    let runId: string;
    {
      await using daemon = await startTestDaemon({ home });
      runId = await underWay(daemon, upstream);
    }
    expect(keptVersions()).toHaveLength(1);

    const moved = shop(upstream.url, { amount: 0.05, path: "/moved" });
    {
      await using daemon = await startTestDaemon({ home, manifests: { shop: moved } });
      job.finish();
      await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");
      const ended = await runOf(daemon, runId);
      expect(ended).toMatchObject({ output: { path: "/offers" }, billing: { reportedCost: { value: 10_000 } } });
      expect(await priceOf(daemon)).toBe(0.05);
    }
    await using again = await startTestDaemon({ home, manifests: { shop: moved } });

    expect(await priceOf(again)).toBe(0.05);
    expect(upstream.count("GET /moved/jobs/job-1")).toBe(0);
    expect(keptVersions()).toEqual([]);
    expect(existsSync(join(home.dataDir, "docs", "grants.json"))).toBe(false);
  });
});

describe("a restart", () => {
  const keptFile = (home: MktHome) => {
    const docs = join(home.dataDir, "docs");
    const name = readdirSync(docs).find((each) => each.startsWith("manifest-"));
    return join(docs, name ?? "none");
  };

  /** Begins a job, stops the daemon, and gives the run. */
  async function leaveOpen(home: MktHome, upstream: FakeProvider, environment = {}): Promise<string> {
    await using daemon = await startTestDaemon({ home, environment });
    const { runId } = await run(daemon, "/report");
    await expect.poll(() => upstream.count("GET /offers/jobs/job-1"), SOON).toBeGreaterThan(0);
    return runId;
  }

  test.each([
    ["torn", (file: string) => writeFileSync(file, '{"file":')],
    ["not that version", (file: string) => writeFileSync(file, JSON.stringify({ file, text: "{}" }))],
    ["gone", (file: string) => rmSync(file)],
  ])("with a kept version that is %s goes on with the run under the file of now", async (_, damage) => {
    await using upstream = await startFakeProvider();
    const job = scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    const runId = await leaveOpen(home, upstream);

    damage(keptFile(home));
    job.finish();
    const moved = shop(upstream.url, { amount: 0.05, path: "/moved" });
    await using daemon = await startTestDaemon({ home, manifests: { shop: moved } });
    await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");

    const ended = await runOf(daemon, runId);
    expect(ended).toMatchObject({ output: { path: "/moved" }, billing: { reportedCost: { value: 10_000 } } });
  });

  test("goes on with a run of the last good version of a file that is broken since before the run began", async () => {
    await using upstream = await startFakeProvider();
    const job = scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    let runId: string;
    {
      await using daemon = await startTestDaemon({ home });
      writeRaw(home, "{");
      await expect.poll(() => errorsOf(daemon), SOON).toHaveLength(1);
      runId = (await run(daemon, "/report")).runId;
      await expect.poll(() => upstream.count("GET /offers/jobs/job-1"), SOON).toBeGreaterThan(0);
    }

    job.finish();
    await using daemon = await startTestDaemon({ home });
    await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");

    expect(await runOf(daemon, runId)).toMatchObject({ billing: { reportedCost: { value: 10_000 } } });
  });

  test("takes the secrets of an earlier version out of what its provider answers", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    const environment = { SHOP_KEY: "first-canary", OTHER_KEY: "second-canary" };
    const runId = await leaveOpen(home, upstream, environment);

    upstream.on("GET /offers/jobs/*", ({ headers }) => ({ json: { status: "done", seen: headers["x-key"] } }));
    const moved = shop(upstream.url, { path: "/moved", secret: "OTHER_KEY" });
    await using daemon = await startTestDaemon({ home, environment, manifests: { shop: moved } });
    await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");

    expect((await runOf(daemon, runId)).output).toEqual({ status: "done", seen: "[redacted]" });
  });
});

describe("a stranger's file that goes away while its run is under way", () => {
  test("is still called on the private host that was granted to it", async () => {
    await using upstream = await startFakeProvider();
    const job = scriptShop(upstream);
    using home = mktHome();
    const dir = join(home.configDir, "catalog");
    mkdirSync(dir, { recursive: true });
    const text = JSON.stringify({ mkt: 1, provider: "shop", ...shop(upstream.url) });
    writeFileSync(join(dir, "shop.json"), text);
    await using daemon = await startTestDaemon({ home, allowPrivateHosts: [] });
    const grant = await daemon.request("POST", "/v1/admin/grants", { provider: "shop" });
    expect(grant.status).toBeLessThan(300);
    const { runId } = await run(daemon, "/report");
    await expect.poll(() => upstream.count("GET /offers/jobs/job-1"), SOON).toBeGreaterThan(0);

    rmSync(join(dir, "shop.json"));
    await expect.poll(() => priceOf(daemon), SOON).toBeUndefined();
    job.finish();

    await expect.poll(async () => (await runOf(daemon, runId)).status, SOON).toBe("COMPLETED");
  });
});

describe("a catalog of many files", () => {
  test("that all change at once ends as they are, while runs go on and each is charged as it was priced", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    const many = (amount: number) =>
      Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`shop${at}`, shop(upstream.url, { amount })]));
    home.writeCatalog("trusted", { shop: shop(upstream.url), ...many(0.01) });
    await using daemon = await startTestDaemon({ home });
    const offer = { provider: "shop7", endpoint: "/offers" };
    const priceThere = async () =>
      (await daemon.request("POST", "/v1/inspect", offer)).body?.price?.amount?.value as number | undefined;

    const amounts = [0.02, 0.03, 0.04];
    const answers: { status: number; body: { billing?: { reportedCost: { value: number } } } }[] = [];
    for (const amount of amounts) {
      home.writeCatalog("trusted", many(amount));
      answers.push(await daemon.request("POST", "/v1/run", offer));
    }
    await expect.poll(priceThere, { timeout: 20_000, interval: 50 }).toBe(0.04);
    answers.push(await daemon.request("POST", "/v1/run", offer));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const charged = answers.map(({ body }) => body.billing?.reportedCost.value ?? 0);
    expect(charged.every((value) => [10_000, 20_000, 30_000, 40_000].includes(value))).toBe(true);
    expect(charged.at(-1)).toBe(40_000);
    expect(await errorsOf(daemon)).toEqual([]);
  });
});

describe("a request that was answered before its file changed", () => {
  test("is given the same run when it is repeated, whether the price is another or the provider is gone", async () => {
    await using upstream = await startFakeProvider();
    scriptShop(upstream);
    using home = mktHome();
    home.writeCatalog("trusted", { shop: shop(upstream.url) });
    await using daemon = await startTestDaemon({ home });
    const ask = async () =>
      await request(`${daemon.url}/v1/run`, "POST", {
        key: daemon.key,
        headers: { "idempotency-key": "once" },
        body: { provider: "shop", endpoint: "/offers" },
      });
    const first = await ask();

    home.writeCatalog("trusted", { shop: shop(upstream.url, { amount: 0.02 }) });
    await expect.poll(() => priceOf(daemon), SOON).toBe(0.02);
    const dearer = await ask();
    rmSync(join(home.path, "trusted", "shop.json"));
    await expect.poll(() => priceOf(daemon), SOON).toBeUndefined();
    const gone = await ask();

    expect(first.status).toBe(200);
    expect([dearer, gone].map(({ status, body }) => [status, body.runId, body.billing])).toEqual([
      [200, first.body.runId, first.body.billing],
      [200, first.body.runId, first.body.billing],
    ]);
    expect(upstream.count("GET /offers")).toBe(1);
  });
});

describe("a run that waits in line when its file changes", () => {
  test("is called and charged under the version that it was admitted under, and so it is after a restart", async () => {
    await using upstream = await startFakeProvider();
    const job = scriptShop(upstream);
    using home = mktHome();
    const narrow = (amount: number, path: string) => {
      const manifest = shop(upstream.url, { amount, path }) as { http: object };
      return { ...manifest, http: { ...manifest.http, rateLimit: { requests: 1_000, perMs: 1, concurrency: 1 } } };
    };
    home.writeCatalog("trusted", { shop: narrow(0.01, "/offers") });
    const ids: string[] = [];
    {
      await using daemon = await startTestDaemon({ home });
      for (let index = 0; index < 3; index += 1) ids.push((await run(daemon, "/report")).runId);
      await expect.poll(() => upstream.count("GET /offers/jobs/job-1"), SOON).toBeGreaterThan(0);
      expect((await runOf(daemon, ids[2] ?? "")).status).toBe("READY");
      home.writeCatalog("trusted", { shop: narrow(0.05, "/moved") });
      await expect.poll(() => priceOf(daemon), SOON).toBe(0.05);
    }

    await using daemon = await startTestDaemon({ home });
    job.finish();
    const statuses = async () => await Promise.all(ids.map(async (id) => (await runOf(daemon, id)).status));
    await expect.poll(statuses, SOON).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);

    const ended = await Promise.all(ids.map(async (id) => await runOf(daemon, id)));
    expect(ended.map(({ billing }) => billing.reportedCost.value)).toEqual([10_000, 10_000, 10_000]);
    expect(ended.map(({ output }) => output.path)).toEqual(["/offers", "/offers", "/offers"]);
    expect(upstream.count("POST /offers/jobs")).toBe(3);
    expect(upstream.count("POST /moved/jobs")).toBe(0);
  });
});
