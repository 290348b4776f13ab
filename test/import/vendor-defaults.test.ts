import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { importCatalog } from "../../daemon/import/import-catalog.ts";
import { InProcessImporter } from "../../daemon/import/in-process-importer.ts";
import { convertTools } from "../../daemon/import/mcp/convert-tools.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { renderCatalogCheck } from "../../daemon/catalog-review/render-catalog-check.ts";
import { starterCatalogDir } from "../support/bundled-catalog.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { catalogFolder, endpoint, manifest } from "../catalog/catalog-folder.ts";
import { documentFolder } from "./descriptions.ts";
import { endpointOf, jsonBody, manifestOf, openApi } from "./openapi/import-document.ts";

const query = (name: string, schema: object, more: object = {}) => ({ name, in: "query", schema, ...more });

/** Rents by address or by city; like many documents it gives an example as the default. */
const rents = {
  parameters: [
    query("address", { type: "string", default: "5500 Grand Lake Dr, San Antonio, TX 78244" }),
    query("city", { type: "string" }),
    query("limit", { type: "integer", maximum: 500, default: 50 }),
    query("since", { type: "string", default: "the first day of the current month" }),
    query("daysOld", { type: "integer", default: "none, that is all of them" }),
  ],
};

test("a run sends what the caller gave, and not what the document calls the defaults of the rest", async () => {
  await using provider = await startFakeProvider();
  provider.on("GET /*", { json: [] });
  provider.on("POST /*", { json: [] });
  const filter = {
    type: "object",
    properties: {
      kind: { type: "string", default: "house" },
      within: { $ref: "#/components/schemas/Within" },
      parts: {
        anyOf: [{ type: "object", properties: { rooms: { type: "integer", default: 3 } } }, { type: "string" }],
      },
    },
  };
  const document = openApi(
    { "/rents": { get: { ...rents, responses: {} }, post: { ...jsonBody(filter), responses: {} } } },
    {
      components: {
        schemas: {
          Within: { type: "object", properties: { miles: { type: "number", default: 5 } } },
        },
      },
    },
  );
  const written = manifestOf(document, { choices: { slug: "rents", baseUrl: provider.url } });
  await using daemon = await startTestDaemon({ manifests: { rents: written }, allowPrivateHosts: [provider.host] });
  const run = (path: string, input: object) =>
    daemon.request("POST", "/v1/run", { provider: "rents", endpoint: path, input });

  const read = await run("/rents", { city: "Austin" });
  const sent = await run("/rents/create", { within: {}, parts: {} });

  expect([read.body, sent.body]).toMatchObject([{ status: "COMPLETED" }, { status: "COMPLETED" }]);
  expect(provider.calls.map(({ url, json }) => [url, json])).toEqual([
    ["/rents?city=Austin", undefined],
    ["/rents", { within: {}, parts: {} }],
  ]);
});

test("what the provider takes when nothing is sent is shown to whoever inspects the endpoint", async () => {
  const written = manifestOf(openApi({ "/rents": { get: { ...rents, responses: {} } } }), {
    choices: { slug: "rents" },
  });
  await using daemon = await startTestDaemon({ manifests: { rents: written } });

  const { body } = await daemon.request("POST", "/v1/inspect", { provider: "rents", endpoint: "/rents" });

  expect(body).toMatchObject({
    input: {
      queryParams: {
        properties: {
          address: { type: "string", vendorDefault: "5500 Grand Lake Dr, San Antonio, TX 78244" },
          limit: { type: "integer", maximum: 500, vendorDefault: 50 },
          daysOld: { type: "integer", vendorDefault: "none, that is all of them" },
        },
      },
    },
  });
  expect(JSON.stringify(body)).not.toContain('"default"');
});

test.each<[string, object, object]>([
  ["a listed value", query("kind", { type: "string", enum: ["a", "b"], default: "b" }), { default: "b" }],
  ["a flag", query("summary", { type: "boolean", default: false }), { default: false }],
  ["the form of the answer", query("format", { type: "string", default: "json" }), { default: "json" }],
  ["a page", query("page", { type: "integer", default: 1 }), { default: 1 }],
  [
    "the version of the interface in a header",
    { name: "X-Shop-Release", in: "header", schema: { type: "string", default: "2026-01" } },
    { default: "2026-01" },
  ],
  ["an id is an example", query("company", { type: "integer", default: 4146393 }), { examples: [4146393] }],
  ["a search word is an example", query("q", { type: "string", default: "sushi" }), { examples: ["sushi"] }],
  ["what does not fit is nothing", query("q", { type: "integer", default: "many" }), {}],
])("what must be given is filled where it only says how something is wanted: %s", (_, parameter, expected) => {
  const { input } = endpointOf({ parameters: [{ ...parameter, required: true }] });

  const [field] = Object.values(input.queryParams.properties as Record<string, object>);
  expect(field).toEqual({ ...expected, ...pick(parameter) });
});

function pick(parameter: object): object {
  const { schema } = parameter as { schema: Record<string, unknown> };
  const { default: _, ...rest } = schema;
  return rest;
}

test("what a body must have is filled where only one thing can be meant", () => {
  const { input } = endpointOf(
    jsonBody({
      type: "object",
      required: ["type", "name"],
      properties: {
        type: { type: "string", enum: ["text", "image"], default: "text" },
        name: { type: "string", default: "Rex" },
      },
    }),
    { method: "post" },
  );

  expect(input.body.properties).toEqual({
    type: { type: "string", enum: ["text", "image"], default: "text" },
    name: { type: "string", examples: ["Rex"] },
  });
});

test("defaults of the tools of an MCP server are shown and not sent", () => {
  const inputSchema = { type: "object", properties: { days: { type: "integer", default: 3 } } };
  const listing = {
    ref: "https://mcp.example/mcp",
    server: { name: "weather" },
    tools: [{ name: "forecast", inputSchema }],
    sha256: "0",
  } as unknown as Parameters<typeof convertTools>[0];

  const { manifest: made } = convertTools(
    listing,
    { includeTags: [], includeOperations: [], allOperations: true },
    { allowPrivateHosts: new Set() },
  );

  expect(JSON.stringify(made.endpoints)).toContain('"days":{"type":"integer","vendorDefault":3}');
});

const importOf = (out: string, named: string) => ({
  named: [named],
  out,
  choices: {},
  mcp: false,
  dryRun: false,
  access: { allowPrivateHosts: new Set<string>() },
  today: "2026-11-21",
});
const parts = { importer: new InProcessImporter(), bundledDir: starterCatalogDir() };
const document = openApi({ "/rents": { get: { ...rents, responses: {} } } });

/** A file and its record as the version before wrote them: what is shown now was sent then. */
function asBefore(manifestFile: string, recordFile: string): void {
  for (const file of [manifestFile, recordFile]) {
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("vendorDefault", "default"));
  }
}

test("an import of an earlier version sends no default any more once it is imported again; an edited one stays", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const file = folder.write("pets.json", document);
  const [manifestFile, recordFile] = [join(out, "pets.yaml"), join(out, ".imported", "pets.json")];
  await importCatalog(importOf(out, file), parts);
  asBefore(manifestFile, recordFile);
  writeFileSync(manifestFile, readFileSync(manifestFile, "utf8").replace("default: 50", "default: 10"));

  const before = await checkCatalog({ paths: [out], defaults: [], bundledDir: starterCatalogDir() });
  await importCatalog(importOf(out, file), parts);

  const after = await checkCatalog({ paths: [out], defaults: [], bundledDir: starterCatalogDir() });
  const { properties } = parse(readFileSync(manifestFile, "utf8")).endpoints["/rents"].input.queryParams;
  expect(renderCatalogCheck(before)).toContain(`mkt catalog import ${file}`);
  expect(before.hints).toContainEqual(expect.objectContaining({ rule: "imported-default" }));
  expect(after.hints.map(({ rule }) => rule)).not.toContain("imported-default");
  expect(properties.address).toMatchObject({ vendorDefault: "5500 Grand Lake Dr, San Antonio, TX 78244" });
  expect(properties.address).not.toHaveProperty("default");
  expect(properties.limit).toMatchObject({ default: 10, vendorDefault: 50 });
});

test("an import whose record is gone sends no default of the document any more either", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");
  const file = folder.write("pets.json", document);
  const [manifestFile, recordFile] = [join(out, "pets.yaml"), join(out, ".imported", "pets.json")];
  await importCatalog(importOf(out, file), parts);
  asBefore(manifestFile, recordFile);
  writeFileSync(recordFile, "{}");

  await importCatalog(importOf(out, file), parts);

  const { properties } = parse(readFileSync(manifestFile, "utf8")).endpoints["/rents"].input.queryParams;
  expect(properties.limit).toEqual({ type: "integer", maximum: 500, vendorDefault: 50 });
});

test.each([
  [{ type: "string", default: "the current date" }, "is sent as it stands whenever the field is left out"],
  [{ type: "string", default: "no limit" }, "write vendorDefault in place of default"],
  [{ type: "integer", default: "many" }, "does not fit its own schema"],
])("the check doubts the default %j of an author", async (field, words) => {
  using folder = catalogFolder();
  const input = { queryParams: { properties: { day: field } } };
  const call = { method: "GET", path: "/v1" };
  folder.write("shop", manifest({ endpoints: { "/a": endpoint({ request: call, input, examples: [] }) } }));

  const { hints } = await checkCatalog({ paths: [folder.path], defaults: [], bundledDir: starterCatalogDir() });

  const [found] = hints.filter(({ rule }) => rule === "default");
  expect(found?.message).toContain(words);
});

test.each([
  { type: "string", default: "Lisbon" },
  { type: "string", default: "San Francisco, CA" },
  { type: "string", default: "all-crime" },
  { type: "string", enum: ["no limit", "10"], default: "no limit" },
  { type: "string", vendorDefault: "the current date" },
])("the check has nothing against %j", async (field) => {
  using folder = catalogFolder();
  const input = { queryParams: { properties: { day: field } } };
  const call = { method: "GET", path: "/v1" };
  folder.write("shop", manifest({ endpoints: { "/a": endpoint({ request: call, input, examples: [] }) } }));

  const { hints, problems } = await checkCatalog({
    paths: [folder.path],
    defaults: [],
    bundledDir: starterCatalogDir(),
  });

  expect([problems, hints.filter(({ rule }) => rule === "default")]).toEqual([[], []]);
});
