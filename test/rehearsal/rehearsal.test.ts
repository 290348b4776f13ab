import { stringify } from "yaml";
import { describe, expect, test } from "vitest";
import { rehearseCatalog } from "../../daemon/rehearsal/rehearse-catalog.ts";
import { type RehearsalReport, renderRehearsal } from "../../daemon/rehearsal/rehearsal-report.ts";
import { catalogFolder, fixturesDir } from "../catalog/catalog-folder.ts";
import { starterCatalogDir } from "../support/bundled-catalog.ts";

type Json = Record<string, unknown>;

/** The report of one endpoint in a file of its own. */
async function rehearse(endpoint: Json, provider: Json = {}): Promise<RehearsalReport> {
  using folder = catalogFolder();
  const manifest = {
    mkt: 1,
    provider: "shop",
    http: { baseUrl: "https://api.shop.example/v2" },
    ...provider,
    endpoints: { "/items": { request: { method: "GET" }, price: { type: "PER_CALL", amount: 0.002 }, ...endpoint } },
  };
  const file = folder.write("shop.yaml", stringify(manifest));
  return await rehearseCatalog({ paths: [file], defaults: [] });
}

function findings({ examples, problems }: RehearsalReport) {
  expect(problems).toEqual([]);
  return examples.flatMap((example) => example.findings);
}

test("the endpoints of a market are not rehearsed: what is sent to a market is not in its provider's file", async () => {
  const report = await rehearse({
    request: { run: { provider: "acme", endpoint: "/items", mode: "sync" } },
    examples: [{ name: "one", input: {} }],
  });

  expect(report).toMatchObject({ examples: [], problems: [], exitCode: 0 });
});

describe("the examples of the worked files", () => {
  test("pass: a list by GET, a price by variant, a job with polls that fail and a result of three pages", async () => {
    const report = await rehearseCatalog({ paths: [fixturesDir], defaults: [] });

    expect(report.examples.map(({ endpoint, example, outcome }) => `${endpoint} ${example}: ${outcome}`)).toEqual([
      "/people/search three e-mails: passed",
      "/instagram/posts five posts on three pages: passed",
      "/instagram/posts a profile that nobody may see is not charged: passed",
      "/instagram/posts a result alone, for which the job is played: passed",
      "/forecast/{city} two days in Lisbon: passed",
      "/forecast/{city} unknown city is not charged: passed",
    ]);
    expect(report.withoutExamples).toEqual(["phonedesk/messages/send", "phonedesk/numbers/buy"].reverse());
    expect(report.exitCode).toBe(0);
  });

  test("the bundled provider's own run against the real service", async () => {
    const report = await rehearseCatalog({
      paths: [starterCatalogDir()],
      defaults: [],
      bundledDir: starterCatalogDir(),
      endpoint: "atlas/timers/{id}",
    });

    expect(report.examples).toMatchObject([{ outcome: "passed", findings: [] }]);
  });
});

describe("what a recorded answer does not give is found", () => {
  const items = { status: 200, body: { items: [{ id: 1 }, { id: 2 }] } };

  test("a count that finds nothing, and a selection that finds nothing", async () => {
    const report = await rehearse({
      output: { select: "$.results" },
      usage: { count: "$.results" },
      examples: [{ name: "all", response: items }],
    });

    expect(findings(report)).toEqual([
      { what: "usage.count", expected: "something to count at $.results", came: "an object with items" },
      { what: "output.select", expected: "something at $.results", came: "an object with items" },
    ]);
    expect(report.exitCode).toBe(1);
  });

  test("another count, cost or status than the example expects", async () => {
    const report = await rehearse({
      usage: { count: "$.items" },
      examples: [{ name: "all", response: items, expect: { count: 3, costMicroDollars: 1000, httpStatus: 201 } }],
    });

    expect(findings(report)).toEqual([
      { what: "httpStatus", expected: "201", came: "200" },
      { what: "count", expected: "3", came: "2" },
      { what: "costMicroDollars", expected: "1000", came: "2000" },
    ]);
  });

  test("an error rule that makes an error of a good answer", async () => {
    const report = await rehearse({
      errors: [{ when: { missing: ["$.ok"] }, as: { status: 404, message: "there is none" } }],
      examples: [{ name: "all", response: items }],
    });

    expect(findings(report)).toEqual([
      {
        what: "httpStatus",
        expected: "a success (or expect.httpStatus)",
        came: "404, which an error rule made of 200: there is none",
      },
    ]);
  });

  test("an answer that is over the endpoint's limit", async () => {
    const report = await rehearse({
      http: { maxResponseBytes: 100 },
      examples: [{ name: "all", response: { body: { text: "x".repeat(200) } } }],
    });

    expect(findings(report)).toMatchObject([{ what: "answer", came: expect.stringContaining("100 bytes") }]);
  });

  test("an input that no run takes is told with the schema's words, before anything is sent", async () => {
    const report = await rehearse({
      input: { queryParams: { required: ["city"], properties: { city: { type: "string" } } } },
      examples: [{ name: "none", response: items }],
    });

    expect(findings(report)).toMatchObject([{ what: "input", came: expect.stringContaining("city") }]);
  });
});

describe("how a recording is played", () => {
  test("responses are given in the order of the calls, retries included, without waiting", async () => {
    const report = await rehearse({
      idempotent: true,
      examples: [
        {
          name: "the second time",
          responses: [{ status: 503, headers: { "Retry-After": "3600" }, body: {} }, { body: { items: [] } }],
        },
      ],
    });

    expect(report.examples).toMatchObject([{ outcome: "passed" }]);
  });

  test("a call for which there is no answer left, and an answer that nobody asks for, are failures", async () => {
    const tooFew = await rehearse({
      idempotent: true,
      examples: [{ name: "few", responses: [{ status: 503, body: {} }] }],
    });
    const tooMany = await rehearse({ examples: [{ name: "many", responses: [{ body: {} }, { body: {} }] }] });

    expect(findings(tooFew)[0]?.what).toContain("responses has 1; record an answer for it");
    expect(findings(tooMany)).toEqual([{ what: "the last 1 of responses: nobody asked for them" }]);
  });

  test("texts, bytes and forms are sent as they were recorded", async () => {
    const text = await rehearse({
      output: { media: "text" },
      examples: [{ name: "csv", response: { headers: { "Content-Type": "text/csv; charset=latin1" }, body: "a,ü\n" } }],
    });
    const bytes = await rehearse({
      output: { media: "base64" },
      examples: [{ name: "png", response: { body: "iVBORw0KGgo=" } }],
    });

    expect([...text.examples, ...bytes.examples]).toMatchObject([{ outcome: "passed" }, { outcome: "passed" }]);
  });

  test("without a recorded answer the request alone is checked, and it is no failure", async () => {
    const report = await rehearse({ usage: { count: "$.items" }, examples: [{ name: "all" }] });

    expect(report.examples).toMatchObject([{ outcome: "unanswered", findings: [] }]);
    expect(report.exitCode).toBe(0);
    expect(renderRehearsal(report)).toBe(
      [
        "1 provider with 1 endpoint: 1 example, 0 passed, 0 failed.",
        "1 without a recorded answer: what was sent for them fits the manifest, nothing else was checked.",
        "",
      ].join("\n"),
    );
  });

  test("client credentials get a token, a link in an answer leads to the stand-in too", async () => {
    const report = await rehearse(
      {
        request: { method: "POST", path: "/exports", body: { format: "csv" } },
        async: {
          start: { id: "$.id", keep: { file: "$.file" } },
          poll: { method: "GET", path: "/exports/${run.externalId}", status: "$.state", states: { done: ["ready"] } },
          result: { method: "GET", url: "${state.file}" },
        },
        output: { media: "text" },
        examples: [
          {
            name: "an export",
            responses: [
              { body: { id: 7, file: "https://files.shop.example/7.csv?sig=x" } },
              { body: { state: "ready" } },
              { headers: { "content-type": "text/csv" }, body: "id\n1\n" },
            ],
          },
        ],
      },
      {
        secrets: { id: { env: "SHOP_ID" }, secret: { env: "SHOP_SECRET" } },
        http: {
          baseUrl: "https://api.shop.example/v2",
          allowHosts: ["files.shop.example"],
          auth: {
            type: "clientCredentials",
            tokenUrl: "https://login.shop.example/token",
            clientId: "${secret.id}",
            clientSecret: "${secret.secret}",
          },
        },
      },
    );

    expect(findings(report)).toEqual([]);
    expect(report.examples).toMatchObject([{ outcome: "passed" }]);
  });

  test("tools of an MCP server: what the tool is given, what it answers, and how it fails", async () => {
    const report = await rehearse({
      request: { tool: "find_items", body: { source: "mkt" } },
      input: { body: { required: ["text"], properties: { text: { type: "string" } } } },
      output: { select: "$.items" },
      usage: { count: "$.items" },
      examples: [
        {
          name: "found",
          input: { text: "tea" },
          response: { body: { items: [1, 2] } },
          expect: { count: 2, costMicroDollars: 2000 },
        },
        {
          name: "refused",
          input: { text: "" },
          response: { status: 422, body: { error: { message: "no words" } } },
          expect: { httpStatus: 422, costMicroDollars: 0 },
        },
        { name: "a mistake", input: { text: "tea" }, response: { body: { results: [] } } },
      ],
    });

    expect(report.examples.map(({ outcome }) => outcome)).toEqual(["passed", "passed", "failed"]);
    expect(findings(report)).toMatchObject([{ what: "usage.count" }, { what: "output.select" }]);
  });

  test("resources that an example names are there for it", async () => {
    const report = await rehearse(
      {
        request: { method: "POST", path: "/messages" },
        input: { body: { properties: { from: { type: "string" } } } },
        resources: { uses: [{ resource: "phone-number", id: "input:body.from" }] },
        examples: [{ name: "hello", input: { from: "+1555" }, response: { body: { sent: true } } }],
      },
      { resources: { "phone-number": { displayName: "Phone number" } } },
    );

    expect(report.examples).toMatchObject([{ outcome: "passed" }]);
  });
});

test("a file that cannot be used is told, and is a failure", async () => {
  using folder = catalogFolder();
  const file = folder.write("shop.yaml", "mkt: 1\nprovider: shop\nendpoints: {}\n");

  const report = await rehearseCatalog({ paths: [file], defaults: [] });

  expect(report).toMatchObject({ exitCode: 1, examples: [], problems: [{ file, line: 3, rule: "shape" }] });
});

test("a failure is told with its file, its line, what was expected and what came", async () => {
  using folder = catalogFolder();
  const file = folder.write(
    "shop.yaml",
    [
      "mkt: 1",
      "provider: shop",
      "http: { baseUrl: https://api.shop.example }",
      "endpoints:",
      "  /items:",
      "    request: { method: GET }",
      "    usage: { count: $.items }",
      "    price: { type: FREE }",
      "    examples:",
      "      - { name: good, response: { body: { items: [] } }, expect: { count: 0 } }",
      "      - { name: bad, response: { body: { items: [1] } }, expect: { count: 2 } }",
      "",
    ].join("\n"),
  );

  const report = await rehearseCatalog({ paths: [file], defaults: [] });

  expect(renderRehearsal(report)).toBe(
    [
      `${file}:11  shop/items  "bad"`,
      "    count: expected 2, came 1",
      "1 provider with 1 endpoint: 2 examples, 1 passed, 1 failed.",
      "",
    ].join("\n"),
  );
});

test("an endpoint that no file has is told", async () => {
  await expect(rehearseCatalog({ paths: [fixturesDir], defaults: [], endpoint: "/nowhere" })).rejects.toThrow(
    "There is no endpoint /nowhere",
  );
});
