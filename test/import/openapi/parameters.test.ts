import { describe, expect, test } from "vitest";
import { convert, endpointOf, manifestOf, oneOperation, openApi } from "./import-document.ts";

const list = { type: "array", items: { type: "string" } };
const object = { type: "object", properties: { R: { type: "integer" } } };
const parameter = (place: string, schema: object, more: object = {}) => ({ name: "p", in: place, schema, ...more });

describe("how a parameter is spelled on the wire", () => {
  test.each<[string, object, string | undefined]>([
    ["a list repeats by itself", parameter("query", list), undefined],
    ["a list with commas", parameter("query", list, { explode: false }), "comma"],
    ["a list with pipes", parameter("query", list, { style: "pipeDelimited", explode: false }), "pipes"],
    ["a list with blanks", parameter("query", list, { style: "spaceDelimited", explode: false }), "spaces"],
    ["an object as fields of its own", parameter("query", object), "flat"],
    ["an object with commas", parameter("query", object, { explode: false }), "comma"],
    ["a deep object", parameter("query", object, { style: "deepObject" }), "brackets"],
    ["an object in a path", parameter("path", object), undefined],
    ["an object in a path in pairs", parameter("path", object, { explode: true }), "pairs"],
    ["a list in a header", parameter("header", list), "comma"],
    ["JSON", { name: "p", in: "query", content: { "application/json": { schema: object } } }, "json"],
    ["a scalar", parameter("query", { type: "integer" }, { explode: false }), undefined],
  ])("%s", (_, written, style) => {
    const path = (written as { in: string }).in === "path" ? "/pets/{p}" : "/pets";

    const { request } = endpointOf({ parameters: [written] }, { path });

    expect(request.styles).toEqual(style === undefined ? undefined : { p: style });
  });

  test.each<[string, string | undefined]>([
    ["csv", "comma"],
    ["ssv", "spaces"],
    ["tsv", "tabs"],
    ["pipes", "pipes"],
    ["multi", undefined],
  ])("of version 2.0: %s", (collectionFormat, style) => {
    const parameters = [{ name: "p", in: "query", type: "array", items: { type: "string" }, collectionFormat }];
    const document = { swagger: "2.0", host: "pets.example", info: {}, paths: { "/pets": { get: { parameters } } } };

    const { endpoints } = manifestOf(document);

    expect(endpoints["/pets"].request.styles).toEqual(style === undefined ? undefined : { p: style });
    expect(endpoints["/pets"].input.queryParams.properties.p).toEqual({ type: "array", items: { type: "string" } });
  });

  test.each<[string, string]>([
    ["label", "/pets/.{p}"],
    ["matrix", "/pets/;p={p}"],
  ])("a path parameter in the style %s", (style, path) => {
    const { request } = endpointOf(
      { parameters: [parameter("path", { type: "string" }, { style })] },
      { path: "/pets/{p}" },
    );

    expect(request.path).toBe(path);
  });
});

describe("what a parameter shows", () => {
  const shown = (written: object) => endpointOf({ parameters: [written] }).input.queryParams.properties.p;

  test("an example that stands beside the schema is shown with it", () => {
    expect(shown(parameter("query", { type: "string" }, { example: "lisbon" }))).toEqual({
      type: "string",
      examples: ["lisbon"],
    });
    expect(shown(parameter("query", { type: "integer" }, { examples: { two: { value: 2 } } }))).toEqual({
      type: "integer",
      examples: [2],
    });
  });

  test("an example that its own schema refuses is not shown", () => {
    expect(shown(parameter("query", { type: "integer" }, { example: "many" }))).toEqual({ type: "integer" });
  });
});

describe("where a parameter goes", () => {
  test("parameters of the path are merged under the operation's own", () => {
    const document = openApi({
      "/pets/{id}": {
        parameters: [
          { name: "id", in: "path", schema: { type: "string" } },
          { name: "lang", in: "query", description: "of all", schema: { type: "string" } },
        ],
        get: { parameters: [{ name: "lang", in: "query", required: true, schema: { enum: ["en", "pt"] } }] },
      },
    });

    const { input } = manifestOf(document).endpoints["/pets/{id}"];

    expect(input).toEqual({
      pathParams: { required: ["id"], properties: { id: { type: "string" } } },
      queryParams: { required: ["lang"], properties: { lang: { enum: ["en", "pt"] } } },
    });
  });

  test("a header becomes a field that a template sends; those of the protocol are left alone", () => {
    const headers = ["X-Tenant", "Accept", "Content-Type", "Host"].map((name) => ({
      name,
      in: "header",
      schema: { type: "string" },
    }));

    const { request, input } = endpointOf({ parameters: headers });

    expect(request.headers).toEqual({ "X-Tenant": "${input.queryParams.X-Tenant}" });
    expect(input.queryParams.properties).toEqual({ "X-Tenant": { type: "string" } });
  });

  test("an idempotency key is the run's and not the caller's", () => {
    const { request, input } = endpointOf(
      { parameters: [{ name: "Idempotency-Key", in: "header", required: true }] },
      { method: "post" },
    );

    expect(request.idempotency).toEqual({ header: "Idempotency-Key" });
    expect(input).toBeUndefined();
  });

  test("an optional cookie is left out with a note; one that is needed costs the operation", () => {
    const cookie = { name: "sid", in: "cookie", schema: { type: "string" } };
    const document = openApi({
      "/a": { get: { parameters: [cookie] } },
      "/b": { get: { parameters: [{ ...cookie, required: true }] } },
    });

    const { manifest, skipped, notes } = convert(document);

    expect(Object.keys(manifest.endpoints)).toEqual(["/a"]);
    expect(skipped).toEqual([{ operation: "GET /b", why: 'it needs the cookie "sid", and callers send none' }]);
    expect(notes).toContain('optional cookies were left out (at "sid")');
  });

  test("a placeholder that nobody declared is text that is needed", () => {
    const { input } = endpointOf({}, { path: "/pets/{id}/toys/{toy-id}" });

    expect(input.pathParams).toEqual({
      required: ["id", "toy-id"],
      properties: { id: { type: "string" }, "toy-id": { type: "string" } },
    });
  });

  test("what can be one thing only is given by itself", () => {
    const { input } = endpointOf({
      parameters: [{ name: "v", in: "query", required: true, schema: { type: "string", enum: ["2024-01"] } }],
    });

    expect(input.queryParams.properties.v.default).toBe("2024-01");
  });
});

describe("a path as documents write it", () => {
  test.each<[string, string, object]>([
    ["without a slash", "pets", { public: "/pets", path: undefined }],
    ["with a slash at the end", "/pets/", { public: "/pets", path: "/pets/" }],
    ["with OData parentheses", "/Pets({id})", { public: "/Pets({id})", path: undefined }],
    ["with a fragment", "/pets#stream", { public: "/pets/stream", path: "/pets" }],
    [
      "with a fixed query",
      "/pets?kind=dog&full",
      { public: "/pets", path: undefined, query: { kind: "dog", full: "" } },
    ],
    ["with a placeholder in the query", "/pets?id={id}", { query: { id: "${input.pathParams.id}" }, path: undefined }],
    ["with an encoded ampersand", "/pets?a=1%26b={b}", { query: { a: "1", b: "${input.pathParams.b}" } }],
    ["with a dollar before the brace", "/pets/${id}", { public: "/pets/{id}", path: undefined }],
    ["with a blank", "/my pets", { public: "/my-pets", path: "/my%20pets" }],
    ["with an odd placeholder", "/pets/{a|b}", { public: "/pets/{a_b}", path: undefined }],
  ])("%s", (_, path, expected) => {
    const { endpoints } = manifestOf(oneOperation({}, { path }));
    const [[name, { request }]] = Object.entries(endpoints) as [[string, { request: Record<string, unknown> }]];

    const found = { public: name, path: request["path"], query: request["queryParams"] };

    expect(found).toMatchObject(expected);
  });

  test("a parameter of the query stands over the placeholder of the same name", () => {
    const parameters = [
      { name: "q", in: "query", schema: { type: "string" } },
      { name: "value", in: "path", required: true, schema: { type: "string" } },
    ];

    const { request, input } = endpointOf({ parameters }, { path: "/pets?q={value}" });

    expect(request.queryParams).toBeUndefined();
    expect(input).toEqual({ queryParams: { properties: { q: { type: "string" } } } });
  });

  test("public paths are unique and readable although methods share one", () => {
    const operation = { responses: {} };
    const document = openApi({
      "/pets": { post: operation, get: operation, delete: operation },
      "/pets/": { get: { ...operation, operationId: "listPetsSlowly" } },
      "/pets/{id}": { patch: operation, put: operation },
      "/search": { get: operation, post: operation },
      "/feed?kind=a": { get: operation },
      "/feed?kind=b": { get: operation },
    });

    const { endpoints } = manifestOf(document, { choices: { allOperations: true } });

    expect(Object.keys(endpoints)).toEqual([
      "/pets/create",
      "/pets",
      "/pets/delete",
      "/pets/list-pets-slowly",
      "/pets/{id}/update",
      "/pets/{id}",
      "/search",
      "/search/post",
      "/feed",
      "/feed/b",
    ]);
  });
});
