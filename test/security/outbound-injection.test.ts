import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/errors.ts";
import { FieldStyle } from "../../daemon/manifest/manifest.ts";
import { buildRequest, checkCallable } from "../../daemon/providers/request/build-request.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";
import { anyText } from "../support/any-text.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };

const byPath = (baseUrl: string) =>
  entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${baseUrl}", allowPrivateNetwork: true}
endpoints:
  /items/{id}:
    request: {method: GET, path: "/v1/items/{id}/parts"}
    price: {type: PER_CALL, amount: 0}
`);

/** Beside the path parameter one header parameter and one parameter of the query, each with a style. */
const byStyle = (style: FieldStyle) =>
  entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "https://api.vendor.example/base"}
endpoints:
  /items/{id}:
    request:
      method: GET
      path: "/v1/items/{id}/parts"
      headers: {X-Tags: "\${input.queryParams.tags}"}
      styles: {id: pairs, tags: json, v: ${style}}
    price: {type: PER_CALL, amount: 0}
`);

const byHeader = (baseUrl: string) =>
  entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${baseUrl}", allowPrivateNetwork: true}
endpoints:
  /items:
    request: {method: GET, path: /items, headers: {X-City: "in \${input.queryParams.city}"}}
    price: {type: PER_CALL, amount: 0}
`);

/** Texts as attackers write them, among all others. */
const hostile = fc.oneof(
  anyText(),
  fc.string({
    unit: fc.constantFrom(".", "/", "\\", "%", "2", "e", "f", "?", "#", "@", ":", "\r", "\n", "\0", " ", "a"),
  }),
);

function refusal(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

/** What callers may put where lists and objects are spelled out. */
const structure = fc.oneof(
  hostile,
  fc.array(hostile, { maxLength: 4 }),
  fc.dictionary(hostile, hostile, { maxKeys: 4 }),
  fc.dictionary(hostile, fc.array(hostile, { maxLength: 2 }), { maxKeys: 2 }),
);

describe("lists and objects", () => {
  test.each(FieldStyle.options)("spelled by %s never leave the place that the manifest gives them", (style) => {
    const entry = byStyle(style);

    fc.assert(
      fc.property(structure, structure, structure, (id, tags, v) => {
        const input = { pathParams: { id }, queryParams: { tags, v } };
        const scope = { secrets: {}, input, runId };
        const built = refusal(() =>
          buildRequest({ entry, call: entry.request, baseUrl: entry.http.baseUrl, scope, callerInput: input }),
        );

        if (built instanceof Error) {
          expect(built).toMatchObject({ kind: "invalidInput" });
          return;
        }
        const { url, headers } = built as { url: URL; headers: Record<string, string> };
        expect(url.origin).toBe("https://api.vendor.example");
        expect(url.pathname).toMatch(/^\/base\/v1\/items\/[^/]+\/parts$/);
        expect(url.hash).toBe("");
        expect(url.href).toBe(new URL(url.href).href);
        expect(headers["x-tags"]).toMatch(/^[\t -~\u0080-\u00ff]*$/);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a path parameter", () => {
  test("of any text is refused with a 400 or stays one encoded segment at the declared address", () => {
    const entry = byPath("https://api.vendor.example/base");

    fc.assert(
      fc.property(hostile, (id) => {
        const input = { pathParams: { id } };
        const scope = { secrets: {}, input, runId };
        const built = refusal(() =>
          buildRequest({ entry, call: entry.request, baseUrl: entry.http.baseUrl, scope, callerInput: input }),
        );

        if (built instanceof Error) {
          expect(built).toMatchObject({ kind: "invalidInput" });
          return;
        }
        const { url } = built as { url: URL };
        const segments = url.pathname.split("/");
        expect(url.origin).toBe("https://api.vendor.example");
        expect(url.pathname.startsWith("/base/v1/items/")).toBe(true);
        expect(segments).toHaveLength(6);
        expect(decodeURIComponent(segments[4] ?? "")).toBe(id);
        expect(url.search + url.hash).toBe("");
      }),
      { numRuns: 3_000 },
    );
  });

  test.each(["", ".", "..", "a\u0000", "a\r\nb", "\u0085"])("%j is refused by its name", (id) => {
    expect(() => checkCallable(byPath("https://api.vendor.example"), { pathParams: { id } })).toThrow(ApiError);
    expect(() => checkCallable(byPath("https://api.vendor.example"), { pathParams: { id } })).toThrow("pathParams.id");
  });

  test.each(["%2e%2e", "a/b", "?x", "#", "\\", "//evil.example", "..;", "a?b=c", "http://evil.example", "...", "%00"])(
    "%s reaches the provider as one segment",
    async (id) => {
      await using vendor = await startFakeProvider();
      await using provider = openHttpProvider([vendor.host]);
      vendor.on("GET /v1/*", { json: {} });

      await provider.start({ runId, entry: byPath(vendor.url), input: { pathParams: { id } } }, anyTime);

      expect(vendor.calls.map((call) => call.url)).toEqual([`/v1/items/${encodeURIComponent(id)}/parts`]);
    },
  );

  test.each(["/v1/../admin", "/v1/%2e%2e/admin", "/v1/./x"])("of the file's own path %s cannot fold either", (path) => {
    const entry = byPath("https://api.vendor.example/base");
    const call = { method: "GET", path } as const;

    expect(() =>
      buildRequest({ entry, call, baseUrl: entry.http.baseUrl, scope: { secrets: {}, input: {}, runId } }),
    ).toThrow("leave the address");
  });
});

describe("a caller's value in a header", () => {
  test("of any text is refused with a 400, or the provider sees one request with the same other headers", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("GET /items", { json: {} });
    const entry = byHeader(vendor.url);
    const names = ["accept", "accept-encoding", "connection", "host", "user-agent", "x-city"];

    await fc.assert(
      fc.asyncProperty(hostile, async (city) => {
        const before = vendor.calls.length;
        const input = { queryParams: { city } };
        const outcome = await provider.start({ runId, entry, input }, anyTime).catch((error: unknown) => error);
        const calls = vendor.calls.slice(before);

        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ kind: "invalidInput" });
          expect(calls).toHaveLength(0);
          return;
        }
        expect(calls).toHaveLength(1);
        expect(Object.keys(calls[0]?.headers ?? {}).sort()).toEqual(names);
        expect(calls[0]?.headers["host"]).toBe(vendor.host);
      }),
      { numRuns: 300 },
    );
  });

  test("with line breaks is refused by its name", () => {
    const input = { queryParams: { city: "Lisbon\r\nX-Evil: 1" } };

    expect(() => checkCallable(byHeader("https://api.vendor.example"), input)).toThrow("queryParams.city");
  });
});

describe("a card", () => {
  test.each(["Host", "Content-Length", "Transfer-Encoding", "Connection"])("cannot set the header %s", (name) => {
    const entry = byPath("https://api.vendor.example");
    const call = { method: "GET", path: "/x", headers: { [name]: "x" } } as const;

    expect(() =>
      buildRequest({ entry, call, baseUrl: entry.http.baseUrl, scope: { secrets: {}, input: {}, runId } }),
    ).toThrow("belongs to the connection");
  });

  test("cannot make its credentials from a caller's input", () => {
    const entry = byPath("https://api.vendor.example");
    const call = { method: "GET", path: "/x", headers: { Authorization: "${input.queryParams.a}" } } as const;
    const scope = { secrets: {}, input: { queryParams: { a: "x" } }, runId };

    expect(() => buildRequest({ entry, call, baseUrl: entry.http.baseUrl, scope })).toThrow("caller's input");
  });
});

describe("names that reach into every object", () => {
  test("in a caller's body go to the provider as plain data and nowhere else", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host]);
    vendor.on("POST /items", { json: {} });
    const entry = entryOf(`
mkt: 1
provider: vendor
http: {baseUrl: "${vendor.url}", allowPrivateNetwork: true}
endpoints:
  /items:
    request: {method: POST, path: /items, body: {options: {a: 1}}}
    price: {type: PER_CALL, amount: 0}
`);
    const text =
      '{"__proto__":{"polluted":1},"options":{"__proto__":{"polluted":2},"constructor":{"prototype":{"polluted":3}}}}';

    await provider.start({ runId, entry, input: { body: JSON.parse(text) as Record<string, unknown> } }, anyTime);

    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(vendor.calls[0]?.text).toContain('"__proto__":{"polluted":1}');
  });

  test("in a provider's answer stay plain data of the output", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets: { key: "long enough" } });
    vendor.on("GET /v1/items/1/parts", {
      text: '{"a":{"__proto__":{"polluted":1}}}',
      headers: { "content-type": "application/json" },
    });
    const entry = byPath(vendor.url);

    const answer = await provider.start(
      { runId, entry: { ...entry, output: { omit: ["b"], media: "auto" } }, input: { pathParams: { id: 1 } } },
      anyTime,
    );

    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(JSON.stringify((answer as { output: unknown }).output)).toBe('{"a":{"__proto__":{"polluted":1}}}');
  });
});
