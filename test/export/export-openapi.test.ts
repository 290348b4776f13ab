import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { type OpenApiDocument, exportOpenApi } from "../../daemon/export/export-openapi.ts";
import { priceWords } from "../../shared/words/price-words.ts";
import { dropUnusable, findProblems } from "../../daemon/import/composing/drop-unusable.ts";
import { convertOpenApi } from "../../daemon/import/openapi/convert-openapi.ts";
import { resolveLocalRef } from "../../daemon/manifest/json-schema-walk.ts";
import type { ExportedCatalog } from "../../daemon/export/exported-catalog.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { bundledCatalog, exportedFrom, workedExamples } from "./exported.ts";

// A document is a tree of anything.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

function openApi(catalog: ExportedCatalog, serverUrl = "http://127.0.0.1:7717"): OpenApiDocument & { paths: Json } {
  return exportOpenApi(catalog, { serverUrl, priceWords }) as Json;
}

function* partsOf(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* partsOf(part);
}

function operationsOf(document: { paths: Json }): Json[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) => (path.includes("#") ? [item.post] : []));
}

/** Whether the examples of an operation fit the schema that stands beside them, references into the document followed. */
function complaintsAbout(document: OpenApiDocument): string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: "catalog:document", ...document }, "catalog:document");
  return operationsOf(document as Json).flatMap((operation) => {
    const pointer = `/v1/run#${operation.operationId}`.replaceAll("~", "~0").replaceAll("/", "~1");
    const place = `#/paths/${encodeURIComponent(pointer)}/post/requestBody/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: `catalog:document${place}` });
    const examples = Object.values<Json>(operation.requestBody.content["application/json"].examples ?? {});
    return examples.flatMap(({ value, summary }) =>
      validate(value) ? [] : [`${operation.operationId}, ${summary}: ${ajv.errorsText(validate.errors)}`],
    );
  });
}

describe("the catalog as an OpenAPI document", () => {
  test("has an operation for every endpoint that can be run, named once, with all that it refers to", async () => {
    const catalog = await workedExamples();
    const document = openApi(catalog);

    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(catalog.entries.length);
    expect(ids).toContain("skywatch_forecast_city");
    expect(document).toMatchObject({
      openapi: "3.1.0",
      info: { title: expect.any(String), version: expect.any(String) },
    });
    for (const { $ref } of partsOf(document)) {
      if (typeof $ref === "string") expect(resolveLocalRef(document, $ref), $ref).toBeDefined();
    }
  });

  test("says nothing of how providers are reached, nor which secrets they take", async () => {
    const text = JSON.stringify(openApi(await workedExamples()));

    expect(text).not.toMatch(/SKYWATCH_KEY|LEADFINDER_TOKEN|api\.skywatch\.example|\$\{secret/);
  });

  test("tells prices exactly, and in the form that others read", async () => {
    const document = openApi(await workedExamples());
    const byId = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));

    expect(byId.get("skywatch_forecast_city")).toMatchObject({
      "x-mkt-price": { type: "PER_CALL", amount: 0.002 },
      "x-payment-info": {
        price: "0.002",
        offers: [{ intent: "charge", method: "mkt-wallet", amount: null, currency: "USD", description: "$0.002/call" }],
      },
      responses: { "200": expect.any(Object), "402": expect.any(Object) },
    });
    expect(byId.get("phonedesk_numbers_buy")).toMatchObject({
      "x-payment-info": { price: "0.05", offers: [{ amount: "5", currency: "USD" }] },
    });
    expect(byId.get("leadfinder_people_search")).toMatchObject({
      "x-mkt-price": {
        type: "PER_UNIT_MATRIX",
        variants: [{ when: { depth: "email" }, price: { type: "PER_RESULT", amount: 0.022, flatFee: 0.011 } }, {}],
      },
      "x-payment-info": { offers: [{ amount: null }] },
    });
  });

  test.each([
    ["the worked examples", workedExamples],
    ["the bundled catalog", bundledCatalog],
  ])("has examples that fit its schemas: %s", async (_, read) => {
    expect(complaintsAbout(openApi(await read()))).toEqual([]);
  });

  test("is taken by our own importer, prices and all", async () => {
    const document = openApi(await workedExamples(), "https://market.example");
    const description = { ref: "catalog.json", sha256: "0", value: document, siblings: new Map(), refused: new Map() };
    const choices = { includeTags: [], includeOperations: [], allOperations: true };

    const imported = dropUnusable(convertOpenApi(description, choices));

    expect(findProblems(imported.manifest)).toEqual([]);
    const requests = Object.values(imported.manifest.endpoints).map(({ request }) => request as { path: string });
    expect(requests.filter(({ path }) => path === "/v1/run")).toHaveLength(operationsOf(document).length);
    expect(imported.manifest.endpoints["/skywatch/forecast/{city}"]).toMatchObject({
      price: { type: "PER_CALL", amount: 0.002 },
    });
    expect(imported.pricesToSet).toContain("/leadfinder/people/search");
    expect(imported.pricesToSet).not.toContain("/skywatch/forecast/{city}");
  });

  test("makes the endpoints of one market those of another, which runs them there", async () => {
    await using vendor = await startFakeProvider();
    vendor.on("GET /now", ({ query }) => ({ json: { city: query.get("city") } }));
    using home = mktHome();
    await using first = await startTestDaemon({ home, manifests: { weather: weatherManifest(vendor.url) } });
    const document = openApi(await exportedFrom(`${home.path}/trusted`), first.url);
    const description = { ref: "catalog.json", sha256: "0", value: document, siblings: new Map(), refused: new Map() };
    const choices = { slug: "first", includeTags: [], includeOperations: [], allOperations: true };
    const { manifest } = convertOpenApi(description, choices);
    const environment = { FIRST_TOKEN: first.key };
    await using second = await startTestDaemon({ environment, manifests: { first: manifest } });

    const run = { provider: "first", endpoint: "/weather/now", input: { input: { queryParams: { city: "Lisbon" } } } };
    const answer = await second.request("POST", "/v1/run", run);

    expect(answer).toMatchObject({ status: 200, body: { billing: { reportedCost: { value: 10_000 } } } });
    expect(JSON.stringify(answer.body.output)).toContain('"city":"Lisbon"');
    expect((await first.request("GET", "/v1/runs")).body.items).toHaveLength(1);
  });

  test("can be called as it stands, at a daemon", async () => {
    await using vendor = await startFakeProvider();
    vendor.on("POST /v1/items/*", ({ json, path }) => ({ json: { path, got: json } }));
    using home = mktHome();
    const shop = {
      http: { baseUrl: vendor.url, allowPrivateNetwork: true },
      schemas: { Size: { type: "object", properties: { inner: { $ref: "#/schemas/Size" }, cm: { type: "number" } } } },
      endpoints: {
        "/items/{id}": {
          request: { method: "POST", path: "/v1/items/{id}" },
          input: {
            pathParams: { required: ["id"], properties: { id: { type: "string" } } },
            body: { required: ["size"], properties: { size: { $ref: "#/schemas/Size" } } },
          },
          price: { type: "PER_CALL", amount: 0.01 },
          examples: [{ name: "small", input: { id: "a/b", size: { inner: { cm: 2 } } } }],
        },
      },
    };
    await using daemon = await startTestDaemon({ home, manifests: { shop } });
    const document = openApi(await exportedFrom(`${home.path}/trusted`), daemon.url);
    const [path] = Object.keys(document.paths);
    const [operation] = operationsOf(document);
    const example = operation.requestBody.content["application/json"].examples.example1.value;

    const answer = await fetch(`${daemon.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${daemon.key}`, "content-type": "application/json" },
      body: JSON.stringify(example),
    });

    expect(complaintsAbout(document)).toEqual([]);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      status: "COMPLETED",
      output: { path: "/v1/items/a%2Fb", got: { size: { inner: { cm: 2 } } } },
      billing: { reportedCost: { value: 10_000 } },
    });
  });
});
