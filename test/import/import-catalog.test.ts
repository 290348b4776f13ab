import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { importCatalog, type ImportRequest } from "../../daemon/import/import-catalog.ts";
import { InProcessImporter } from "../../daemon/import/in-process-importer.ts";
import { findDrift } from "../../daemon/import/catalog-drift.ts";
import { renderImportReport } from "../../daemon/import/render-import-report.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { starterCatalogDir } from "../support/bundled-catalog.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { documentFolder, openApi, operation } from "./descriptions.ts";

const TODAY = "2026-11-21";

type Named = string | readonly string[];

async function importTo(out: string, named: Named, changes: Partial<ImportRequest> = {}) {
  const request = {
    named: [named].flat() as string[],
    out,
    choices: {},
    mcp: false,
    dryRun: false,
    access: { allowPrivateHosts: new Set<string>() },
    today: TODAY,
    ...changes,
  };
  return await importCatalog(request, { importer: new InProcessImporter(), bundledDir: starterCatalogDir() });
}

const loopback = { access: { allowPrivateHosts: new Set(["127.0.0.1"]) } };

test("a document becomes a manifest that the check has nothing against", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");

  const { documents, imported } = await importTo(out, folder.write("openapi.json", openApi()));

  const report = await checkCatalog({ paths: [out], defaults: [], bundledDir: starterCatalogDir() });
  expect(imported).toBe(1);
  expect(documents[0]).toMatchObject({
    provider: "pets",
    manifest: join(out, "pets.yaml"),
    endpoints: 2,
    summary: { secrets: [expect.stringMatching(/^PETS_/)], pricesToSet: ["/pets", "/pets/{id}"], changed: true },
  });
  expect(report).toMatchObject({ endpoints: 2, problems: [] });
});

test("what is told ends with secrets, prices and the next commands", async () => {
  using folder = documentFolder();
  const report = await importTo(join(folder.path, "catalog"), folder.write("openapi.json", openApi()));

  const text = renderImportReport(report, (...words) => `mkt ${words.join(" ")}`);

  expect(text).toContain("Pets: 2 endpoints, written to ");
  expect(text).toMatch(/Left out \(1\):\n {2}.*deprecated.*: POST \/pets/i);
  expect(text).toMatch(/mkt secrets set PETS_/);
  expect(text).toContain(
    "Prices to set: /pets, /pets/{id} may be billed by pets on your key. With mkt catalog price pets/pets <dollars>",
  );
  expect(text).toMatch(/mkt catalog check .*pets\.yaml\n {2}mkt catalog grant pets\n {2}mkt run pets\/pets/);
});

test("a dry run writes nothing and tells the same", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");

  const { documents, imported } = await importTo(out, folder.write("a.json", openApi()), { dryRun: true });

  expect([imported, documents[0]?.provider, existsSync(out)]).toEqual([1, "pets", false]);
});

test("another import of the same file changes no byte of the catalog", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const file = folder.write("openapi.json", openApi());
  await importTo(out, file, { choices: { priceUsd: 0.02 } });
  const before = readFileSync(join(out, "pets.yaml"), "utf8");

  const { documents } = await importTo(out, file, { today: "2027-01-01" });

  expect(readFileSync(join(out, "pets.yaml"), "utf8")).toBe(before);
  expect(documents[0]?.summary?.changed).toBe(false);
});

test("another import takes what changed, keeps edits, and repeats the choices of the first", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const file = folder.write("openapi.json", openApi());
  await importTo(out, file, { choices: { priceUsd: 0.02 } });
  const manifest = join(out, "pets.yaml");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace("displayName: Pets", "displayName: My pets # mine"));
  const paths = { ...(openApi()["paths"] as object), "/toys": { get: operation("List toys") } };
  folder.write("openapi.json", openApi({ paths }));

  const { documents } = await importTo(out, file);

  const text = readFileSync(manifest, "utf8");
  expect(text).toContain("displayName: My pets # mine");
  expect(parse(text)).toMatchObject({ price: { type: "PER_CALL", amount: 0.02 }, endpoints: { "/toys": {} } });
  expect(documents[0]?.summary).toMatchObject({ added: ["/toys"], changed: true });
});

test("a choice of the first import holds until another one takes its place", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const file = folder.write("openapi.json", openApi());
  const pathsAfter = async (choices: ImportRequest["choices"]) => {
    await importTo(out, file, { choices });
    const { price, endpoints } = parse(readFileSync(join(out, "pets.yaml"), "utf8"));
    return [price.type, ...Object.keys(endpoints)];
  };

  expect(await pathsAfter({ includeOperations: ["GET /pets"] })).toEqual(["FREE", "/pets"]);
  expect(await pathsAfter({ priceUsd: 0.5 })).toEqual(["PER_CALL", "/pets"]);
  expect(await pathsAfter({ allOperations: true })).toEqual(["PER_CALL", "/pets", "/pets/{id}"]);
});

test("a second document of the same name gets a number, and so does one named like a bundled provider or a category", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const files = ["Pets", "Pets", "Atlas", "Places", "Categories"].map((title, index) =>
    folder.write(`docs/${index}.json`, openApi({ info: { title, version: "1" } })),
  );

  const { documents } = await importTo(out, files);

  expect(documents.map(({ provider }) => provider)).toEqual(["pets", "pets-2", "atlas-2", "places-2", "categories-2"]);
});

test.each([
  ["atlas", "comes with the program"],
  ["places", "category"],
  ["categories", "file of categories"],
  ["mine", "written by hand"],
])("the slug %s is not given to an import", async (slug, why) => {
  using folder = documentFolder();
  folder.write("catalog/mine.yaml", "mkt: 1\nprovider: mine\nendpoints: {}\n");

  const attempt = importTo(join(folder.path, "catalog"), folder.write("a.json", openApi()), { choices: { slug } });

  await expect(attempt).rejects.toThrow(why);
});

test("of a folder every document is taken, failures are told by cause, and other files are passed over", async () => {
  using folder = documentFolder();
  folder.write("docs/a.json", openApi());
  folder.write("docs/deep/er/b.yaml", "openapi: 3.0.0\ninfo:\n\ttitle: x\n");
  folder.write("docs/c.json", '{"openapi": "3.0.0", "info": {}, "info": {}}');
  folder.write("docs/package.json", '{"name": "x"}');
  folder.write("docs/notes.yaml", "- just\n- a list\n");
  folder.write("docs/page.json", "<html></html>");
  folder.write("docs/node_modules/x/openapi.json", openApi());
  folder.write("docs/.git/openapi.json", openApi());
  folder.write("docs/readme.md", "openapi: 3.0.0");

  const report = await importTo(join(folder.path, "catalog"), join(folder.path, "docs"));

  const text = renderImportReport(report, (...words) => `mkt ${words.join(" ")}`);
  expect(report).toMatchObject({ imported: 1, passedOver: 2 });
  expect(report.documents.map(({ error }) => error?.rule)).toEqual([undefined, "duplicate", "syntax", "web-page"]);
  expect(text).toContain(
    "1 document with 2 endpoints imported; 1 operation left out; 3 documents failed; 2 other files",
  );
  expect(text).toContain("Failed [syntax]: 1 document\n");
});

test("several sources need no slug, and are not given one together", async () => {
  using folder = documentFolder();
  const files = [folder.write("a.json", openApi()), folder.write("b.json", openApi())];

  await expect(importTo(folder.path, files, { choices: { slug: "x" } })).rejects.toThrow("--slug is for one document");
});

test("a document is fetched from its address, over redirects, and the manifest names where it came from", async () => {
  using folder = documentFolder();
  await using host = await startFakeProvider();
  host.on("GET /openapi.json", { status: 302, headers: { location: "/v2/openapi.json" } });
  host.on("GET /v2/openapi.json", { json: openApi() });

  await importTo(join(folder.path, "catalog"), `${host.url}/openapi.json`, loopback);

  const { source } = parse(readFileSync(join(folder.path, "catalog/pets.yaml"), "utf8"));
  expect(source).toMatchObject({ kind: "openapi", ref: `${host.url}/v2/openapi.json` });
});

test("a private address is not read from unless the operator named it", async () => {
  using folder = documentFolder();
  await using host = await startFakeProvider();
  host.on("GET /openapi.json", { json: openApi() });

  const { documents } = await importTo(folder.path, [
    `${host.url}/openapi.json`,
    "https://127.0.0.1:1/x",
    "https://[::1]/x",
  ]);

  expect(documents.map(({ error }) => error?.rule)).toEqual(["private-address", "private-address", "private-address"]);
  expect(documents[1]?.error?.message).toContain("--allow-private-host");
  expect(host.accepted()).toBe(0);
});

test.each([
  ["to a private address that was not named", "http://localhost:1/x", "private-address"],
  ["to a file", "file:///etc/passwd", "private-address"],
  ["in a circle", "/again", "redirect"],
  ["to nowhere", "http://", "redirect"],
])("a redirect %s is refused", async (_, location, rule) => {
  using folder = documentFolder();
  await using host = await startFakeProvider();
  host.on("GET /again", { status: 301, headers: { location } });

  const { documents } = await importTo(folder.path, `${host.url}/again`, loopback);

  expect(documents[0]?.error?.rule).toBe(rule);
});

test("an address with credentials in it is refused: it would stand in the catalog file", async () => {
  using folder = documentFolder();
  await using host = await startFakeProvider();
  host.on("GET /openapi.json", { json: openApi() });
  const address = `${host.url}/openapi.json`.replace("//", "//me:hunter2@");
  host.on("GET /moved", { status: 302, headers: { location: address } });

  const { documents } = await importTo(folder.path, [address, `${host.url}/moved`], loopback);

  expect(documents.map(({ error }) => error?.rule)).toEqual(["address", "address"]);
  expect(JSON.stringify(documents)).not.toContain("hunter2");
});

test.skipIf(process.platform === "win32")(
  "a pipe in the catalog folder keeps no import waiting, and a linked folder of records is not written through",
  async () => {
    using folder = documentFolder();
    const out = join(folder.path, "catalog");
    const document = folder.write("openapi.json", openApi());
    mkdirSync(join(out, ".imported"), { recursive: true });
    execFileSync("mkfifo", [join(out, "other.yaml"), join(out, ".imported/other.json")]);

    const first = await importTo(out, document);
    rmSync(join(out, ".imported"), { recursive: true });
    mkdirSync(join(folder.path, "elsewhere"));
    symlinkSync(join(folder.path, "elsewhere"), join(out, ".imported"));
    const second = await importTo(out, document);

    expect(first.imported).toBe(1);
    expect(second.documents[0]?.error?.message).toContain(".imported is a link");
    expect(readdirSync(join(folder.path, "elsewhere"))).toEqual([]);
  },
);

test("nothing that a document refers to is fetched", async () => {
  using folder = documentFolder();
  await using canary = await startFakeProvider();
  await using host = await startFakeProvider();
  const paths = {
    "/a": { $ref: `${canary.url}/paths.json` },
    "/b": { get: operation("List", [{ $ref: "/p.json" }]) },
    "/c": { get: operation("C") },
  };
  const document = openApi({ paths, servers: [{ url: "https://api.pets.example" }] });
  host.on("GET /openapi.json", { json: document });
  const file = folder.write("openapi.json", document);

  const { documents } = await importTo(join(folder.path, "catalog"), [file, `${host.url}/openapi.json`], loopback);

  expect(documents.map(({ endpoints }) => endpoints)).toEqual([1, 1]);
  expect([canary.accepted(), host.calls.length]).toEqual([0, 1]);
});

test.each([
  ["404", { status: 404 }, "address"],
  ["a web page", { text: "<html></html>", headers: { "content-type": "text/html" } }, "web-page"],
  ["a broken connection", { reset: true }, "address"],
] as const)("an address that answers %s is told", async (_, answer, rule) => {
  using folder = documentFolder();
  await using host = await startFakeProvider();
  host.on("GET /openapi.json", answer);

  const { documents } = await importTo(folder.path, `${host.url}/openapi.json`, loopback);

  expect(documents[0]?.error?.rule).toBe(rule);
});

test.each([true, false])(
  "the tools of an MCP server become endpoints, and drift reads them again (--mcp: %s)",
  async (mcp) => {
    using folder = documentFolder();
    await using server = await startFakeProvider();
    const tool = (name: string) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: "object", properties: {} },
    });
    let tools = [tool("look-up"), tool("list")];
    const results: Readonly<Record<string, () => object>> = {
      initialize: () => ({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "Tools", version: "1" },
      }),
      "tools/list": () => ({ tools }),
    };
    server.on("GET /mcp", { status: 405 });
    server.on("POST /mcp", ({ json }) => {
      const result = results[json.method]?.();
      return result === undefined ? { status: 202 } : { json: { jsonrpc: "2.0", id: json.id, result } };
    });
    const out = join(folder.path, "catalog");

    const { documents } = await importTo(out, `${server.url}/mcp`, { mcp, ...loopback });
    const again = await importTo(out, `${server.url}/mcp`, { mcp, ...loopback });
    tools = [tool("list"), tool("new")];
    const { report: drift } = await findDrift(
      { dir: out, providers: [], access: loopback.access, today: TODAY },
      new InProcessImporter(),
    );

    expect(documents).toMatchObject([
      { provider: "tools", endpoints: 2, summary: { pricesToSet: ["/look-up", "/list"] } },
    ]);
    expect(again.documents[0]?.summary?.changed).toBe(false);
    expect(drift.providers).toMatchObject([{ state: "changed", added: ["new"], removed: ["look-up"], changed: [] }]);
  },
);

test("what is no address is never started as a command", async () => {
  using folder = documentFolder();

  const { documents } = await importTo(folder.path, ["npx some-server", "stdio:./server"], { mcp: true });

  expect(documents.map(({ error }) => error?.message)).toEqual([
    expect.stringContaining("ever started"),
    expect.stringContaining("ever started"),
  ]);
});

test("drift names operations that were added, removed and changed, also by what they refer to", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const shared = (type: string) => ({ components: { schemas: { Pet: { type } } } });
  const one = { get: { ...operation("One"), requestBody: { $ref: "#/components/schemas/Pet" } } };
  const before = { "/same": { get: operation("Same") }, "/one": one, "/gone": { get: operation("Gone") } };
  const file = folder.write("openapi.json", openApi({ paths: before, ...shared("object") }));
  await importTo(out, file);
  const parts = { dir: out, providers: [], access: loopback.access, today: TODAY };
  const { report: unchanged } = await findDrift(parts, new InProcessImporter());
  const after = { "/same": { get: operation("Same") }, "/one": one, "/new": { post: operation("New") } };
  folder.write("openapi.json", openApi({ paths: after, ...shared("string") }));

  const { report: drift } = await findDrift(parts, new InProcessImporter());

  expect(unchanged).toMatchObject({ providers: [{ provider: "pets", state: "same" }], exitCode: 0 });
  expect(drift).toMatchObject({
    providers: [{ state: "changed", added: ["POST /new"], removed: ["GET /gone"], changed: ["GET /one"] }],
    exitCode: 1,
  });
});

test("drift tells of a document that is gone, and goes on with the others", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const gone = folder.write("gone.json", openApi());
  await importTo(out, [gone, folder.write("other.json", openApi({ info: { title: "Other", version: "1" } }))]);
  folder.write("gone.json", "<html></html>");

  const {
    report: { providers, exitCode },
  } = await findDrift({ dir: out, providers: [], access: loopback.access, today: TODAY }, new InProcessImporter());

  expect(providers.map(({ provider, state }) => [provider, state])).toEqual([
    ["other", "same"],
    ["pets", "unread"],
  ]);
  expect(exitCode).toBe(1);
});

test("a token for drift goes to the one provider that was named, never to all", async () => {
  using folder = documentFolder();
  await using stranger = await startFakeProvider();
  const source = { kind: "mcp", ref: `${stranger.url}/mcp`, sha256: "0" };
  folder.write("stranger.json", { mkt: 1, provider: "stranger", source, endpoints: {} });
  const access = { ...loopback.access, authorization: { variable: "TOOLS_TOKEN", token: "t0ken" } };

  const attempt = findDrift({ dir: folder.path, providers: [], access, today: TODAY }, new InProcessImporter());

  await expect(attempt).rejects.toThrow("name the provider");
  expect(stranger.accepted()).toBe(0);
});

test("the loader passes over the records beside the manifests", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  await importTo(out, folder.write("a.json", openApi()));

  expect(readdirSync(out).sort()).toEqual([".imported", "pets.yaml"]);
  expect((await checkCatalog({ paths: [out], defaults: [], bundledDir: starterCatalogDir() })).files).toHaveLength(1);
});

test("what cannot be imported is told with what to do next", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const file = folder.write("openapi.json", openApi());
  const why = async (named: string, changes: Partial<ImportRequest> = {}) =>
    (await importTo(out, named, changes)).documents[0]?.error?.message;

  const tagged = openApi({ paths: { "/pets": { get: operation("List", [], { tags: ["animals"] }) } } });
  const tags = { choices: { includeTags: ["plants"] } };

  expect(await why(join(folder.path, "absent.yaml"))).toBe("There is no such file.");
  expect(await why("ftp://pets.example/openapi.json")).toBe("Only http and https addresses are read, and files.");
  expect(await why("http://127.0.0.1:1/openapi.json")).toContain("If it is your own: --allow-private-host 127.0.0.1:1");
  expect(await why("http://127.0.0.1:1/mcp", { mcp: true })).toContain("--allow-private-host 127.0.0.1:1");
  expect(await why(folder.write("tagged.json", tagged), tags)).toMatch(/No operation has the tag "plants".*animals/);
  expect((await importTo(file, file)).documents[0]?.error?.message).toMatch(/^Nothing can be written to .*--out/);
});

test("the report ends with lines that can be typed as they are, and with what they bring", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const city = { name: "city", in: "query", required: true, schema: { type: "string" }, example: "lisbon" };
  const show = async (paths: object, changes: object = {}) =>
    renderImportReport(
      await importTo(out, folder.write("openapi.json", openApi({ paths, ...changes })), { dryRun: true }),
      (...words) => `mkt ${words.join(" ")}`,
    );

  const open = await show({ "/pets": { get: operation("List") } }, { security: [] });
  const shown = await show({ "/pets": { get: operation("List", [city]) } });
  const unknown = await show({ "/pets": { get: operation("List", [{ ...city, example: undefined }]) } });

  expect(open).toMatch(/\n {2}mkt run pets\/pets\nCan be run now: 1 endpoint\.\n$/);
  expect(open).not.toContain("grant");
  expect(shown).toMatch(
    /\n {2}mkt catalog grant pets\n {2}mkt run .* --input \{"queryParams":\{"city":"lisbon"\}\}\nCan be run after mkt secrets set .*\n$/,
  );
  expect(unknown).toMatch(/\n {2}mkt inspect pets\/pets\nCan be run after .*: 1 endpoint\.\n$/);
});
