import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDocumentImports } from "../../daemon/console/catalog/document-imports.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { type Ask, askWith } from "../support/request.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { weatherManifest } from "../support/weather-manifest.ts";

/* The catalog as people look after it, without a browser. docs/contract.md, "Catalog views" */

const WORKER = fileURLToPath(new URL("../../dist/import-worker.cjs", import.meta.url));

let upstream: FakeProvider;
let home: MktHome;
let daemon: TestDaemon;
let owner: Ask;
beforeAll(async () => {
  upstream = await startFakeProvider();
  upstream.on("GET /now", { json: { city: "Lisbon" } });
  upstream.on("GET /plain", { status: 500, json: {} });
  home = mktHome();
  const untrusted = home.writeCatalog("named", {
    keyed: {
      displayName: "Keyed",
      http: { baseUrl: "https://keyed.example", auth: { type: "bearer", token: "${secret.token}" } },
      secrets: { token: { env: "KEYED_TOKEN", description: "From your account there" } },
      endpoints: {
        "/get": { description: "Something behind a key.", request: { method: "GET" }, price: { type: "FREE" } },
      },
    },
  });
  writeFileSync(join(untrusted, "broken.yaml"), "mkt: 1\nprovider: broken\nendpoints:\n  /x:\n    prise: 3\n");
  daemon = await startTestDaemon({
    home,
    manifests: { nimbus: weatherManifest(upstream.url) },
    bundled: true,
    config: { catalogDirs: [untrusted] },
  });
  owner = daemon.request;
  await run(owner, "/now", { city: "Lisbon" });
  await run(owner, "/plain");
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

async function run(ask: Ask, endpoint: string, queryParams?: object): Promise<void> {
  const input = queryParams === undefined ? {} : { queryParams };
  const { status } = await ask("POST", "/v1/run", { provider: "nimbus", endpoint, input });
  expect(status).toBeLessThan(300);
}

async function newKey(members: object): Promise<Ask> {
  const { body } = await owner("POST", "/v1/api-keys", { label: JSON.stringify(members).slice(0, 60), ...members });
  return askWith(daemon.url, body.key);
}

async function otherWorkspace(name: string): Promise<Ask> {
  const { body } = await owner("POST", "/v1/admin/workspaces", { name });
  await owner("POST", `/v1/admin/workspaces/${body.workspaceId}/credits`, {
    amount: { value: 1, currency: "USD" },
    reason: "to try it",
  });
  const made = await owner("POST", `/v1/admin/workspaces/${body.workspaceId}/api-keys`, { label: "e", scopes: ["*"] });
  return askWith(daemon.url, made.body.key);
}

const sumOf = (spans: readonly { runs: number; errors: number }[], name: "runs" | "errors") =>
  spans.reduce((sum, span) => sum + span[name], 0);

describe("the list of providers", () => {
  test("has where each is from, how it does and what it needs, and counts of all of them", async () => {
    const { body } = await owner("GET", "/v1/catalog/providers?limit=100");
    const bySlug = Object.fromEntries(body.items.map((item: { provider: string }) => [item.provider, item]));

    expect(bySlug["nimbus"]).toMatchObject({ displayName: "Weather", source: "own", endpointCount: 3 });
    expect(bySlug["atlas"]).toMatchObject({ source: "bundled", status: "unknown", failing: 0 });
    expect(bySlug["keyed"].unavailable).toEqual({ reason: "needsGrant", next: "mkt catalog grant keyed" });
    expect(body.counts).toMatchObject({ providers: body.items.length, found: body.items.length, unavailable: 1 });
  });

  test("is filtered by words, source and state, page by page", async () => {
    const found = async (query: string) =>
      (await owner("GET", `/v1/catalog/providers?${query}`)).body.items.map(
        (item: { provider: string }) => item.provider,
      );
    const first = (await owner("GET", "/v1/catalog/providers?limit=1")).body;
    const second = (await owner("GET", `/v1/catalog/providers?limit=1&cursor=${first.cursor}`)).body;

    expect(await found("q=WEATH")).toEqual(["nimbus"]);
    expect(await found("source=bundled")).toContain("atlas");
    expect(await found("state=unavailable")).toEqual(["keyed"]);
    expect(await found("state=used")).toEqual(["nimbus"]);
    expect(second.items[0].provider).not.toBe(first.items[0].provider);
    expect((await owner("GET", "/v1/catalog/providers?state=odd")).status).toBe(400);
  });

  test("tells who is no operator what is lacking, but no command that they may not use", async () => {
    const member = await newKey({ role: "member", expiresAt: "2099-01-01T00:00:00Z" });

    const { body } = await member("GET", "/v1/catalog/providers?q=keyed");

    expect(body.items[0].unavailable).toEqual({ reason: "needsGrant" });
  });
});

describe("one provider", () => {
  test("has its endpoints with price and health; its file, secrets, grant and problems are for operators", async () => {
    const reader = await newKey({ scopes: ["runs:read"] });
    const { body: seen } = await owner("GET", "/v1/catalog/providers/nimbus");
    const { body: keyed } = await owner("GET", "/v1/catalog/providers/keyed");
    const { body: ofReader } = await reader("GET", "/v1/catalog/providers/keyed");

    expect(seen.endpoints.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(["/now", "/plain", "/report"]);
    expect(seen.endpoints[0]).toMatchObject({ price: { type: "PER_CALL" }, metrics: { status: "stable" } });
    expect(keyed.setup).toMatchObject({
      trusted: false,
      needsGrant: true,
      asks: { variables: ["KEYED_TOKEN"] },
      secrets: [{ name: "KEYED_TOKEN", description: "From your account there", state: "notRead" }],
    });
    expect(ofReader).not.toHaveProperty("setup");
    expect((await owner("GET", "/v1/catalog/providers/nimbsu")).body.message).toContain('did you mean "nimbus"');
  });

  test("says of each secret whether it is set, and never its value", async () => {
    await owner("POST", "/v1/admin/grants", { provider: "keyed" });
    const before = (await owner("GET", "/v1/catalog/providers/keyed")).body;
    await owner("PUT", "/v1/admin/secrets/KEYED_TOKEN", { value: "very-secret-value" });

    const after = (await owner("GET", "/v1/catalog/providers/keyed")).body;

    expect(before.unavailable).toMatchObject({ reason: "missingSecret", missing: ["KEYED_TOKEN"] });
    expect(before.setup.secrets[0].state).toBe("missing");
    expect(after.setup.secrets[0].state).toBe("set");
    expect(after.setup).toMatchObject({ needsGrant: false, verdict: { verdict: "unknown", canBeTested: false } });
    expect(JSON.stringify(after)).not.toContain("very-secret-value");
    await owner("DELETE", "/v1/admin/secrets/KEYED_TOKEN");
    await owner("DELETE", "/v1/admin/grants/keyed");
  });
});

describe("the history of a provider", () => {
  const history = async (ask: Ask, query = "") =>
    (await ask("GET", `/v1/catalog/providers/nimbus/history${query}`)).body;

  test("has a week without gaps, with runs, errors and how long completed runs took", async () => {
    const seen = await history(owner);
    const last = seen.spans.at(-1);

    expect(seen).toMatchObject({ runsOf: "everybody", spanHours: 3 });
    expect(seen.spans).toHaveLength(56);
    expect([sumOf(seen.spans, "runs"), sumOf(seen.spans, "errors")]).toEqual([2, 1]);
    expect(Date.parse(last.at)).toBeGreaterThan(Date.now() - 4 * 3_600_000);
    const timed = seen.spans.filter((span: { averageMs?: number }) => span.averageMs !== undefined);
    expect(timed.length).toBeGreaterThan(0);
    expect(timed.every((span: { averageMs: number; slowestMs: number }) => span.slowestMs >= span.averageMs)).toBe(
      true,
    );
  });

  test("is that of one endpoint when one is named", async () => {
    const now = await history(owner, "?endpoint=/now");
    const odd = await owner("GET", "/v1/catalog/providers/nimbus/history?endpoint=/nwo");

    expect([sumOf(now.spans, "runs"), sumOf(now.spans, "errors")]).toEqual([1, 0]);
    expect(odd.status).toBe(404);
  });

  test("shows nobody the runs of another workspace, but an operator", async () => {
    const elsewhere = await otherWorkspace("Elsewhere");
    const before = await history(elsewhere);
    await run(elsewhere, "/now", { city: "Porto" });

    const [own, ofAll] = [await history(elsewhere), await history(owner)];

    expect(before.runsOf).toBe("workspace");
    expect(sumOf(before.spans, "runs")).toBe(0);
    expect(sumOf(own.spans, "runs")).toBe(1);
    expect(sumOf(ofAll.spans, "runs")).toBe(3);
  });

  test("is empty for keys that may not read the workspace's runs", async () => {
    const nothing = { runsOf: "nobody", spanHours: 3, spans: [] };
    const member = await newKey({ role: "member", expiresAt: "2098-01-01T00:00:00Z" });
    const wallet = await newKey({ scopes: ["wallet:read"] });

    expect(await history(member)).toEqual(nothing);
    expect(await history(wallet)).toEqual(nothing);
  });
});

const openApi = (members: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "Petstore", version: "1" },
  servers: [{ url: "https://pets.example/v1" }],
  paths: {
    "/pets": { get: { summary: "List pets", responses: { 200: { description: "Pets" } } } },
    "/loop": { trace: { responses: { 200: { description: "What was sent" } } } },
    ...members,
  },
});

describe("a document that is sent", () => {
  const preview = async (document: string, more: object = {}) =>
    await owner("POST", "/v1/admin/catalog/import/preview", { document, ...more });
  const add = async (document: string, provider: string) =>
    await owner("POST", "/v1/admin/catalog/import", { document, provider });
  const catalogDir = () => join(home.configDir, "catalog");

  test("is shown as the file that it would give, and nothing is written", async () => {
    const { status, body } = await preview(JSON.stringify(openApi()), { fileName: "../../pets.json", price: 0.02 });

    expect(status).toBe(200);
    expect(body).toMatchObject({
      provider: "petstore",
      endpoints: expect.arrayContaining(["/pets"]),
      needsGrant: false,
    });
    expect(body.skipped).toEqual([
      { operation: expect.stringContaining("/loop"), why: expect.stringContaining("not called") },
    ]);
    expect(body.file).toBe(join(catalogDir(), "petstore.yaml"));
    expect(body.text).toContain("0.02");
    expect(body.text).not.toContain("../");
    expect(existsSync(body.file)).toBe(false);
  });

  test("becomes a provider, once: what is there is not replaced", async () => {
    const document = JSON.stringify(openApi());
    const written = await add(document, "pets");
    const file = join(catalogDir(), "pets.yaml");
    writeFileSync(file, `${readFileSync(file, "utf8")}# mine\n`);

    const again = await add(document, "pets");
    const bundled = await add(document, "atlas");
    const elsewhere = await add(document, "nimbus");
    const freed = await preview(JSON.stringify({ ...openApi(), info: { title: "Pets", version: "1" } }));

    expect(written.status).toBe(201);
    expect(readdirSync(join(catalogDir(), ".imported"))).toEqual(["pets.json"]);
    expect([again.status, bundled.status, elsewhere.status]).toEqual([409, 409, 409]);
    expect(again.body.message).toContain("pets.yaml");
    expect(readFileSync(file, "utf8")).toContain("# mine");
    expect(freed.body.provider).toBe("pets-2");
    await expect
      .poll(async () => (await owner("GET", "/v1/catalog/providers/pets")).status, { timeout: 15_000 })
      .toBe(200);
  });

  test("that refers to files and addresses gets none of them", async () => {
    const secret = join(home.configDir, "secret.yaml");
    writeFileSync(secret, "type: object\ndescription: hidden-words\n");
    const before = upstream.calls.length;
    const refer = (reference: string) => ({
      get: {
        responses: { 200: { description: "x", content: { "application/json": { schema: { $ref: reference } } } } },
      },
    });
    const document = openApi({
      "/file": refer(`file://${secret}`),
      "/path": refer(secret),
      "/near": refer("./secret.yaml"),
      "/far": refer(`${upstream.url}/schema.json`),
    });

    const { body } = await preview(JSON.stringify(document));

    expect(JSON.stringify(body)).not.toContain("hidden-words");
    expect(upstream.calls.length).toBe(before);
  });

  test("is refused with the line when it cannot be read, and without operator's rights whatever it is", async () => {
    const manager = await newKey({ role: "manager" });
    const broken = await preview("openapi: 3.0.0\ninfo: {title: x\n");
    const other = await preview('{"hello": "world"}');
    const refused = await manager("POST", "/v1/admin/catalog/import", { document: "x", provider: "x" });

    expect(broken.status).toBe(400);
    expect(broken.body.message).toMatch(/^Line \d+/);
    expect(other.status).toBe(400);
    expect(refused.status).toBe(404);
  });

  test("is read in a process of its own that can read no file, and that ends with a document that takes too much", async () => {
    using folder = tempDir();
    mkdirSync(join(folder.path, "catalog"));
    const imports = createDocumentImports({
      configDir: folder.path,
      bundledDir: undefined,
      worker: WORKER,
      isShared: false,
      clock: { now: () => Date.now() },
      isServed: () => false,
    });
    // Nests deeper than any stack, then the next document is read as if nothing had been.
    const deep = `{"openapi":"3.0.0","paths":${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}}`;

    await expect(imports.preview({ document: deep })).rejects.toMatchObject({ status: 400 });
    const good = await imports.preview({ document: JSON.stringify(openApi()) });

    expect(good.endpoints).toContain("/pets");
    expect(readdirSync(join(folder.path, "catalog"))).toEqual([]);
  });

  test("is not written where several daemons serve the catalog: the answer says what to do there", async () => {
    using folder = tempDir();
    const imports = createDocumentImports({
      configDir: folder.path,
      bundledDir: undefined,
      worker: undefined,
      isShared: true,
      clock: { now: () => Date.now() },
      isServed: () => false,
    });
    const document = JSON.stringify(openApi());

    expect((await imports.preview({ document })).cannotWrite).toContain("each of them");
    await expect(imports.write({ document, provider: "pets" })).rejects.toMatchObject({ status: 409 });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});
