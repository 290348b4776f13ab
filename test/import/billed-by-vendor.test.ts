import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { composeManifest } from "../../daemon/import/composing/compose-manifest.ts";
import { importCatalog, NO_CHOICES } from "../../daemon/import/import-catalog.ts";
import { InProcessImporter } from "../../daemon/import/in-process-importer.ts";
import { convertTools } from "../../daemon/import/mcp/convert-tools.ts";
import { renderImportReport } from "../../daemon/import/render-import-report.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { parse } from "yaml";
import { starterCatalogDir } from "../support/bundled-catalog.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { documentFolder } from "./descriptions.ts";
import { convert, type DocumentParts, type Json, manifestOf, openApi } from "./openapi/import-document.ts";

const billed = { type: "FREE", billedByVendor: true };
const free = { type: "FREE" };
const components = { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } };
const needsKey = { get: { security: [{ key: [] }] } };
const needsNothing = { get: { security: [] } };
const needsNoKey = { get: { security: [{}, { key: [] }] } };
const saysFree = { get: { security: [{ key: [] }], "x-mkt-price": 0 } };
const saysThatItDepends = { get: { "x-payment-info": { offers: [{ amount: null, currency: "usdc" }] } } };

const document = (paths: Json) => openApi(paths, { components });

function priceOf(paths: Json, path: string, parts: DocumentParts = {}): unknown {
  const { endpoints, price } = manifestOf(document(paths), parts);
  return endpoints[path].price ?? price;
}

async function importInto(out: string, file: string, choices = {}) {
  const report = await importCatalog(
    {
      named: [file],
      out,
      choices,
      mcp: false,
      dryRun: false,
      access: { allowPrivateHosts: new Set<string>() },
      today: "2026-11-22",
    },
    { importer: new InProcessImporter(), bundledDir: starterCatalogDir() },
  );
  return renderImportReport(report, (...words) => `mkt ${words.join(" ")}`);
}

describe("an imported endpoint that nobody put a price on", () => {
  test.each<[string, Json, unknown]>([
    ["needs a key: its provider may bill each call", needsKey, billed],
    ["needs none: it is free", needsNothing, free],
    ["may do without its key: it is free", needsNoKey, free],
    ["is said to cost nothing: it is free", saysFree, free],
    ["is said to cost what depends: it is not free", saysThatItDepends, billed],
  ])("%s", (_, operation, price) => {
    expect(priceOf({ "/pets": operation }, "/pets")).toEqual(price);
    expect(priceOf({ "/pets": operation, "/a": needsKey, "/b": needsNothing }, "/pets")).toEqual(price);
  });

  test.each([
    ["0.01", 0.01, { type: "PER_CALL", amount: 0.01 }],
    ["0", 0, free],
  ])("costs what --price %s says, also where the document says that it depends", (_, priceUsd, price) => {
    const paths = { "/pets": needsKey, "/vets": saysThatItDepends };

    expect(priceOf(paths, "/pets", { choices: { priceUsd } })).toEqual(price);
    expect(priceOf(paths, "/vets", { choices: { priceUsd } })).toEqual(price);
  });

  test("of an MCP server that needs a token may be billed, of another it is free", () => {
    const listing = { ref: "https://tools.example/mcp", sha256: "a".repeat(64), server: {}, tools: [{ name: "look" }] };
    const choices = { includeTags: [], includeOperations: [], allOperations: false };
    const access = { allowPrivateHosts: new Set<string>() };
    const authorization = { variable: "TOOLS_TOKEN", value: "Bearer t" };
    const priceWith = (more: object) =>
      convertTools(listing as never, choices, { ...access, ...more }).manifest["price"];

    expect([priceWith({ authorization }), priceWith({})]).toEqual([billed, free]);
  });
});

test("--max-price 0 finds no imported endpoint that needs a key, and those that need none", async () => {
  const named = (operation: { get: Json }) => ({ get: { ...operation.get, summary: "Pets of the village shop" } });
  const manifest = manifestOf(document({ "/open": named(needsNothing), "/keyed": named(needsKey) }));
  await using daemon = await startTestDaemon({
    manifests: { pets: manifest },
    environment: { PETS_KEY: "k-1" },
  });

  const { body } = await daemon.request("POST", "/v1/discover", {
    q: "pets of the village shop",
    maxPrice: { value: 0, currency: "USD" },
  });

  expect(body.results.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(["/open"]);
});

test("the import marks the price, and ends with the command that sets it", async () => {
  using folder = documentFolder();
  const out = join(folder.path, "catalog");

  const text = await importInto(out, folder.write("pets.json", document({ "/pets": needsKey, "/open": needsNothing })));

  const file = readFileSync(join(out, "pets.yaml"), "utf8");
  expect(file).toMatch(/\n# check me: .*key.*\nprice: \{type: FREE, billedByVendor: true\}\n/);
  expect(file).not.toContain("so calls are free");
  expect(text).toContain("Prices to set: /pets may be billed by pets on your key; /open is free until you say");
  expect(text).toContain("mkt catalog price pets/pets <dollars>");
});

describe("another import of a file from before", () => {
  const paths = { "/pets": needsKey, "/open": needsNothing };
  const request = { slug: "pets", choices: NO_CHOICES, today: "2026-11-22" };

  async function again(change: (text: string) => string, { hasRecord = true } = {}) {
    const imported = convert(document(paths));
    const { "/pets": pets = {}, "/open": { price: _, ...open } = {} } = imported.manifest.endpoints;
    const former = {
      ...imported,
      manifest: { ...imported.manifest, price: free, endpoints: { "/pets": pets, "/open": open } },
    };
    const { text, record } = await composeManifest({ imported: former, operations: {} }, request);
    const existing = { text: change(text), isJson: false, ...(hasRecord && { record }) };
    const outcome = await composeManifest({ imported, operations: {} }, { ...request, existing });
    const { price, endpoints } = parse(outcome.text);
    const prices = { pets: endpoints["/pets"].price ?? price, open: endpoints["/open"].price ?? price };
    return { ...outcome, prices };
  }

  const asOwner = (text: string) => text.replace(/^price: .*$/m, "price: {type: PER_CALL, amount: 0.02}");
  const owners = { type: "PER_CALL", amount: 0.02 };

  test("calls nothing free any more that needs a key", async () => {
    const { prices } = await again((text) => text);

    expect(prices).toEqual({ pets: billed, open: free });
  });

  test.each([[true], [false]])("keeps the price that its owner set for all of it (a record: %s)", async (hasRecord) => {
    const { prices, summary } = await again(asOwner, { hasRecord });

    expect(prices).toEqual({ pets: owners, open: owners });
    expect(summary.pricesToSet).toEqual([]);
  });
});

test("catalog check asks about the price of a file from before, and not where somebody decided", async () => {
  using dir = tempDir();
  const manifest = manifestOf(document({ "/pets": needsKey, "/open": needsNothing, "/said": saysFree }));
  const { "/pets": pets, "/open": open } = manifest.endpoints;
  const hintsWith = async (changes: object) => {
    writeFileSync(join(dir.path, "pets.yaml"), JSON.stringify({ ...manifest, ...changes }));
    const { hints } = await checkCatalog({ paths: [dir.path], defaults: [], bundledDir: starterCatalogDir() });
    return hints.filter(({ rule }) => rule === "free-with-key").map(({ path, message }) => `${path}: ${message}`);
  };

  const [former = "", ...others] = await hintsWith({ price: free });
  expect(others).toEqual([]);
  expect(former).toMatch(/^price: \/pets is FREE and needs/);
  expect(former).toContain("PETS_KEY");
  expect(former).toContain("billedByVendor: true");
  expect(former).toContain("mkt catalog price pets/pets <dollars>");
  expect(await hintsWith({})).toEqual([]);
  expect(await hintsWith({ price: { type: "PER_CALL", amount: 0.01 } })).toEqual([]);
  expect(await hintsWith({ price: free, endpoints: { "/open": open } })).toEqual([]);
  expect(
    await hintsWith({ price: free, secrets: { key: { env: "PETS_KEY", description: "Key", optional: true } } }),
  ).toEqual([]);
  expect(await hintsWith({ price: free, endpoints: { "/pets": pets }, source: undefined })).toEqual([]);
});
