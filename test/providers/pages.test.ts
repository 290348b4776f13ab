import { describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../daemon/catalog/entries/catalog-entry.ts";
import type { PageLimits, Provider, ProviderAnswer } from "../../daemon/providers/protocol/provider.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { nextLink } from "../../daemon/providers/next-link.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };

/** A list of a provider, with pages as the given lines say. */
function list(
  vendor: Pick<FakeProvider, "url">,
  pages: string,
  { endpoint = "", http = "", request = "", cost = "" } = {},
) {
  return entryOf(`
mkt: 1
provider: vendor
secrets: {key: {env: VENDOR_KEY}}
http:
  baseUrl: "${vendor.url}"
  allowPrivateNetwork: true
  auth: {type: apiKey, in: query, name: key, value: "\${secret.key}"}
  retry: {attempts: 2, backoffMs: 1}
  ${http}
endpoints:
  /list:
    request: {${request === "" ? "method: GET" : request}}
    ${
      endpoint.startsWith("input:")
        ? ""
        : `input:
      queryParams: {properties: {q: {type: string}, after: {type: string}, offset: {type: integer}, page: {type: integer}, limit: {type: integer}}}
      body: {properties: {words: {type: string}, after: {type: string}}}`
    }
    output: {select: $.items}
    usage: {count: $.items${cost}}
    pages: {items: $.items, ${pages}}
    price: {type: PER_CALL, amount: 0.01}
    ${endpoint}
`);
}

async function read(provider: Provider, entry: CatalogEntry, input = {}, reading?: PageLimits) {
  const request = { runId, entry, input, ...(reading && { reading }) };
  return (await provider.start(request, anyTime)) as ProviderAnswer;
}

const secrets = { key: "sk-of-the-vendor" };

/** Answers three pages of two, in the way of the test; the last one names no next. */
const numbered = [
  [1, 2],
  [3, 4],
  [5, 6],
] as const;

describe("a list with pages is read to its end", () => {
  test("by the cursor of each page, with the caller's own parameters on every call", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", ({ query }) => {
      const at = Number(query.get("after") ?? 0);
      return { json: { items: numbered[at], next: at < 2 ? `${at + 1}` : null } };
    });

    const answer = await read(provider, list(vendor, "cursor: $.next, param: after"), { queryParams: { q: "coral" } });

    expect(answer.output).toEqual([1, 2, 3, 4, 5, 6]);
    expect(answer.measured).toEqual({ count: 6, calls: 3 });
    expect(answer.pages).toEqual({ read: 3, more: false });
    expect(answer.notes).toEqual([]);
    expect(vendor.calls.map(({ query }) => [query.get("q"), query.get("after"), query.get("key")])).toEqual([
      ["coral", null, secrets.key],
      ["coral", "1", secrets.key],
      ["coral", "2", secrets.key],
    ]);
  });

  test("by an offset that counts what came, not what was asked for", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    const all = [1, 2, 3, 4, 5];
    vendor.on("GET /list", ({ query }) => {
      const at = Number(query.get("offset") ?? 0);
      return { json: { items: all.slice(at, at + 2) } };
    });

    const answer = await read(provider, list(vendor, "counts: items, param: offset"));

    expect(answer.output).toEqual(all);
    expect(vendor.calls.map(({ query }) => query.get("offset"))).toEqual([null, "2", "4", "5"]);
  });

  test("by numbers, without a call for the empty page where the size of a full one is known", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", ({ query }) => ({
      json: { items: [[1, 2], [3, 4], [5]][Number(query.get("page") ?? 1) - 1] ?? [] },
    }));
    const entry = list(vendor, "counts: pages, param: page, size: input:queryParams.limit");

    const answer = await read(provider, entry, { queryParams: { page: 2, limit: 2 } });

    expect(answer.output).toEqual([3, 4, 5]);
    expect(vendor.calls.map(({ query }) => query.get("page"))).toEqual(["2", "3"]);
  });

  test("by the Link header, with the key once though the address repeats it", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", {
      json: { items: [1] },
      headers: { link: `</list/2?key=${secrets.key}&cut=a,b>; rel="next last", </list>; rel=first` },
    });
    vendor.on("GET /list/2", { json: { items: [2] }, headers: { link: '</list>; title="a; rel=next"; rel=first' } });

    const answer = await read(provider, list(vendor, "next: header:link"), { queryParams: { q: "coral" } });

    expect(answer.output).toEqual([1, 2]);
    expect(vendor.calls.map(({ url }) => url)).toEqual([
      `/list?q=coral&key=${secrets.key}`,
      `/list/2?cut=a%2Cb&key=${secrets.key}`,
    ]);
  });

  test("by a cursor in the body of a POST", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /list", ({ json }) => ({
      json: json.after === undefined ? { items: [1], next: "n2" } : { items: [2] },
    }));
    const entry = list(vendor, "cursor: $.next, param: after, in: body", { request: "method: POST" });

    const answer = await read(provider, entry, { body: { words: "coral" } });

    expect(answer.output).toEqual([1, 2]);
    expect(vendor.calls.map(({ json }) => json as unknown)).toEqual([
      { words: "coral" },
      { words: "coral", after: "n2" },
    ]);
  });

  test("by a cursor at a path of the body, beside what the file and the caller say there", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /list", ({ json }) => ({
      json: json.page.cursor === undefined ? { items: [1], next: "n2" } : { items: [2], next: "n3" },
    }));
    const entry = list(vendor, "cursor: $.next, param: page.cursor, in: body, max: 2", {
      request: "method: POST, body: {page: {size: 50}}",
      endpoint: "input: {body: {properties: {page: {properties: {sort: {type: string}, cursor: {type: string}}}}}}",
    });

    const answer = await read(provider, entry, { body: { page: { sort: "up" } } });

    expect(answer.output).toEqual([1, 2]);
    expect(vendor.calls.map(({ json }) => json as unknown)).toEqual([
      { page: { size: 50, sort: "up" } },
      { page: { size: 50, sort: "up", cursor: "n2" } },
    ]);
    expect(answer.pages).toEqual({
      read: 2,
      more: true,
      stoppedBy: "maxPages",
      next: { body: { page: { cursor: "n3" } } },
    });
  });

  test("by an offset at a path of the body, which begins where the caller says", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /list", ({ json }) => ({ json: { items: json.page?.from === 6 ? [7] : [5, 6] } }));
    const entry = list(vendor, "counts: items, param: page.from, in: body, size: 2", {
      request: "method: POST",
      endpoint: "input: {body: {properties: {page: {properties: {from: {type: integer}}}}}}",
    });

    const answer = await read(provider, entry, { body: { page: { from: 4 } } });

    expect(answer.output).toEqual([5, 6, 7]);
    expect(vendor.calls.map(({ json }) => json as unknown)).toEqual([{ page: { from: 4 } }, { page: { from: 6 } }]);
  });

  test("a field of the body whose own name has dots stays one", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("POST /list", ({ json }) => ({
      json: json["page.cursor"] === undefined ? { items: [1], next: "n2" } : { items: [2] },
    }));
    const entry = list(vendor, "cursor: $.next, param: page.cursor, in: body", {
      request: "method: POST",
      endpoint: "input: {body: {properties: {page.cursor: {type: string}}}}",
    });

    expect((await read(provider, entry)).output).toEqual([1, 2]);
  });

  test("until the provider says that there is no more, though it still names a cursor", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on(
      "GET /list",
      { json: { items: [{ id: 7 }], has_more: true } },
      { json: { items: [{ id: 8 }], has_more: false } },
    );

    const answer = await read(provider, list(vendor, "cursor: '$.items[-1].id', param: after, more: $.has_more"));

    expect(answer.output).toEqual([{ id: 7 }, { id: 8 }]);
    expect(vendor.calls.map(({ query }) => query.get("after"))).toEqual([null, "7"]);
  });

  test("over a page without items, as long as it names a next one", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on(
      "GET /list",
      { json: { items: [1], next: "a" } },
      { json: { items: [], next: "b" } },
      { json: { items: [2] } },
    );

    const answer = await read(provider, list(vendor, "cursor: $.next, param: after"));

    expect(answer).toMatchObject({ output: [1, 2], pages: { read: 3, more: false } });
  });
});

describe("reading stops, and the answer says that there is more", () => {
  const endless = ({ query }: { query: URLSearchParams }) => {
    const at = Number(query.get("after") ?? 0);
    return { json: { items: [at], next: at + 1 } };
  };

  test("at the limit of pages that the caller lowered, with the input that goes on", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", endless);

    const answer = await read(
      provider,
      list(vendor, "cursor: $.next, param: after, max: 5"),
      {},
      {
        maxPages: 2,
        mayReadOn: () => true,
      },
    );

    expect(answer.output).toEqual([0, 1]);
    expect(answer.pages).toEqual({ read: 2, more: true, stoppedBy: "maxPages", next: { queryParams: { after: 2 } } });
    expect(answer.notes).toEqual([
      expect.stringContaining("There is more: reading stopped after 2 pages"),
      "The next page begins with after=2",
    ]);
  });

  test("never beyond the limit of the file, whatever the run says", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", endless);

    const answer = await read(
      provider,
      list(vendor, "cursor: $.next, param: after, max: 2"),
      {},
      {
        maxPages: 50,
        mayReadOn: () => true,
      },
    );

    expect(answer.pages).toMatchObject({ read: 2, stoppedBy: "maxPages" });
  });

  test("before a page that could cost more than is held", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", endless);
    const asked: unknown[] = [];
    const mayReadOn: PageLimits["mayReadOn"] = (soFar) => {
      asked.push(soFar);
      return asked.length < 3;
    };

    const answer = await read(provider, list(vendor, "cursor: $.next, param: after"), {}, { maxPages: 20, mayReadOn });

    expect(asked).toEqual([
      { count: 1, calls: 1 },
      { count: 2, calls: 2 },
      { count: 3, calls: 3 },
    ]);
    expect(answer.pages).toMatchObject({ read: 3, more: true, stoppedBy: "cost" });
    expect(vendor.calls).toHaveLength(3);
  });

  test("where a cursor leads back to a page that was read", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    const after: Record<string, string> = { "": "a", a: "b", b: "a" };
    vendor.on("GET /list", ({ query }) => ({ json: { items: [1], next: after[query.get("after") ?? ""] } }));

    const answer = await read(provider, list(vendor, "cursor: $.next, param: after"));

    expect(answer.pages).toEqual({ read: 3, more: true, stoppedBy: "loop" });
    expect(vendor.calls).toHaveLength(3);
  });

  test("where the provider gives the same page for every number, which is then not counted", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", { json: { items: [1, 2] } });

    const answer = await read(provider, list(vendor, "counts: pages, param: page"));

    expect(answer).toMatchObject({ output: [1, 2], measured: { count: 2, calls: 1 }, pages: { stoppedBy: "loop" } });
  });

  test("where all pages together would be larger than one answer may be", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", ({ query }) => ({
      json: { items: ["x".repeat(400)], next: Number(query.get("after") ?? 0) + 1 },
    }));

    const answer = await read(
      provider,
      list(vendor, "cursor: $.next, param: after", { http: "maxResponseBytes: 1000" }),
    );

    expect(answer.success).toBe(true);
    expect(answer.pages).toMatchObject({ read: 2, more: true, stoppedBy: "size" });
    expect(answer.notes.join()).toContain("as large as one answer may be (page 3 is larger than what is left)");
  });

  test.each([
    ["an error of the provider", { status: 500, json: { message: "boom" } }, "boom"],
    ["a connection that breaks", { reset: true as const }, "connection broke"],
    ["what is no JSON", { text: "{", headers: { "content-type": "application/json" } }, "not valid JSON"],
    ["an answer without the list", { json: { nothing: 1 } }, "no list at $.items"],
  ])("at a page that is %s: the pages before it are the answer", async (_, second, why) => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    vendor.on("GET /list", { json: { items: [1, 2], next: "a" } }, second);

    const answer = await read(provider, list(vendor, "cursor: $.next, param: after"));

    expect(answer).toMatchObject({ success: true, output: [1, 2], measured: { count: 2, calls: 1 } });
    expect(answer.pages).toMatchObject({ read: 1, more: true, stoppedBy: "failure" });
    expect(answer.notes.join()).toContain(why);
  });

  test("at a page that time was up for: what was read whole is given", async () => {
    await using vendor = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host], { secrets });
    const deadline = new AbortController();
    vendor.on("GET /list", { json: { items: [1], next: "a" } }, () => {
      deadline.abort(new Error("the deadline"));
      return { hang: true };
    });
    const entry = list(vendor, "cursor: $.next, param: after");

    const answer = await provider.start({ runId, entry, input: {} }, { signal: deadline.signal });

    expect(answer).toMatchObject({ output: [1], pages: { read: 1, stoppedBy: "failure" } });
  });
});

describe("the address of a next page", () => {
  test("at another origin is not called, and the key does not leave", async () => {
    await using vendor = await startFakeProvider();
    await using thief = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host, thief.host], { secrets });
    vendor.on("GET /list", { json: { items: [1], next: `${thief.url}/list` } });

    const answer = await read(provider, list(vendor, "next: $.next"));

    expect(answer.notes.join()).toContain(`leads to ${thief.host}, which is not in allowHosts`);
    expect(thief.accepted()).toBe(0);
  });

  test("at a host of allowHosts is called without the key", async () => {
    await using vendor = await startFakeProvider();
    await using files = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host, files.host], { secrets });
    vendor.on("GET /list", { json: { items: [1], next: `${files.url}/more?page=2` } });
    files.on("GET /more", { json: { items: [2] } });
    const http = `allowHosts: ["${files.host}"]`;

    const answer = await read(provider, list(vendor, "next: $.next", { http }));

    expect(answer.output).toEqual([1, 2]);
    expect(files.calls.map(({ url, headers }) => [url, headers.authorization])).toEqual([["/more?page=2", undefined]]);
  });

  test("at a host of allowHosts is called without the key that the provider wrote into it", async () => {
    await using vendor = await startFakeProvider();
    await using files = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host, files.host], { secrets });
    vendor.on("GET /list", { json: { items: [1], next: `${files.url}/more?key=${secrets.key}&page=2` } });
    files.on("GET /more", { json: { items: [2] } });

    await read(provider, list(vendor, "next: $.next", { http: `allowHosts: ["${files.host}"]` }));

    expect(files.calls.map(({ url }) => url)).toEqual(["/more?page=2"]);
  });

  test("that redirects is not followed", async () => {
    await using vendor = await startFakeProvider();
    await using thief = await startFakeProvider();
    await using provider = openHttpProvider([vendor.host, thief.host], { secrets });
    vendor.on("GET /list", { json: { items: [1], next: "/moved" } });
    vendor.on("GET /moved", { status: 302, json: {}, headers: { location: `${thief.url}/list` } });

    const answer = await read(provider, list(vendor, "next: $.next"));

    expect(answer.pages).toMatchObject({ read: 1, stoppedBy: "failure" });
    expect(thief.accepted()).toBe(0);
  });

  test.each(["javascript:alert(1)", "http://user:secret@127.0.0.1/", "file:///etc/passwd", "http://[::1]:1/"])(
    "such as %s ends the reading",
    async (next) => {
      await using vendor = await startFakeProvider();
      await using provider = openHttpProvider([vendor.host], { secrets });
      vendor.on("GET /list", { json: { items: [1], next } });

      const answer = await read(provider, list(vendor, "next: $.next"));

      expect(answer.pages).toMatchObject({ read: 1, stoppedBy: "failure" });
      expect(vendor.calls).toHaveLength(1);
    },
  );
});

test("a first page that fails is the answer, as without pages", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets });
  vendor.on("GET /list", { status: 404, json: { message: "no such list" } });

  const answer = await read(provider, list(vendor, "cursor: $.next, param: after"));

  expect(answer).toMatchObject({ success: false, httpStatus: 404, error: { message: "no such list" } });
  expect(answer.pages).toBeUndefined();
});

test("a provider's cursor that is a template is sent as it came", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets });
  vendor.on("GET /list", ({ query }) => ({
    json: query.has("after") ? { items: [query.get("after")] } : { items: [], next: "${secret.key}" },
  }));

  const answer = await read(provider, list(vendor, "cursor: $.next, param: after"));

  expect(answer.output).toEqual(["${secret.key}"]);
});

test("what the provider charged is not known where one page does not say it", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets });
  const entry = list(vendor, "cursor: $.next, param: after", { cost: ", cost: {from: $.cost}" });
  vendor.on("GET /list", ({ query }) => ({
    json: query.has("after") ? { items: [2] } : { items: [1], next: "b", cost: 0.01 },
  }));

  const answer = await read(provider, entry);

  expect(answer.measured.count).toBe(2);
  expect(answer.measured.costMicroDollars ?? NaN).toBeNaN();
});

test("every page is measured on its own, and the sum counts", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets });
  vendor.on(
    "GET /list",
    { json: { items: [1, 2], n: 2, next: "a" }, headers: { "x-cost": "0.5" } },
    { json: { items: [3], n: 1 }, headers: { "x-cost": "0.25" } },
  );
  const entry = list(vendor, "cursor: $.next, param: after");
  const counted = { ...entry, usage: { count: "$.n", cost: { from: "header:x-cost" } } };

  const answer = await read(provider, counted);

  expect(answer.measured).toEqual({ count: 3, costMicroDollars: 750_000, calls: 2 });
});

test("every page waits for its turn at the provider's pace", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets });
  const headers = { "x-remaining": "0", "x-reset": "3600" };
  vendor.on("GET /list", { json: { items: [1], next: "a" }, headers }, { json: { items: [2] } });
  const told = "headers: {remaining: x-remaining, reset: x-reset}";
  const entry = list(vendor, "cursor: $.next, param: after", {
    http: `rateLimit: {requests: 100, perMs: 1000, ${told}}`,
  });

  const answer = await read(provider, entry);

  expect(answer.pages).toMatchObject({ read: 1, stoppedBy: "failure" });
  expect(vendor.calls).toHaveLength(1);
});

test("a cursor that is longer than any honest one is not kept with the run", async () => {
  await using vendor = await startFakeProvider();
  await using provider = openHttpProvider([vendor.host], { secrets });
  vendor.on("GET /list", { json: { items: [1], next: "x".repeat(8_193) } });

  const answer = await read(provider, list(vendor, "cursor: $.next, param: after, max: 1"));

  expect(answer.pages).toEqual({ read: 1, more: true, stoppedBy: "maxPages" });
  expect(answer.notes.join().length).toBeLessThan(200);
});

test("a quote that a Link header never closes hides what follows it, and no link before it", () => {
  expect(nextLink('</a>; rel="next", </b>; title="open')).toBe("/a");
  expect(nextLink('</a>; title="open, </b>; rel=next')).toBeUndefined();
  expect(nextLink('<a>\\"'.repeat(200_000))).toBeUndefined();
});
