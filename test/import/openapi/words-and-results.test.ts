import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanText } from "../../../daemon/import/conversion/clean-text.ts";
import { convert, endpointOf, type Json, jsonAnswer, manifestOf, oneOperation, openApi } from "./import-document.ts";

const items = { type: "array", items: { type: "object", properties: { id: {}, name: {} } } };

describe("where the results of an answer are", () => {
  test.each<[string, object, object | undefined, object | undefined]>([
    ["a list", items, { count: "$" }, undefined],
    ["one list in an object", { properties: { pets: items } }, { count: "$.pets" }, { select: "$.pets" }],
    [
      "the list that is called like one",
      { properties: { tags: items, results: items } },
      { count: "$.results" },
      { select: "$.results" },
    ],
    [
      "beside the way to the next page",
      { properties: { data: items, next_cursor: {} } },
      { count: "$.data" },
      undefined,
    ],
    ["within a wrapper", { properties: { data: { properties: { items } } } }, { count: "$.data.items" }, undefined],
    ["behind an odd name", { properties: { "my pets": items } }, { count: "$['my pets']" }, { select: "$['my pets']" }],
    [
      "in what it extends",
      { allOf: [{ properties: { total: {} } }, { properties: { rows: items } }] },
      { count: "$.rows" },
      { select: "$.rows" },
    ],
    ["several lists of no such name", { properties: { cats: items, dogs: items } }, undefined, undefined],
    ["one thing", { properties: { id: {} } }, undefined, undefined],
  ])("%s", (_, schema, usage, output) => {
    const endpoint = endpointOf(jsonAnswer(schema));

    expect(endpoint.usage).toEqual(usage);
    expect(endpoint.output).toEqual(output);
  });

  test.each<[string, object, object]>([
    ["text", { "text/csv": {} }, { output: { media: "text" }, request: { method: "GET" } }],
    ["bytes", { "image/png": {} }, { output: { media: "base64" }, request: { method: "GET" } }],
    [
      "JSON of a vendor",
      { "application/vnd.x+json": {} },
      { request: { method: "GET", headers: { Accept: "application/vnd.x+json" } } },
    ],
    ["JSON before XML", { "application/xml": {}, "application/json": {} }, { request: { method: "GET" } }],
  ])("an answer of %s", (_, content, expected) => {
    const endpoint = endpointOf({ responses: { 200: { description: "", content } } });

    expect(endpoint).toMatchObject(expected);
  });

  test("the input that limits them is an estimate that a person should look at", () => {
    const operation = {
      ...jsonAnswer(items),
      parameters: [{ name: "per_page", in: "query", schema: { type: "integer", maximum: 100 } }],
    };

    const { manifest, comments } = convert(oneOperation(operation));

    expect(manifest.endpoints["/pets"]?.["usage"]).toEqual({
      count: "$",
      estimate: { count: "input:queryParams.per_page", max: "input:queryParams.per_page" },
    });
    expect(comments).toContainEqual({
      path: ["endpoints", "/pets", "usage", "estimate"],
      text: expect.stringContaining("check me") as string,
    });
  });
});

describe("what people and agents read", () => {
  test("names, descriptions, tags and questions come from the document, and what the answer holds", () => {
    const endpoint = endpointOf({
      summary: "List pets.",
      description: "All <b>pets</b> of the [shop](https://pets.example).",
      tags: ["Pets"],
      externalDocs: { url: "https://pets.example/docs" },
      "x-mkt-asks": ["Which pets are there?"],
      responses: { 200: { description: "The pets by age", content: { "application/json": { schema: items } } } },
    });

    expect(endpoint).toMatchObject({
      displayName: "List pets",
      description: "All pets of the shop. Answer: The pets by age. Fields of the answer: id, name.",
      tags: ["Pets"],
      docUrl: "https://pets.example/docs",
      asks: ["Which pets are there?"],
    });
  });

  test("our own words stand over the document's", () => {
    const own = { "x-mkt-path": "/animals", "x-mkt-name": "Animals", "x-mkt-description": "All of them." };

    const { endpoints } = manifestOf(oneOperation({ summary: "List", description: "Pets.", ...own }));

    expect(endpoints["/animals"]).toMatchObject({
      displayName: "Animals",
      description: "All of them.",
      request: { method: "GET", path: "/pets" },
    });
  });

  test.each<[string, Json, string]>([
    ["the operationId in words", { operationId: "getPetByID_v2" }, "Get pet by ID v2"],
    ["method and path in words", {}, "Get pets"],
  ])("without a summary the name is %s", (_, operation, name) => {
    expect(endpointOf(operation).displayName).toBe(name);
  });

  test.each<[string, string, string]>([
    ["HTML", "<p>One&nbsp;&amp; two</p><ul><li>a</li></ul><script>alert(1)</script>", "One & two\n- a"],
    ["Markdown", "# Head\n**Bold** and `code`, ![x](y.png) ~~~\n```\nrun\n```", "Head\nBold and code, x ~~~\n\nrun"],
    ["terminal escapes", "\u001b[31mred\u001b[0m \u001b]0;title\u0007x", "red x"],
    ["marks that turn the direction", "abc\u202egnp.exe", "abcgnp.exe"],
    ["other control characters", "a\u0000b\u0008c\u007f", "abc"],
    ["a comparison", "a < b and c > d", "a < b and c > d"],
  ])("texts are cleaned of %s", (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  test("a text is cleaned in the same way, whether or not what follows it needs cleaning", () => {
    const signs = fc.constantFrom(..." a-|:#>*_[]()~\n\t");
    fc.assert(
      fc.property(fc.string({ unit: signs, maxLength: 40 }), (text) => {
        const alone = cleanText(text);

        const followed = cleanText(`${text}\n\nend \`x\` &amp;\u0000`);

        expect(followed).toBe(alone === "" ? "end x &" : `${alone}\n\nend x &`);
      }),
      { numRuns: 5_000 },
    );
  });

  test("a description of five megabytes becomes one of two thousand characters", () => {
    const endpoint = endpointOf({ description: "word <b> [ ( ".repeat(400_000) });

    expect(endpoint.description.length).toBeLessThanOrEqual(2_000);
  });
});

describe("what a call costs", () => {
  test.each<[string, Json, unknown]>([
    ["our own word", { "x-mkt-price": 0.02 }, { type: "PER_CALL", amount: 0.02 }],
    ["our own word for nothing", { "x-mkt-price": 0 }, { type: "FREE" }],
    ["a price in dollars", { "x-payment-info": { price: "0.015", offers: [] } }, { type: "PER_CALL", amount: 0.015 }],
    [
      "an offer in the smallest unit",
      { "x-payment-info": { offers: [{ amount: "2500", currency: "usdc" }] } },
      { type: "PER_CALL", amount: 0.0025 },
    ],
    ["a single offer", { "x-payment-info": { amount: "5", currency: "usd" } }, { type: "PER_CALL", amount: 0.05 }],
  ])("is taken: %s", (_, operation, price) => {
    const { manifest, pricesToSet } = convert(oneOperation(operation));

    expect(manifest.endpoints["/pets"]?.["price"]).toEqual(price);
    expect(pricesToSet).toEqual([]);
  });

  test.each<[string, Json]>([
    ["it depends", { "x-payment-info": { offers: [{ amount: null, currency: "usdc" }] } }],
    ["another currency", { "x-payment-info": { amount: "5", currency: "eur" } }],
    ["words", { "x-mkt-price": "cheap" }],
    ["nothing at all", {}],
  ])("is left to a person where the document does not say: %s", (_, operation) => {
    const { manifest, pricesToSet } = convert(oneOperation(operation));

    expect(manifest["price"]).toEqual({ type: "FREE" });
    expect(pricesToSet).toEqual(["/pets"]);
  });

  test("is what the person chose where the document says nothing", () => {
    const { manifest, pricesToSet } = convert(oneOperation({}), { choices: { priceUsd: 0.01 } });

    expect(manifest["price"]).toEqual({ type: "PER_CALL", amount: 0.01 });
    expect(pricesToSet).toEqual([]);
  });
});

describe("an example", () => {
  const parameters = [{ name: "kind", in: "query", required: true, schema: { type: "string", maxLength: 5 } }];
  const answer = jsonAnswer(items, { example: [{ id: 1 }] });

  test("is made of the document's own values", () => {
    const written = [{ ...parameters[0], example: "dog" }];

    const { examples } = endpointOf({ summary: "List", parameters: written, ...answer });

    expect(examples).toEqual([
      {
        name: "List",
        source: "pets.yaml",
        input: { queryParams: { kind: "dog" } },
        response: { status: 200, body: [{ id: 1 }] },
      },
    ]);
  });

  test.each<[string, unknown]>([
    ["nothing is given for what is needed", undefined],
    ["what is given does not fit", "elephant"],
  ])("is left out when %s", (_, example) => {
    const endpoint = endpointOf({ parameters: [{ ...parameters[0], example }], ...answer });

    expect(endpoint.examples).toBeUndefined();
  });

  test("of a body is taken whole", () => {
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const content = { "application/json": { schema, example: { name: "Rex" } } };

    const { examples } = endpointOf({ requestBody: { content }, ...answer }, { method: "post" });

    expect(examples[0].input).toEqual({ body: { name: "Rex" } });
  });
});

describe("where calls go", () => {
  const withServers = (servers: unknown, ref = "pets.yaml") =>
    convert(openApi({ "/a": { get: {} } }, { servers }), { ref });

  test.each<[string, unknown, string, string]>([
    [
      "variables by their defaults",
      [{ url: "https://{r}.pets.example:{p}/v1", variables: { r: { default: "eu" }, p: { enum: ["8443"] } } }],
      "pets.yaml",
      "https://eu.pets.example:8443/v1",
    ],
    [
      "https before http",
      [{ url: "http://pets.example" }, { url: "https://api.pets.example/" }],
      "pets.yaml",
      "https://api.pets.example",
    ],
    ["http to strangers becomes https", [{ url: "http://pets.example/v2" }], "pets.yaml", "https://pets.example/v2"],
    [
      "relative to where the document is",
      [{ url: "/v3" }],
      "https://pets.example/docs/openapi.json",
      "https://pets.example/v3",
    ],
    ["a host of one's own keeps http", [{ url: "http://localhost:8080" }], "pets.yaml", "http://localhost:8080"],
  ])("%s", (_, servers, ref, baseUrl) => {
    const { manifest } = withServers(servers, ref);

    expect(manifest["http"]).toMatchObject({ baseUrl });
    expect(manifest.endpoints["/a"]?.["enabled"]).toBeUndefined();
  });

  test("without any address the endpoints are off, and both file and summary say how to go on", () => {
    const { manifest, notes, comments } = withServers([{ url: "/v1" }]);

    expect(manifest["http"]).toEqual({ baseUrl: "https://set-me.invalid" });
    expect(manifest.endpoints["/a"]?.["enabled"]).toBe(false);
    expect(notes.join()).toContain("--base-url");
    expect(comments[0]?.path).toEqual(["http", "baseUrl"]);
  });

  test("an address that a person gives stands over all others", () => {
    const manifest = manifestOf(openApi({ "/a": { servers: [{ url: "https://other.example" }], get: {} } }), {
      choices: { baseUrl: "https://mine.example/v9/" },
    });

    expect(manifest.http.baseUrl).toBe("https://mine.example/v9");
    expect(manifest.endpoints["/a"].http).toBeUndefined();
  });

  test("paths and operations may have servers of their own", () => {
    const manifest = manifestOf(
      openApi({
        "/a": { get: {} },
        "/b": { get: {} },
        "/c": { get: { servers: [{ url: "https://files.pets.example" }] } },
      }),
    );

    expect(manifest.http.baseUrl).toBe("https://pets.example/v1");
    expect(manifest.endpoints["/c"].http).toEqual({ baseUrl: "https://files.pets.example" });
  });
});

describe("which operations are taken", () => {
  const many = openApi(
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `/p${index}`,
        { post: { tags: ["writing"] }, get: { tags: ["reading"], ...(index >= 30 && { description: "read" }) } },
      ]),
    ),
  );

  test("fifty of many, those that read and say what first, and the tags to choose from", () => {
    const { manifest, skipped, notes } = convert(many);

    const methods = Object.values(manifest.endpoints).map(({ request }) => (request as { method: string }).method);
    expect(methods).toEqual(Array.from({ length: 50 }, () => "GET"));
    expect(manifest.endpoints["/p59"]).toBeDefined();
    expect(manifest.endpoints["/p25"]).toBeUndefined();
    expect(skipped).toHaveLength(70);
    expect(notes[0]).toContain("its tags: writing (60), reading (60)");
  });

  test.each<[string, object, number]>([
    ["all of them", { allOperations: true }, 120],
    ["those of a tag", { includeTags: ["Writing"] }, 60],
    ["some by name", { includeOperations: ["GET /p1", "post /p2"] }, 2],
  ])("%s", (_, choices, count) => {
    const { manifest } = convert(many, { choices });

    expect(Object.keys(manifest.endpoints)).toHaveLength(count);
  });

  test("names of endpoints do not depend on the choice", () => {
    const all = convert(many, { choices: { allOperations: true } });
    const some = convert(many, { choices: { includeTags: ["writing"] } });

    expect(Object.keys(all.manifest.endpoints)).toEqual(expect.arrayContaining(Object.keys(some.manifest.endpoints)));
  });

  test.each<[string, object]>([
    ["deprecated", { deprecated: true }],
    ["hidden by our word", { "x-mkt-hidden": true }],
    ["hidden by a word of command lines", { "x-cli-ignore": true }],
    ["internal", { "x-internal": true }],
  ])("not those that their author leaves out: %s", (_, operation) => {
    const { manifest, skipped } = convert(openApi({ "/a": { get: {} }, "/b": { get: operation } }));

    expect(Object.keys(manifest.endpoints)).toEqual(["/a"]);
    expect(skipped[0]?.operation).toBe("GET /b");
  });
});
