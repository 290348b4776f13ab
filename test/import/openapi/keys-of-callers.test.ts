import { describe, expect, test } from "vitest";
import { startFakeProvider } from "../../support/fake-provider.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";
import { convert, manifestOf, oneOperation, openApi } from "./import-document.ts";

const text = { type: "string" };
const param = (place: string, name: string, description = "", required = true) => ({
  name,
  in: place,
  required,
  description,
  schema: text,
});
const form = (properties: object, required: string[] = []) => ({
  requestBody: {
    content: { "application/x-www-form-urlencoded": { schema: { type: "object", required, properties } } },
  },
});
const scheme = {
  slackAuth: { type: "oauth2", flows: { authorizationCode: { tokenUrl: "https://id.example/token" } } },
};
const keyScheme = { theKey: { type: "apiKey", in: "header", name: "X-Shop" } };

/** The inputs that are left of an operation, and its secrets. */
function madeOf(operation: object, where: object = {}) {
  const { endpoints, secrets = {} } = manifestOf(oneOperation(operation as never, where as never));
  const [endpoint] = Object.values(endpoints) as { input?: Record<string, { properties: object }>; http?: object }[];
  const fields = Object.values(endpoint?.input ?? {}).flatMap(({ properties }) => Object.keys(properties));
  return { fields, secrets: Object.keys(secrets as object), endpoint };
}

describe("a key that a document asks of its callers is a secret", () => {
  test.each<[string, object, object]>([
    ["a header of the vendor's own name", { parameters: [param("header", "X-ListenAPI-Key")] }, {}],
    ["a token in the query", { parameters: [param("query", "auth_token")] }, {}],
    ["a name that says nothing, by its description", { parameters: [param("query", "k", "Your API key.")] }, {}],
    [
      "a token by its description",
      { parameters: [param("header", "token", "Authentication token. Requires scope: `x`")] },
      {},
    ],
    ["a key in the path", { parameters: [param("path", "apiKey")] }, { path: "/v1/{apiKey}/search" }],
    [
      "a key in the path by its description",
      { parameters: [param("path", "key", "Your API key")] },
      { path: "/{key}/search" },
    ],
    ["a key in the path that nobody declared", {}, { path: "/v1/{api_key}/search" }],
    [
      "a field of a form",
      form({ token: { ...text, description: "Authentication token" } }, ["token"]),
      { method: "post" },
    ],
    [
      "one that a declared scheme names, though no operation uses it",
      { parameters: [param("header", "X-Shop")] },
      { components: { securitySchemes: keyScheme } },
    ],
  ])("%s", (_, operation, where) => {
    const { fields, secrets } = madeOf(operation, where);

    expect([fields, secrets]).toEqual([[], ["key"]]);
  });

  test.each<[string, object, object, string]>([
    ["a key of a store", { parameters: [param("path", "key", "Name of the entry")] }, { path: "/store/{key}" }, "key"],
    ["a key that is looked up", { parameters: [param("path", "key", "The API key")] }, { path: "/keys/{key}" }, "key"],
    ["an API key that is revoked", { parameters: [param("query", "id", "API key to revoke")] }, {}, "id"],
    ["a key by its id", { parameters: [param("query", "api_key_id", "Id of the API key")] }, {}, "api_key_id"],
    ["a translation", { parameters: [param("query", "key", "Key of the translation")] }, {}, "key"],
    ["a page", { parameters: [param("query", "pageToken", "Token of the next page")] }, {}, "pageToken"],
    ["the next page", { parameters: [param("query", "next_token")] }, {}, "next_token"],
    ["a CSRF token", { parameters: [param("header", "X-CSRF-Token")] }, {}, "X-CSRF-Token"],
    [
      "a token that is asked about",
      { parameters: [param("query", "access_token")] },
      { path: "/oauth/tokeninfo" },
      "access_token",
    ],
    ["a push token", { parameters: [param("query", "device_token", "Token of the phone")] }, {}, "device_token"],
    ["a sort key", { parameters: [param("query", "sort_key")] }, {}, "sort_key"],
    [
      "the key of an integration that is set up",
      {
        requestBody: {
          content: {
            "application/json": {
              schema: { type: "object", properties: { api_key: { ...text, description: "The API key of the shop" } } },
            },
          },
        },
      },
      { method: "post", path: "/integrations" },
      "api_key",
    ],
  ])("%s is an input", (_, operation, where, field) => {
    const { fields, secrets } = madeOf(operation, where);

    expect([fields, secrets]).toEqual([[field], []]);
  });
});

test("a token beside the login of a scheme is sent from the same secret, and left out where it may be", () => {
  const where = { components: { securitySchemes: scheme } };
  const security = [{ slackAuth: [] }];

  const needed = manifestOf(
    oneOperation({ security, parameters: [param("query", "token", "Authentication token")] }, where),
  );
  const spare = manifestOf(oneOperation({ security, parameters: [param("query", "access_token", "", false)] }, where));

  expect(Object.keys(needed.secrets)).toEqual(["token"]);
  expect(needed.http.auth).toEqual([
    { type: "bearer", token: "${secret.token}" },
    { type: "apiKey", in: "query", name: "token", value: "${secret.token}" },
  ]);
  expect(spare.http.auth).toEqual({ type: "bearer", token: "${secret.token}" });
  expect([needed.endpoints["/pets"].input, spare.endpoints["/pets"].input]).toEqual([undefined, undefined]);
});

test("two credentials of one document are two secrets, and one that is not always needed is optional", () => {
  const document = openApi({
    "/words": { get: { parameters: [param("header", "api_key", "", false)] } },
    "/lists": { get: { parameters: [param("header", "api_key"), param("header", "auth_token", "", false)] } },
  });

  const { secrets, endpoints, http } = manifestOf(document);

  expect(Object.entries(secrets as object).map(([name, secret]) => [name, secret.optional])).toEqual([
    ["key", undefined],
    ["auth_token", true],
  ]);
  expect(JSON.stringify([http, endpoints])).not.toContain("queryParams");
});

test("keys reach the vendor from the operator's secrets, in the path, a form, a header, and are shown to nobody", async () => {
  await using provider = await startFakeProvider();
  provider.on("GET /*", { json: [] });
  provider.on("POST /*", { json: [] });
  const document = openApi({
    "/v1/{apiKey}/search": { get: { parameters: [param("path", "apiKey"), param("query", "q")] } },
    "/post": {
      post: form({ token: { ...text, description: "Authentication token" }, note: text }, ["token"]),
      get: { parameters: [param("header", "X-ListenAPI-Key")] },
    },
  });
  const { manifest } = convert(document, { choices: { slug: "shop", baseUrl: provider.url } });
  const names = Object.values(manifest["secrets"] as Record<string, { env: string }>).map(({ env }) => env);
  const values = Object.fromEntries(names.map((env, index) => [env, `value-${index}/x`]));
  await using daemon = await startTestDaemon({
    manifests: { shop: manifest },
    allowPrivateHosts: [provider.host],
    environment: values,
  });

  const run = (endpoint: string, input: object) =>
    daemon.request("POST", "/v1/run", { provider: "shop", endpoint, input });
  const answers = [
    await run("/v1/{apiKey}/search", { q: "rex" }),
    await run("/post/create", { note: "hi" }),
    await run("/post", {}),
  ];

  expect(answers.map(({ body }) => (body as { status: string }).status)).toEqual(Array(3).fill("COMPLETED"));
  expect(provider.calls.map(({ url, text: sent }) => [url, sent])).toEqual([
    ["/v1/value-0%2Fx/search?q=rex", ""],
    ["/post", expect.stringContaining("token=value-1")],
    ["/post", ""],
  ]);
  expect(provider.calls[2]?.headers["x-listenapi-key"]).toBe("value-2/x");
  expect(JSON.stringify(answers)).not.toContain("value-");
});
