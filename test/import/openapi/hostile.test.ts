import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ImportRefused } from "../../../daemon/import/conversion/imported-provider.ts";
import { findProblems } from "../../../daemon/import/composing/drop-unusable.ts";
import { cleanText } from "../../../daemon/import/conversion/clean-text.ts";
import { readWirePath } from "../../../daemon/import/openapi/operations/wire-path.ts";
import { convert, type Json, jsonBody, manifestOf, oneOperation, openApi, refusalOf } from "./import-document.ts";
import { anyText } from "../../support/any-text.ts";

/** Ten times what any of these takes on a slow machine: the bound is against hanging, and says nothing of speed. */
const HANG_MS = 60_000;
const post = { method: "post" };

describe("a hostile document costs bounded work", () => {
  test("names that mean something to JavaScript are left out wherever they stand", { timeout: HANG_MS }, () => {
    const evil = JSON.parse(
      '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}, "name": {"type": "string"}}',
    ) as Json;
    const document = openApi(
      {
        "/a/{__proto__}": { get: { operationId: "constructor", tags: ["__proto__"], responses: {} } },
        "/constructor": {
          post: {
            ...jsonBody({ type: "object", required: ["__proto__", "name"], properties: evil }),
            parameters: [
              { name: "__proto__", in: "query", schema: { type: "string" } },
              { name: "prototype", in: "query", schema: { $ref: "#/components/schemas/__proto__" } },
            ],
            security: [{ constructor: [] }, { bearer: [] }],
          },
        },
      },
      {
        components: {
          schemas: JSON.parse('{"__proto__": {"type": "string"}}') as Json,
          securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
        },
      },
    );

    const text = JSON.stringify(manifestOf(document));

    expect(text).not.toMatch(/"(?:__proto__|constructor|prototype)":/);
    expect(({} as Json)["type"]).toBeUndefined();
  });

  test("definitions that double themselves again and again are not written out", { timeout: HANG_MS }, () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/components/schemas/S${index + 1}` };
        return [`S${index}`, { type: "object", properties: { a: next, b: next } }];
      }),
    );
    const schemas = { ...doubling, S40: { type: "string" } };
    const document = openApi(
      { "/a": { post: jsonBody({ $ref: "#/components/schemas/S0" }) } },
      { components: { schemas } },
    );

    const manifest = manifestOf(document);

    expect(JSON.stringify(manifest).length).toBeLessThan(200_000);
  });

  test("choices of choices end in a refusal or a cut, not in a hang", { timeout: HANG_MS }, () => {
    const choices = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => {
        const next = { $ref: `#/components/schemas/S${index + 1}` };
        return [`S${index}`, { allOf: Array.from({ length: 50 }, () => next) }];
      }),
    );
    const schemas = { ...choices, S12: { type: "object", properties: { a: {} } } };
    const document = openApi(
      { "/a": { post: jsonBody({ $ref: "#/components/schemas/S0" }) } },
      { components: { schemas } },
    );

    expect(refusalOf(document).rule).toBe("too-much-work");
  });

  test("definitions in one ring of thousands", { timeout: HANG_MS }, () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [
        `S${index}`,
        { type: "object", properties: { next: { $ref: `#/components/schemas/S${(index + 1) % 2_000}` } } },
      ]),
    );
    const document = openApi(
      { "/a": { post: jsonBody({ $ref: "#/components/schemas/S0" }) } },
      { components: { schemas } },
    );

    const manifest = manifestOf(document);

    expect(JSON.stringify(manifest).length).toBeLessThan(500_000);
  });

  test("a schema nested deeper than anything honest", { timeout: HANG_MS }, () => {
    let schema: Json = { type: "string" };
    for (let depth = 0; depth < 5_000; depth += 1) schema = { type: "object", properties: { it: schema } };

    const { notes } = convert(oneOperation(jsonBody(schema), post));

    expect(notes.join()).toContain("nested more than");
  });

  test("two hundred thousand properties, and ten thousand parameters", { timeout: HANG_MS }, () => {
    const properties = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, index) => [`f${index}`, { type: "string" }]),
    );
    const parameters = Array.from({ length: 10_000 }, (_, index) => ({ name: `p${index}`, in: "query", schema: {} }));
    const document = openApi({
      "/wide": { post: jsonBody({ type: "object", properties }) },
      "/many": { get: { parameters } },
      "/fine": { get: {} },
    });

    const { manifest, skipped } = convert(document);

    expect(findProblems(manifest)).toEqual([]);
    expect(Object.keys(manifest.endpoints)).toContain("/fine");
    expect(skipped.map(({ operation }) => operation)).toContain("GET /many");
  });

  test("examples and defaults as large as one likes", { timeout: HANG_MS }, () => {
    const huge = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const operation = jsonBody({ type: "object", properties: { a: { default: huge, example: huge, enum: [huge] } } });

    const manifest = manifestOf(oneOperation(operation, post));

    expect(JSON.stringify(manifest).length).toBeLessThan(5_000);
  });

  test("code in a path is no path", () => {
    const refusal = refusalOf(oneOperation({}, { path: '/a"; import java.lang.*; class X { }' }));

    expect(refusal.rule).toBe("nothing-taken");
  });
});

test(
  "whatever stands in a document, a conversion ends in a manifest that the catalog takes or in a refusal",
  { timeout: HANG_MS },
  () => {
    const word = fc.constantFrom(
    "$ref", "type", "properties", "items", "allOf", "oneOf", "enum", "required", "default", "schema", "in", "name", "get",
    "post", "parameters", "requestBody", "content", "application/json", "responses", "200", "security", "servers", "url",
    "query", "path", "object", "array", "string", "#/components/schemas/A", "/a/{b}", "__proto__", "additionalProperties", "toString",
  ); // prettier-ignore
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, word, fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 4 }),
      object: fc.dictionary(word, tie("value"), { maxKeys: 5 }),
    }));
    const operation = fc.record(
      { parameters: value, requestBody: value, responses: value, security: value, servers: value },
      { requiredKeys: [] },
    );
    const body = fc.record({ content: fc.record({ "application/json": fc.record({ schema: value }) }) });
    fc.assert(
      fc.property(operation, body, value, value, (get, requestBody, schema, extra) => {
        const document = openApi(
          { "/a/{b}": { get, post: { requestBody, responses: { 200: extra } } }, "/fine": { get: {} } },
          { components: { schemas: { A: schema, B: extra } } },
        );
        try {
          const { manifest } = convert(document);
          expect(findProblems(manifest)).toEqual([]);
        } catch (error) {
          if (!(error instanceof ImportRefused)) throw error;
        }
      }),
      { numRuns: 150 },
    );
  },
);

test("no text brings a control character or a terminal escape through", { timeout: HANG_MS }, () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (text) => {
      const clean = cleanText(text, 200);

      expect(clean.length).toBeLessThanOrEqual(200);
      // oxlint-disable-next-line no-control-regex
      expect(clean).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }),
  );
});

test("no document brings a template of its own into a path or a query", () => {
  const paths = ["/a/$${secret.key}", "/b?x=$${secret.key}", "/c?x=%24%7Bsecret.key%7D", "/d?x=%24%24%7Brun.id%7D"];
  const document = openApi(Object.fromEntries(paths.map((path) => [path, { get: { security: [{ key: [] }] } }])), {
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
  });

  const { endpoints } = manifestOf(document);
  const requests = Object.values(endpoints as Record<string, Json>).map(({ request }) => request);

  expect(JSON.stringify(requests)).not.toMatch(/\$\{(?:secret|run)/);
});

test("no path leaves its place, whatever a document writes", { timeout: HANG_MS }, () => {
  const piece = fc.constantFrom("/", "..", ".", "{a}", "{", "}", "?", "#", "=", "&", "a b", "\\", "%2f", "$", "{x*}");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const wire = readWirePath(pieces.join(""));
      if ("why" in wire) return;

      expect(wire.path).toMatch(/^\/[^?#\\\s]*$/);
      expect(wire.path.split("/")).not.toContain("..");
    }),
    { examples: [[["{", "#", "/", "}"]], [["{", "?", "/", "..", "}"]]] },
  );
});
