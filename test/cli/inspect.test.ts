import { describe, expect, test } from "vitest";
import { fieldWords } from "../../cli/inspect/field-words.ts";
import { inputFields } from "../../cli/inspect/field-facts.ts";
import { priceRows } from "../../shared/words/price-words.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { runMkt } from "../support/run-cli.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { startStandIn, sunEndpoint } from "./stand-in-service.ts";

/** The fields of a schema as a screen tells them. */
function told(schema: Record<string, unknown>, full = false): string[] {
  return inputFields(schema, 1).map((field) => `${field.name}: ${fieldWords(field, full)}`);
}

describe("what inspect says of a field", () => {
  test.each<[Record<string, unknown>, string]>([
    [{ type: "integer", minimum: 1, maximum: 20, default: 5 }, "integer 1 to 20, default 5"],
    [{ type: "number", exclusiveMinimum: 0 }, "number above 0"],
    [{ type: "string", minLength: 1, maxLength: 400 }, "string, 1 to 400 characters"],
    [{ type: "string", format: "date", examples: ["2026-06-21"] }, "string (date). E.g. 2026-06-21"],
    [{ enum: ["basic", "advanced"], description: "How deep." }, "basic | advanced. How deep"],
    [
      { type: "array", items: { type: "string", format: "uri" }, maxItems: 5 },
      "array of string (uri), at most 5 items",
    ],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1 }, "array of a | b, not empty"],
    [{ type: "integer", vendorDefault: 10 }, "integer, vendor's default: 10"],
    [{ anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] }, "integer or null at least 1"],
    [{ $ref: "#/$defs/Color", description: "Its colour" }, "red | green. Its colour"],
    [{ type: "string", pattern: "^[A-Z]{2}$" }, "string, like ^[A-Z]{2}$"],
    [{}, "any value"],
  ])("%j is %s", (schema, words) => {
    expect(told({ properties: { x: schema }, $defs: { Color: { enum: ["red", "green"] } } })).toEqual([`x: ${words}`]);
  });

  test("required fields come first, and what stands in objects and lists of objects behind them", () => {
    const point = {
      type: "object",
      required: ["lat"],
      properties: { note: { type: "string" }, lat: { type: "number" } },
    };
    const schema = {
      required: ["points"],
      properties: { unit: { enum: ["km", "mi"] }, points: { type: "array", items: point } },
    };

    expect(told(schema)).toEqual([
      "points: array of object, required",
      "points[].lat: number, required",
      "points[].note: string",
      "unit: km | mi",
    ]);
  });

  test("what must be given is told however deep it stands, the rest so deep", () => {
    const at = {
      required: ["lat"],
      properties: { lat: { type: "number" }, heading: { type: "integer" } },
    };
    const place = { type: "object", required: ["at"], properties: { at: { type: "object", ...at }, name: {} } };
    const way = { type: "object", required: ["from"], properties: { from: place, to: place } };

    expect(told({ required: ["way"], properties: { way } })).toEqual([
      "way: object, required",
      "way.from: object, required",
      "way.from.at: object, required",
      "way.from.at.lat: number, required",
      "way.to: object",
    ]);
  });

  test("of many values it tells the first, and all with --full", () => {
    const schema = { properties: { code: { enum: Array.from({ length: 40 }, (_, index) => `c${index}`) } } };

    expect(told(schema)[0]).toMatch(/c11 \| … 28 more \(--full\)$/);
    expect(told(schema, true)[0]).toMatch(/c39$/);
  });

  test("a schema that refers to itself ends", () => {
    const schema = { properties: { node: { $ref: "#" } }, anyOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }] };

    expect(told(schema)).toEqual(["node: any value", "node.node: any value"]);
  });
});

describe("what inspect says of a price", () => {
  const call = (value: number) => ({ type: "PER_CALL" as const, amount: { value, currency: "USD" as const } });

  test("rows of a matrix are prices with what they hang on", () => {
    const variants = [{ when: { depth: "advanced" }, label: "two credits", price: call(0.016) }];
    const amount = { value: 0.008, currency: "USD" as const };

    expect(priceRows({ type: "PER_UNIT_MATRIX", amount, variants, default: call(0.008) })).toEqual([
      "$0.016/call if depth is advanced (two credits)",
      "$0.008/call otherwise",
    ]);
  });

  test("tiers are prices on top of what is always billed", () => {
    const tiers = [
      { label: "HD", when: { quality: "hd" }, price: call(0.05) },
      { label: "", when: {}, selector: { label: "pages", key: "pages", in: "body" as const }, price: call(0.002) },
    ];
    const amount = { value: 0.01, currency: "USD" as const };

    expect(priceRows({ type: "TIERED", amount, default: call(0.01), tiers })).toEqual([
      "$0.01/call always",
      "+ $0.05/call if quality is hd (HD)",
      "+ $0.002/call for each of pages (pages)",
    ]);
  });
});

describe("mkt inspect", () => {
  const manifest = (baseUrl: string) => ({
    displayName: "Papers",
    secrets: { key: { env: "PAPERS_KEY" } },
    http: { baseUrl, allowPrivateNetwork: true, auth: { type: "bearer", token: "${secret.key}" } },
    endpoints: {
      "/search": {
        description: "Finds papers about a subject.",
        asks: ["Who wrote it?", "When was it written?", "Where?", "What about?", "How long is it?"],
        request: { method: "GET", path: "/search" },
        input: {
          queryParams: {
            required: ["q"],
            properties: {
              q: {
                type: "string",
                minLength: 1,
                maxLength: 200,
                description: `What it is about, ${"in words ".repeat(20)}end.`,
              },
              limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
            },
          },
        },
        output: { select: "$.hits", omit: ["secretScore"] },
        price: { type: "PER_CALL", amount: 0.01 },
        examples: [
          { name: "nothing recorded", input: { q: "sun" } },
          {
            name: "papers about tea",
            input: { q: "tea", limit: 2 },
            response: {
              body: { took: 3, hits: Array.from({ length: 9 }, (_, at) => ({ title: `Tea ${at}`, secretScore: at })) },
            },
          },
        ],
      },
    },
  });

  test("shows the limits, the example and the answer that it gave, what is missing first, and three asks", async () => {
    await using provider = await startFakeProvider();
    await using market = await startTestDaemon({ manifests: { papers: manifest(provider.url) } });
    const surroundings = { tty: true, env: { MKT_API_URL: market.url, MKT_API_KEY: market.key } };

    const { exitCode, stdout } = await runMkt(["inspect", "papers/search"], surroundings);

    expect(exitCode).toBe(0);
    const oneLine = stdout.replace(/\s+/g, " ");
    expect(oneLine).toContain("q string, 1 to 200 characters, required. What it is about,");
    expect(oneLine).toContain("in words end");
    expect(stdout).toMatch(/^limit +integer 1 to 50, default 10$/m);
    expect(stdout).toContain("cannot be run now: needs a key (PAPERS_KEY)\n");
    expect(oneLine.match(/Cannot be run now/gi)).toHaveLength(1);
    expect(oneLine).toContain("Answers questions such as: Who wrote it? · When was it written? · Where?");
    expect(oneLine).not.toContain("What about?");
    expect(stdout).toContain('sample answer  papers about tea\n[\n  { "title": "Tea 0" },\n  { "title": "Tea 1" },\n');
    expect(stdout).toContain("First (operator): mkt secrets set PAPERS_KEY\n");
    expect(stdout.trimEnd()).toMatch(/Run it: mkt run papers\/search q=tea limit=2$/);
    expect(provider.calls).toEqual([]);
  });

  test("carries all of it on the wire, where clients that do not know it see no difference", async () => {
    await using provider = await startFakeProvider();
    await using market = await startTestDaemon({ manifests: { papers: manifest(provider.url) } });

    const inspected = await market.client.inspectEndpoint({ body: { provider: "papers", endpoint: "/search" } });

    expect(inspected.unavailable).toEqual({
      reason: "missingSecret",
      missing: ["PAPERS_KEY"],
      next: "mkt secrets set PAPERS_KEY",
    });
    expect(inspected.examples).toEqual([
      { name: "nothing recorded", input: { queryParams: { q: "sun" } } },
      {
        name: "papers about tea",
        input: { queryParams: { q: "tea", limit: 2 } },
        output: [{ title: "Tea 0" }, { title: "Tea 1" }, { title: "Tea 2" }],
      },
    ]);
  });

  test("has a sample answer for everything that comes with the program and can be run without anything made before", async () => {
    await using market = await startTestDaemon({ bundled: true });
    const { items } = await market.client.listPublicProviderEndpoints({
      params: { provider: "atlas" },
      query: { limit: 100 },
    });

    const inspected = await Promise.all(
      items.map(({ endpoint }) => market.client.inspectEndpoint({ body: { provider: "atlas", endpoint } })),
    );

    const without = inspected.filter(({ examples = [] }) => examples.every(({ output }) => output === undefined));
    expect(without.map(({ endpoint }) => endpoint).toSorted()).toEqual(["/timers/{id}", "/timers/{id}/stop"]);
  });

  test.each([20, 80, 120])("fits %i columns, and cuts no description", async (columns) => {
    const about = "The day that is meant, in the calendar of the place and not in that of whoever asks for it.";
    const input = { queryParams: { properties: { date: { type: "string", description: about } } } };
    await using service = await startStandIn({ "POST /v1/inspect": { body: { ...sunEndpoint, input, examples: [] } } });

    const { stdout } = await runMkt(["inspect", "atlas/sun"], { ...service, tty: true, columns });

    expect(stdout.replace(/\s+/g, " ")).toContain("in that of whoever asks for it");
    expect(stdout).not.toContain("…");
    const prose = stdout.split("\n").filter((line) => line.includes(" ") && !/mkt |https:|^\w+: \S+$/.test(line));
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(columns);
  });
});
