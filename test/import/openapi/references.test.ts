import { expect, test } from "vitest";
import { convert, jsonAnswer, jsonBody, manifestOf, openApi } from "./import-document.ts";

test("references lead into the files beside the document, and on from there", () => {
  const document = openApi({
    "/pets/{id}": { $ref: "./paths/pet.yaml#/item" },
  });
  const siblings = {
    "paths/pet.yaml": {
      item: {
        parameters: [{ $ref: "../shared/parameters.yaml#/Id" }],
        post: { requestBody: { content: { "application/json": { schema: { $ref: "#/Pet" } } } }, responses: {} },
      },
      Pet: { type: "object", properties: { name: { $ref: "../shared/name.json" } } },
    },
    "shared/parameters.yaml": { Id: { name: "id", in: "path", required: true, schema: { type: "integer" } } },
    "shared/name.json": { type: "string", maxLength: 9 },
  };

  const { input } = manifestOf(document, { siblings }).endpoints["/pets/{id}"];

  expect(input.pathParams.properties).toEqual({ id: { type: "integer" } });
  expect(input.body.properties).toEqual({ name: { type: "string", maxLength: 9 } });
});

test("an operation whose reference leads nowhere is left out with the place, and the others are taken", () => {
  const document = openApi(
    {
      "/a": { post: jsonBody({ $ref: "#/components/schemas/Gone" }) },
      "/b": { post: jsonBody({ type: "object", properties: { it: { $ref: "#/components/schemas/Half" } } }) },
      "/c": { get: { parameters: [{ $ref: "http://elsewhere.example/p.json" }] } },
      "/d": { get: { parameters: [{ $ref: "../out.yaml#/P" }] } },
      "/e": { $ref: "#/components/pathItems/Loop" },
      "/f": { get: jsonAnswer({ $ref: "#/components/schemas/Gone" }) },
    },
    {
      components: {
        schemas: { Half: { type: "object", properties: { it: { $ref: "#/components/schemas/Gone~1x" } } } },
        pathItems: { Loop: { $ref: "#/components/pathItems/Loop" } },
      },
    },
  );
  const refused = { "../out.yaml#/P": "it leads out of the folder" };

  const { manifest, skipped } = convert(document, { refused });

  expect(Object.keys(manifest.endpoints)).toEqual(["/f"]);
  expect(Object.fromEntries(skipped.map(({ operation, why }) => [operation, why]))).toEqual({
    "POST /a": 'there is nothing at "#/components/schemas/Gone"',
    "POST /b": 'there is nothing at "#/components/schemas/Gone~1x"',
    "GET /c": '"http://elsewhere.example/p.json" is an address, and addresses in documents are never fetched',
    "GET /d": '"../out.yaml#/P" is not followed: it leads out of the folder',
    "/e": '"#/components/pathItems/Loop" leads back to itself',
  });
});

test("a document may call itself by its own address", () => {
  const document = openApi(
    { "/a": { post: jsonBody({ $ref: "https://pets.example/openapi.json#/components/schemas/Pet" }) } },
    {
      openapi: "3.2.0",
      $self: "https://pets.example/openapi.json",
      components: { schemas: { Pet: { type: "object", properties: { name: { type: "string" } } } } },
    },
  );

  const { input } = manifestOf(document).endpoints["/a"];

  expect(input.body.properties).toEqual({ name: { type: "string" } });
});
