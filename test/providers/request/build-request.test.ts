import { describe, expect, test } from "vitest";
import { type BuiltRequest, buildRequest, checkCallable } from "../../../daemon/providers/request/build-request.ts";
import type { InputSections } from "../../../daemon/manifest/input-sections.ts";
import { entryOf } from "../../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

interface Card {
  readonly http?: string;
  readonly request?: string;
  readonly secrets?: string;
}

function card({ http = "", request = "{method: GET, path: /items}", secrets = "{}" }: Card) {
  return entryOf(`
mkt: 1
provider: vendor
secrets: ${secrets}
http: {baseUrl: "https://api.vendor.example/base", ${http}}
endpoints:
  /items:
    request: ${request}
    price: {type: PER_CALL, amount: 0}
`);
}

function build(parts: Card, input: InputSections = {}, secrets: Record<string, string> = {}): BuiltRequest {
  const entry = card(parts);
  const scope = { secrets, input, runId };
  return buildRequest({ entry, call: entry.request, baseUrl: entry.http.baseUrl, scope, callerInput: input });
}

const oneSecret = "{key: {env: VENDOR_KEY}, name: {env: VENDOR_NAME}}";
const secretValues = { key: "k/ y", name: "me" };

describe("credentials", () => {
  test.each([
    ["bearer", 'auth: {type: bearer, token: "${secret.key}"}', { authorization: "Bearer k/ y" }],
    [
      "basic",
      'auth: {type: basic, username: "${secret.name}", password: "${secret.key}"}',
      { authorization: `Basic ${Buffer.from("me:k/ y").toString("base64")}` },
    ],
    [
      "apiKey in a header",
      'auth: {type: apiKey, in: header, name: X-Key, value: "${secret.key}"}',
      { "x-key": "k/ y" },
    ],
    [
      "apiKey in a cookie",
      'auth: {type: apiKey, in: cookie, name: sid, value: "${secret.key}"}',
      { cookie: "sid=k/ y" },
    ],
  ])("%s goes into the headers", (_, http, headers) => {
    const request = build({ http, secrets: oneSecret }, {}, secretValues);

    expect(request.headers).toMatchObject(headers);
  });

  test("apiKey in the query comes last and is encoded", () => {
    const http = 'auth: {type: apiKey, in: query, name: key, value: "${secret.key}"}';

    const request = build({ http, secrets: oneSecret }, { queryParams: { q: "a b" } }, secretValues);

    expect(request.url.href).toBe("https://api.vendor.example/base/items?q=a%20b&key=k%2F%20y");
  });

  test("apiKey in the body is a field of it", () => {
    const http = 'auth: {type: apiKey, in: body, name: key, value: "${secret.key}"}';

    const request = build({ http, secrets: oneSecret, request: "{method: POST, path: /items}" }, {}, secretValues);

    expect(request.body).toBe('{"key":"k/ y"}');
  });

  test("several kinds add to each other", () => {
    const http =
      'auth: [{type: apiKey, in: header, name: X-Key, value: "${secret.key}"}, {type: apiKey, in: query, name: user, value: "${secret.name}"}]';

    const request = build({ http, secrets: oneSecret }, {}, secretValues);

    expect(request.headers["x-key"]).toBe("k/ y");
    expect(request.url.search).toBe("?user=me");
  });

  test("an optional secret that is not set leaves its auth and its header out", () => {
    const http = 'auth: {type: bearer, token: "${secret.key}"}, headers: {X-Key: "${secret.key}"}';

    const request = build({ http, secrets: "{key: {env: VENDOR_KEY, optional: true}}" });

    expect(Object.keys(request.headers)).not.toContain("authorization");
    expect(Object.keys(request.headers)).not.toContain("x-key");
  });
});

describe("a query", () => {
  test.each([
    ["repeat", "?tag=a&tag=b%20c"],
    ["comma", "?tag=a,b%20c"],
    ["brackets", "?tag%5B%5D=a&tag%5B%5D=b%20c"],
  ])("spells a list by %s", (style, search) => {
    const request = build({ http: `query: {arrays: ${style}}` }, { queryParams: { tag: ["a", "b c"] } });

    expect(request.url.search).toBe(search);
  });

  test("keeps fixed parameters under the caller's, leaves null out and spells an object by its members", () => {
    const call = "{method: GET, path: /items, queryParams: {limit: '100', v: 2, who: '${run.id}'}}";

    const request = build({ request: call }, { queryParams: { limit: 5, none: null, near: { lat: 1.5 }, on: true } });

    expect(request.url.search).toBe(`?limit=5&v=2&who=${runId}&near%5Blat%5D=1.5&on=true`);
  });
});

describe("a body", () => {
  test("has the caller's fields over the fixed ones at every depth, and templates in fixed strings only", () => {
    const call =
      "{method: POST, path: /items, body: {source: mkt, options: {deep: true, limit: 1}, id: '${input.pathParams.id}', tags: ['${run.id}']}}";
    const input = { pathParams: { id: 7 }, body: { options: { limit: 9 }, text: "${secret.key}" } };

    const request = build({ request: call }, input);

    expect(JSON.parse(String(request.body))).toEqual({
      source: "mkt",
      options: { deep: true, limit: 9 },
      id: 7,
      tags: [runId],
      text: "${secret.key}",
    });
  });

  test("is a form when the card says so", () => {
    const request = build(
      { request: "{method: POST, path: /items, encoding: form}" },
      { body: { a: "x y", b: [1, 2] } },
    );

    expect(request.body).toBe("a=x+y&b=1&b=2");
    expect(request.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  });

  test("keeps the content type that the card sets", () => {
    const call = "{method: POST, path: /items, headers: {Content-Type: application/vnd.api+json}}";

    const request = build({ request: call }, { body: { a: 1 } });

    expect(request.headers["content-type"]).toBe("application/vnd.api+json");
  });

  test("is left out when there is nothing to say, or the encoding is none", () => {
    expect(build({ request: "{method: POST, path: /items}" }).body).toBeUndefined();
    expect(build({ request: "{method: POST, path: /items, encoding: none}" }, { body: { a: 1 } }).body).toBeUndefined();
  });
});

describe("a whole address", () => {
  const elsewhere = (url: string, http = "") =>
    build(
      {
        http: `${http} headers: {X-Key: "\${secret.key}", X-Plain: hello}, auth: {type: bearer, token: "\${secret.key}"}`,
        secrets: oneSecret,
        request: `{method: GET, url: "${url}"}`,
      },
      {},
      secretValues,
    );

  test("at an allowed host is called without any credentials", () => {
    const request = elsewhere("https://files.vendor.example/x", "allowHosts: [files.vendor.example],");

    expect(request.url.href).toBe("https://files.vendor.example/x");
    expect(request.headers).not.toHaveProperty("authorization");
    expect(request.headers).not.toHaveProperty("x-key");
    expect(request.headers["x-plain"]).toBe("hello");
  });

  test("at the provider's own origin has the credentials", () => {
    expect(elsewhere("https://api.vendor.example/other").headers["authorization"]).toBe("Bearer k/ y");
  });

  test.each([
    ["https://eu.files.vendor.example/x", true],
    ["https://a.b.files.vendor.example/x", true],
    ["https://files.vendor.example/x", false],
    ["https://evilfiles.vendor.example/x", false],
    ["https://eu.files.vendor.example:444/x", false],
  ])("%s is below *.files.vendor.example: %s", (url, isBelow) => {
    const request = () => elsewhere(url, "allowHosts: ['*.files.vendor.example'],");

    if (isBelow) expect(request().url.href).toBe(url);
    else expect(request).toThrow("allowHosts");
  });

  test.each([
    "https://evil.example/x",
    "https://files.vendor.example:444/x",
    "https://a:b@files.vendor.example/x",
    "not a url",
  ])("%s is refused", (url) => {
    expect(() => elsewhere(url, "allowHosts: [files.vendor.example],")).toThrow(/allowHosts|not a web address/);
  });

  test("at another host never carries a secret of the query", () => {
    const request = '{method: GET, url: "https://files.vendor.example/x", queryParams: {k: "${secret.key}"}}';

    expect(() =>
      build({ http: "allowHosts: [files.vendor.example]", request, secrets: oneSecret }, {}, secretValues),
    ).toThrow("another host");
  });
});

describe("an input that could never be sent", () => {
  const path = "{method: GET, path: '/items/{id}'}";

  test.each([
    ["is missing", {}, "pathParams.id is needed"],
    ["is empty", { pathParams: { id: "" } }, "pathParams.id goes into the path"],
    ["is two dots", { pathParams: { id: ".." } }, "pathParams.id goes into the path"],
    ["has a control character", { pathParams: { id: "a\nb" } }, "control characters"],
    ["is an empty list", { pathParams: { id: [] } }, "must not be empty"],
    ["is a list of lists", { pathParams: { id: [["a"]] } }, "hold text and numbers alone"],
    ["has two dots among others", { pathParams: { id: ["a", ".."] } }, 'must not be empty, "." or ".."'],
    ["is half a character", { pathParams: { id: "\ud800" } }, "not valid Unicode"],
  ])("because its path value %s is refused before anything is held, by its name", (_, input, message) => {
    const entry = card({ request: path });

    expect(() => checkCallable(entry, input)).toThrow(expect.objectContaining({ kind: "invalidInput" }));
    expect(() => checkCallable(entry, input)).toThrow(message);
  });

  test.each([
    ["leads to a host that is not allowed", "evil", "leads to evil.example"],
    ["is no web address", "a b", "is not a web address"],
  ])("because the address made of it %s is refused before anything is held", (_, host, message) => {
    const entry = card({ request: '{method: GET, url: "https://${input.queryParams.host}.example/x"}' });
    const input = { queryParams: { host } };

    expect(() => checkCallable(entry, input)).toThrow(expect.objectContaining({ kind: "invalidInput" }));
    expect(() => checkCallable(entry, input)).toThrow(message);
  });

  test("is told without any secret being needed", () => {
    const http = 'auth: {type: bearer, token: "${secret.key}"}';

    expect(() =>
      checkCallable(card({ http, secrets: oneSecret, request: path }), { pathParams: { id: "a" } }),
    ).not.toThrow();
  });
});

describe("the body that was built before anything is held", () => {
  const post = (body: string, more = "") => `{method: POST, path: /items, body: ${body}${more}}`;
  const input = { queryParams: { id: "a" }, body: { text: "b" } };

  test.each([
    ["is fixed", post("{source: mkt}"), ""],
    ["has values of the input", post("{source: '${input.queryParams.id}'}"), ""],
    ["is a form", post("{source: mkt}", ", encoding: form"), ""],
    ["is a multipart form", post("{source: mkt}", ", encoding: multipart"), ""],
    ["goes beside credentials in a header", post("{}"), 'auth: {type: bearer, token: "${secret.key}"}'],
    ["has a type that the file says", post("{}", ", headers: {content-type: application/x-json}"), ""],
  ])("is that of the call, where it %s", (_, request, http) => {
    const entry = card({ request, http, secrets: oneSecret });
    const facts = { entry, call: entry.request, baseUrl: entry.http.baseUrl, callerInput: input };
    const scope = { secrets: secretValues, input, runId: "01BX5ZZKBKACTAV9WEVGEMMVS0" };

    const body = checkCallable(entry, input);

    expect(body).toBeDefined();
    expect(buildRequest({ ...facts, scope, ...(body && { body }) })).toEqual(buildRequest({ ...facts, scope }));
  });

  test.each([
    ["a secret is part of it", post("{key: '${secret.key}'}"), ""],
    ["the id of the run is part of it", post("{tags: ['${run.id}']}"), ""],
    ["credentials are part of it", post("{}"), 'auth: {type: apiKey, in: body, name: key, value: "${secret.key}"}'],
  ])("is not kept where %s", (_, request, http) => {
    expect(checkCallable(card({ request, http, secrets: oneSecret }), input)).toBeUndefined();
  });
});
