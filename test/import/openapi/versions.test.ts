import { describe, expect, test } from "vitest";
import { manifestOf, openApi, refusalOf } from "./import-document.ts";

const paths = { "/pets": { get: { responses: {} } } };
const info = { title: "Pets", version: "1" };

describe("a document of OpenAPI", () => {
  test.each<[string, object]>([
    ["2.0", { swagger: "2.0", host: "pets.example", basePath: "/v1" }],
    ["2.0 with a number for its version", { swagger: 2, host: "pets.example", basePath: "v1/" }],
    ["3.0", { openapi: "3.0.4", servers: [{ url: "https://pets.example/v1" }] }],
    ["3.1", { openapi: "3.1.2", servers: [{ url: "https://pets.example/v1/" }] }],
    ["3.2", { openapi: "3.2.0", servers: [{ url: "//pets.example/v1" }] }],
  ])("is taken: %s", (_, head) => {
    const manifest = manifestOf({ ...head, info, paths });

    expect(manifest).toMatchObject({
      provider: "pets",
      displayName: "Pets",
      http: { baseUrl: "https://pets.example/v1" },
      source: { kind: "openapi", ref: "pets.yaml" },
      endpoints: { "/pets": { request: { method: "GET" }, idempotent: true, verified: false } },
    });
  });
});

describe("what is no OpenAPI document", () => {
  test.each<[string, unknown, string, string]>([
    ["a web page", "<!DOCTYPE html><html>", "not-openapi", "This is a web page"],
    ["plain text", "hello", "not-openapi", "plain text"],
    ["nothing", null, "not-openapi", "The document is empty"],
    ["a list", [1, 2], "not-openapi", "a list of 2 items"],
    ["a number", 7, "not-openapi", "a single number"],
    ["AsyncAPI", { asyncapi: "3.0.0" }, "not-openapi", "AsyncAPI"],
    ["a Postman collection", { info: { _postman_id: "x" }, item: [] }, "not-openapi", "Postman"],
    ["Swagger 1", { swaggerVersion: "1.2" }, "not-openapi", "Swagger 1.x"],
    ["an object of something else", { name: "x", version: 1 }, "not-openapi", 'it has "name", "version"'],
    ["OpenAPI 4", { openapi: "4.0.0", paths }, "unknown-version", 'openapi: "4.0.0"'],
    ["Swagger 3", { swagger: "3.0", paths }, "unknown-version", 'swagger: "3.0"'],
    ["a document without paths", { openapi: "3.1.0", info }, "no-paths", 'no "paths"'],
    ["a document with a list of paths", openApi([] as never), "no-paths", "is a list"],
    ["a document without operations", openApi({}), "no-operations", "nothing to call"],
    ["a document of one bad path", openApi({ "/a b{": { get: {} } }), "nothing-taken", "characters that no path has"],
  ])("is refused in words: %s", (_, value, rule, words) => {
    const refusal = refusalOf(value);

    expect(refusal.rule).toBe(rule);
    expect(refusal.message).toContain(words);
  });
});

test("methods that no endpoint has are told and left out", () => {
  const document = openApi({
    "/pets": {
      get: {},
      options: {},
      trace: {},
      query: {},
      additionalOperations: { COPY: {} },
    },
  });

  const manifest = manifestOf(document);

  expect(Object.keys(manifest.endpoints)).toEqual(["/pets"]);
});
