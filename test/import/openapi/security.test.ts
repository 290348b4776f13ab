import { describe, expect, test } from "vitest";
import { convert, type Json, manifestOf, openApi } from "./import-document.ts";

const schemes = {
  query: { type: "apiKey", in: "query", name: "k" },
  header: { type: "apiKey", in: "header", name: "X-Key" },
  bearer: { type: "http", scheme: "Bearer" },
  basic: { type: "http", scheme: "basic" },
  digest: { type: "http", scheme: "digest" },
  machine: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "https://id.example/token", scopes: {} } } },
  person: { type: "oauth2", flows: { authorizationCode: { tokenUrl: "https://id.example/token" } } },
  openid: { type: "openIdConnect", openIdConnectUrl: "https://id.example" },
  mutual: { type: "mutualTLS" },
  kubernetes: { type: "apiKey", in: "header", name: "authorization", description: "Bearer Token authentication" },
};

function secured(security: unknown, more: Json = {}) {
  return openApi({ "/pets": { get: { security, ...more } } }, { components: { securitySchemes: schemes } });
}

describe("who calls", () => {
  test.each<[string, unknown, unknown]>([
    ["a key in the query", [{ query: [] }], { type: "apiKey", in: "query", name: "k", value: "${secret.key}" }],
    ["a bearer token", [{ bearer: [] }], { type: "bearer", token: "${secret.token}" }],
    ["a key that is a bearer token by its words", [{ kubernetes: [] }], { type: "bearer", token: "${secret.token}" }],
    [
      "a name and a password",
      [{ basic: [] }],
      { type: "basic", username: "${secret.username}", password: "${secret.password}" },
    ],
    [
      "client credentials with the scopes of the operation",
      [{ machine: ["pets:read", "pets:write"] }],
      {
        type: "clientCredentials",
        tokenUrl: "https://id.example/token",
        clientId: "${secret.clientId}",
        clientSecret: "${secret.clientSecret}",
        scope: "pets:read pets:write",
      },
    ],
    ["a login of a person", [{ person: [] }], { type: "bearer", token: "${secret.token}" }],
    ["OpenID Connect", [{ openid: [] }], { type: "bearer", token: "${secret.token}" }],
    [
      "the simplest of several",
      [{ basic: [] }, { machine: [] }, { header: [] }],
      { type: "apiKey", in: "header", name: "X-Key", value: "${secret.key}" },
    ],
    [
      "what can be done among what cannot",
      [{ mutual: [] }, { bearer: [] }],
      { type: "bearer", token: "${secret.token}" },
    ],
    [
      "two at once",
      [{ query: [], basic: [] }],
      [
        { type: "apiKey", in: "query", name: "k", value: "${secret.key}" },
        { type: "basic", username: "${secret.username}", password: "${secret.password}" },
      ],
    ],
    ["nobody in particular", [], undefined],
  ])("%s", (_, security, auth) => {
    const manifest = manifestOf(secured(security));

    expect(manifest.http.auth).toEqual(auth);
    expect(manifest.endpoints["/pets"].enabled).toBeUndefined();
  });

  test.each<[string, unknown, string]>([
    ["digest", [{ digest: [] }], "HTTP authentication of the kind digest"],
    ["a client certificate", [{ mutual: [] }], "of the kind mutualTLS"],
    ["a scheme that is declared nowhere", [{ ghost: [] }], "ghost is declared nowhere"],
    ["two tokens in one header", [{ bearer: [], basic: [] }], "two values in the header Authorization"],
  ])("an endpoint that cannot prove it is off, and says why: %s", (_, security, words) => {
    const { manifest } = convert(secured(security));

    expect(manifest.endpoints["/pets"]).toMatchObject({
      enabled: false,
      disabledReason: expect.stringContaining(words) as string,
    });
  });

  test("a key that is not always needed is an optional secret", () => {
    const manifest = manifestOf(secured([{}, { header: [] }]));

    expect(manifest.secrets.key).toEqual({ env: "PETS_KEY", description: "API key", optional: true });
    expect(manifest.http.auth.type).toBe("apiKey");
  });

  test("what most operations need stands with the provider, what others need with them", () => {
    const document = openApi(
      {
        "/a": { get: {} },
        "/b": { get: {} },
        "/c": { get: { security: [] } },
        "/d": { get: { security: [{ basic: [] }] } },
      },
      { security: [{ bearer: [] }], components: { securitySchemes: schemes } },
    );

    const { http, endpoints, secrets } = manifestOf(document);

    expect(http.auth.type).toBe("bearer");
    expect(endpoints["/a"].http).toBeUndefined();
    expect(endpoints["/c"].http).toEqual({ auth: { type: "none" } });
    expect(endpoints["/d"].http.auth.type).toBe("basic");
    expect(Object.keys(secrets)).toEqual(["token", "username", "password"]);
  });

  describe("a person's login", () => {
    const [authorizationUrl, tokenUrl] = ["https://id.example/login", "https://id.example/token"];
    const login = {
      type: "oauth2",
      flow: "authorizationCode",
      authorizationUrl,
      tokenUrl,
      clientId: "${secret.clientId}",
      clientSecret: "${secret.clientSecret}",
    };
    const code = { type: "oauth2", flows: { authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl } } };
    const elsewhere = {
      type: "oauth2",
      flows: { authorizationCode: { authorizationUrl: "https://other.example/login", tokenUrl } },
    };
    const plain = { type: "oauth2", flows: { authorizationCode: { authorizationUrl, tokenUrl: "http://id.example" } } };
    const implicit = { type: "oauth2", flows: { implicit: { authorizationUrl } } };
    const securitySchemes = { code, again: code, elsewhere, plain, implicit };
    const authOf = (security: unknown) =>
      manifestOf(openApi({ "/a": { get: { security } } }, { components: { securitySchemes } })).http.auth;

    test("is one, with the scopes of the operation", () => {
      expect(authOf([{ code: ["read", "write"] }])).toEqual({ ...login, scope: "read write" });
    });

    test("goes before another flow of the same login", () => {
      expect(authOf([{ implicit: [], code: [] }])).toEqual(login);
      expect(authOf([{ implicit: [] }, { code: [] }])).toEqual(login);
    });

    test.each<[string, unknown]>([
      ["that is not always needed", [{}, { code: [] }]],
      ["without https", [{ plain: [] }]],
    ])("%s is a token as a secret", (_, security) => {
      expect(authOf(security)).toEqual({ type: "bearer", token: "${secret.token}" });
    });

    test("is one for a file: the same addresses are the same, and others are a token", () => {
      const paths = {
        "/a": { get: { security: [{ code: [] }] } },
        "/b": { get: { security: [{ again: [] }] } },
        "/c": { get: { security: [{ elsewhere: [] }] } },
      };
      const { http, endpoints, secrets } = manifestOf(openApi(paths, { components: { securitySchemes } }));

      expect(http.auth).toEqual(login);
      expect(endpoints["/b"].http).toBeUndefined();
      expect(endpoints["/c"].http.auth.type).toBe("bearer");
      expect(Object.keys(secrets).sort()).toEqual(["clientId", "clientSecret", "token"]);
    });

    test("of version 2.0", () => {
      const { http } = manifestOf({
        swagger: "2.0",
        host: "pets.example",
        info: { title: "Pets" },
        paths: { "/a": { get: { security: [{ code: ["read"] }] } } },
        securityDefinitions: { code: { type: "oauth2", flow: "accessCode", authorizationUrl, tokenUrl } },
      });

      expect(http.auth).toEqual({ ...login, scope: "read" });
    });
  });

  test("the schemes of version 2.0", () => {
    const document = {
      swagger: "2.0",
      host: "pets.example",
      info: { title: "Pets" },
      paths: { "/a": { get: { security: [{ app: ["read"] }] } }, "/b": { get: { security: [{ basic: [] }] } } },
      securityDefinitions: {
        app: { type: "oauth2", flow: "application", tokenUrl: "https://id.example/token", scopes: {} },
        basic: { type: "basic" },
      },
    };

    const { http, endpoints } = manifestOf(document);

    expect(http.auth).toMatchObject({ type: "clientCredentials", scope: "read" });
    expect(endpoints["/b"].http.auth.type).toBe("basic");
  });
});

describe("a key that is a plain parameter", () => {
  const parameter = (name: string, description = "", required = true) => ({
    name,
    in: "query",
    required,
    description,
    schema: { type: "string" },
  });

  test.each<[string, object, boolean]>([
    ["by its name", parameter("api_key"), true],
    ["by its name and its words", parameter("key", "Your API key"), true],
    ["by the words of a token", parameter("token", "Access token from the console"), true],
    ["a key of a map is none", parameter("key", "Name of the entry to read"), false],
    ["a page token is none", parameter("pageToken", "Token of the next page"), false],
  ])("%s", (_, written, isSecret) => {
    const manifest = manifestOf(secured(undefined, { parameters: [written] }));

    expect(manifest.secrets !== undefined).toBe(isSecret);
    expect(manifest.endpoints["/pets"].input === undefined).toBe(isSecret);
  });

  test("one that is not needed is an optional secret", () => {
    const manifest = manifestOf(secured(undefined, { parameters: [parameter("apikey", "", false)] }));

    expect(manifest.secrets.key.optional).toBe(true);
  });

  test("one that a security scheme names already is sent once", () => {
    const manifest = manifestOf(secured([{ query: [] }], { parameters: [parameter("k")] }));

    expect(manifest.endpoints["/pets"].input).toBeUndefined();
  });
});
