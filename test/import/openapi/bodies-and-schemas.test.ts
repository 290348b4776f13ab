import { describe, expect, test } from "vitest";
import { convert, endpointOf, type Json, jsonBody, manifestOf, oneOperation, openApi } from "./import-document.ts";

const post = { method: "post" };
const bodyOf = (schema: unknown, where: object = {}) => endpointOf(jsonBody(schema), { ...post, ...where });
const sent = (type: string, schema: object, encoding?: object) => ({
  requestBody: { required: true, content: { [type]: { schema, ...(encoding && { encoding }) } } },
});
const form = "application/x-www-form-urlencoded";

describe("the body of an operation", () => {
  test("an object becomes the fields of a section; what is read only is no input", () => {
    const { input, request } = bodyOf({
      type: "object",
      required: ["id", "name"],
      properties: { id: { type: "string", readOnly: true }, name: { type: "string" } },
    });

    expect(request).toEqual({ method: "POST" });
    expect(input.body).toEqual({ required: ["name"], properties: { name: { type: "string" } } });
  });

  test("JSON is taken before the other types", () => {
    const object = { schema: { type: "object", properties: { a: { type: "string" } } } };
    const content = { "text/xml": object, [form]: object, "application/json": object };

    const { request } = endpointOf({ requestBody: { content } }, post);

    expect(request).toEqual({ method: "POST" });
  });

  test.each<[string, Json, Json]>([
    ["a list", sent("application/json", { type: "array", items: { type: "string" } }), { bodyField: "items" }],
    ["any JSON", sent("application/json", {}), { bodyField: "value" }],
    [
      "JSON of a vendor",
      sent("application/vnd.api+json", { type: "object" }),
      { headers: { "Content-Type": "application/vnd.api+json" } },
    ],
    ["text", sent("text/plain", { type: "string" }), { encoding: "text", bodyField: "content" }],
    [
      "XML",
      sent("application/xml", { type: "object", properties: { a: { type: "string" } } }),
      { encoding: "text", bodyField: "content", headers: { "Content-Type": "application/xml" } },
    ],
    [
      "bytes",
      sent("application/octet-stream", { type: "string", format: "binary" }),
      { encoding: "bytes", bodyField: "content" },
    ],
    [
      "an image",
      sent("image/png", { type: "string", format: "binary" }),
      { encoding: "bytes", bodyField: "content", headers: { "Content-Type": "image/png" } },
    ],
    [
      "a form",
      sent(form, {
        type: "object",
        properties: {
          tags: { type: "array", items: { type: "string" } },
          at: { type: "object", properties: { x: {} } },
        },
      }),
      { encoding: "form", styles: { at: "json" } },
    ],
    [
      "a form with deep objects",
      sent(
        form,
        { type: "object", properties: { at: { type: "object" } } },
        { at: { style: "deepObject", explode: true } },
      ),
      { encoding: "form", styles: { at: "brackets" } },
    ],
    [
      "a form with files",
      sent("multipart/form-data", { type: "object", properties: { file: { type: "string", format: "binary" } } }),
      { encoding: "multipart" },
    ],
  ])("is sent as it is described: %s", (_, operation, request) => {
    const endpoint = endpointOf(operation, post);

    expect(endpoint.request).toEqual({ method: "POST", ...request });
  });

  test("a body with GET or DELETE is named, because it is an exception", () => {
    const { request } = bodyOf({ type: "object", properties: { ids: {} } }, { method: "delete" });

    expect(request).toEqual({ method: "DELETE", encoding: "json" });
  });

  test("forms of version 2.0 become fields, with a file as multipart", () => {
    const parameters = [
      { name: "file", in: "formData", type: "file", required: true },
      { name: "tags", in: "formData", type: "array", items: { type: "string" } },
    ];
    const document = { swagger: "2.0", host: "pets.example", info: {}, paths: { "/p": { post: { parameters } } } };

    const { request, input } = manifestOf(document).endpoints["/p"];

    expect(request).toEqual({ method: "POST", encoding: "multipart", styles: { tags: "comma" } });
    expect(input.body.required).toEqual(["file"]);
    expect(input.body.properties.file).toEqual({ type: "string", format: "binary" });
  });

  test("allOf is merged so that people see the fields; a choice takes the fields of all", () => {
    const { input } = bodyOf({
      allOf: [
        { type: "object", required: ["id"], properties: { id: { type: "string" } } },
        {
          oneOf: [
            { type: "object", required: ["kind", "a"], properties: { kind: { const: "a" }, a: { type: "string" } } },
            { type: "object", required: ["kind", "b"], properties: { kind: { const: "b" }, b: { type: "string" } } },
          ],
        },
      ],
    });

    expect(input.body).toEqual({
      required: ["id", "kind"],
      properties: {
        id: { type: "string" },
        kind: { enum: ["a", "b"] },
        a: { type: "string" },
        b: { type: "string" },
      },
    });
  });
});

describe("a schema", () => {
  const field = (schema: object, version = "3.0.3") => {
    const body = jsonBody({ type: "object", properties: { it: schema } });
    return manifestOf({ ...oneOperation(body, post), openapi: version }).endpoints["/pets"].input.body.properties.it;
  };

  test.each<[string, object, object]>([
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      "nullable with allowed values",
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [
      "a strict bound by a flag",
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      { type: "integer", exclusiveMinimum: 0 },
    ],
    ["an example", { type: "string", example: "Rex" }, { type: "string", examples: ["Rex"] }],
    ["a list of types", { type: ["string", "null"] }, { type: ["string", "null"] }],
    ["a format that nobody knows", { type: "string", format: "pet-name" }, { type: "string" }],
    ["a pattern that looks ahead", { type: "string", pattern: "(?=a)b" }, { type: "string" }],
    ["a pattern between slashes", { type: "string", pattern: "/^a+$/" }, { type: "string", pattern: "^a+$" }],
    [
      "allowed values that YAML read as flags",
      { type: "string", enum: [true, "x"] },
      { type: "string", enum: ["true", "x"] },
    ],
    [
      "too many allowed values",
      { type: "integer", enum: Array.from({ length: 1_001 }, (_, index) => index) },
      { type: "integer" },
    ],
    [
      "unique items without a bound",
      { type: "array", items: { type: "string" }, uniqueItems: true },
      { type: "array", items: { type: "string" } },
    ],
    ["a default that does not fit", { type: "integer", default: "many" }, { type: "integer", vendorDefault: "many" }],
    ["a default in quotes", { type: "integer", default: "5" }, { type: "integer", vendorDefault: 5 }],
    [
      "a choice",
      { oneOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
    ],
    [
      "a tuple of old drafts",
      { type: "array", items: [{ type: "string" }] },
      { type: "array", prefixItems: [{ type: "string" }] },
    ],
    ["a type by another name", { type: "float" }, { type: "number" }],
    ["a type that does not exist", { type: "constructor", description: "x" }, { description: "x" }],
    ["words of other tools", { type: "string", xml: {}, discriminator: {}, "x-order": 1 }, { type: "string" }],
    [
      "a property that is called $ref",
      { type: "object", properties: { $ref: { type: "string" } } },
      { type: "object", properties: { $ref: { type: "string" } } },
    ],
    [
      "bytes without a type",
      { contentMediaType: "application/octet-stream" },
      { type: "string", format: "binary", contentMediaType: "application/octet-stream" },
    ],
  ])("is written in JSON Schema 2020-12: %s", (_, schema, expected) => {
    expect(field(schema)).toEqual(expected);
  });

  test.each<[string, object]>([
    ["3.0", { $ref: "#/components/schemas/Name", description: "of the pet", minLength: 3 }],
    ["3.1", { $ref: "#/components/schemas/Name", description: "of the pet", minLength: 3 }],
  ])("members beside a reference count from 3.1 on (%s)", (version, schema) => {
    const document = {
      ...oneOperation(jsonBody({ type: "object", properties: { it: schema } }), post),
      openapi: `${version}.0`,
      components: { schemas: { Name: { type: "string" } } },
    };

    const { it } = manifestOf(document).endpoints["/pets"].input.body.properties;

    expect(it).toEqual(
      version === "3.0"
        ? { type: "string", description: "of the pet" }
        : { allOf: [{ type: "string" }, { minLength: 3, description: "of the pet" }] },
    );
  });
});

describe("definitions", () => {
  const large = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field${index}`, { type: "string" }]));
  const withSchemas = (schemas: object, ...refs: string[]) =>
    openApi(
      Object.fromEntries(
        refs.map((ref, index) => [
          `/p${index}`,
          { post: jsonBody({ type: "object", properties: { it: { $ref: `#/components/schemas/${ref}` } } }) },
        ]),
      ),
      { components: { schemas } },
    );

  test("large ones that are used twice are written once, small ones where they are used", () => {
    const schemas = { Large: { type: "object", properties: large }, Small: { type: "string" } };

    const manifest = manifestOf(withSchemas(schemas, "Large", "Large", "Small", "Small"));

    expect(Object.keys(manifest.schemas)).toEqual(["Large"]);
    expect(manifest.endpoints["/p1"].input.body.properties.it).toEqual({ $ref: "#/schemas/Large" });
    expect(manifest.endpoints["/p3"].input.body.properties.it).toEqual({ type: "string" });
  });

  test("one that refers to itself stays, with its name made valid", () => {
    const schemas = {
      "tree.node[1]": {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/components/schemas/tree.node%5B1%5D" } } },
      },
    };

    const manifest = manifestOf(withSchemas(schemas, "tree.node%5B1%5D"));

    expect(manifest.schemas).toEqual({
      tree_node_1: {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/schemas/tree_node_1" } } },
      },
    });
  });

  test("kinds that extend the choice that lists them are cut where they would never end", () => {
    const pet = { $ref: "#/components/schemas/Pet" };
    const kind = (name: string) => ({
      allOf: [pet, { type: "object", properties: { [name]: { type: "string" }, ...large } }],
    });
    const schemas = {
      Pet: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }] },
      Cat: kind("meow"),
      Dog: kind("bark"),
    };

    const { notes } = convert(withSchemas(schemas, "Pet", "Cat"));
    const manifest = manifestOf(withSchemas(schemas, "Pet", "Cat"));

    expect(Object.keys(manifest.endpoints)).toEqual(["/p0", "/p1"]);
    expect(notes.join()).toContain("refer to themselves for the same value");
  });

  test("dynamic references and anchors lead where they lead by themselves", () => {
    const schemas = {
      Node: {
        $dynamicAnchor: "node",
        type: "object",
        properties: { next: { $dynamicRef: "#node" }, other: { $ref: "#leaf" } },
        $defs: { leaf: { $anchor: "leaf", type: "integer" } },
      },
    };
    const document = { ...withSchemas(schemas, "Node"), openapi: "3.1.0" };

    const manifest = manifestOf(document);

    expect(manifest.schemas.Node.properties).toEqual({ next: { $ref: "#/schemas/Node" }, other: { type: "integer" } });
  });
});
