import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseCatalogText } from "../../../daemon/catalog/parsing/parse-catalog-text.ts";
import { composeManifest } from "../../../daemon/import/composing/compose-manifest.ts";
import { findProblems } from "../../../daemon/import/composing/drop-unusable.ts";
import { NO_CHOICES } from "../../../daemon/import/import-catalog.ts";
import type { ImportedProvider } from "../../../daemon/import/conversion/imported-provider.ts";
import { GONE, mergeManifests } from "../../../daemon/import/composing/merge-manifest.ts";
import { importedEndpoint, importedManifest, importedProvider } from "../imported.ts";

const request = { slug: "skywatch", choices: NO_CHOICES, today: "2026-11-21" };
const operations = {};

async function first(imported: ImportedProvider = importedProvider()) {
  return await composeManifest({ imported, operations, version: "3.1" }, request);
}

/** A second import over a text that somebody may have edited. */
async function again(text: string, imported: ImportedProvider, before: ImportedProvider = importedProvider()) {
  const { record } = await first(before);
  return await composeManifest({ imported, operations }, { ...request, existing: { text, isJson: false, record } });
}

test("a manifest that nobody would read through is written as JSON, with nothing lost, and stays JSON", async () => {
  const sixty = Object.fromEntries(Array.from({ length: 60 }, (_, field) => [`field${field}`, { type: "string" }]));
  const endpoint = importedEndpoint({
    request: { method: "GET" },
    input: { queryParams: { properties: sixty } },
    examples: [],
  });
  const endpoints = Object.fromEntries(Array.from({ length: 350 }, (_, number) => [`/part/${number}`, endpoint]));
  const large = importedProvider({ manifest: importedManifest({ endpoints }) });

  const written = await first(large);
  const taken = await composeManifest(
    { imported: large, operations },
    { ...request, existing: { text: written.text, isJson: written.isJson, record: written.record } },
  );

  expect(written.isJson).toBe(true);
  expect(JSON.parse(written.text)).toEqual(written.record.manifest);
  expect(taken).toMatchObject({ isJson: true, text: written.text, summary: { changed: false } });
});

test("a manifest is written for people to read", async () => {
  const { text } = await first();

  expect(text).toMatchInlineSnapshot(`
    "# Imported from https://skywatch.example/openapi.json on 2026-11-21 (version 3.1 of the document).
    # Yours to edit: the next import of the same document keeps what you changed.
    # Secrets to set: mkt secrets set SKYWATCH_KEY
    # Prices: the document names none for some calls. Set price here, or per endpoint.
    # Then: mkt catalog check; mkt catalog grant skywatch

    mkt: 1
    provider: skywatch
    displayName: Skywatch
    description: Weather by city.
    secrets:
      key: {env: SKYWATCH_KEY, description: API key}
    http:
      baseUrl: https://api.skywatch.example
      auth: {type: apiKey, in: query, name: appid, value: "\${secret.key}"}
    price: {type: FREE}
    source:
      kind: openapi
      ref: https://skywatch.example/openapi.json
      sha256: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    endpoints:
      /forecast/{city}:
        displayName: City forecast
        description: >-
          Hourly forecast for one city, up to 16 days ahead, in metric or imperial units, as the document says it.
        tags: [weather]
        idempotent: true
        request: {method: GET, path: "/v3/forecast/{city}"}
        input:
          pathParams:
            required: [city]
            properties:
              city: {type: string, description: City name}
          queryParams:
            properties:
              days: {type: integer, minimum: 1, maximum: 16, default: 3}
        output: {select: $.list}
        usage: {count: $.list} # check me
        examples:
          - name: two days
            input: {city: Lisbon, days: 2}
            source: https://skywatch.example/openapi.json
      /alerts/{city}:
        displayName: Alerts
        description: >-
          Hourly forecast for one city, up to 16 days ahead, in metric or imperial units, as the document says it.
        tags: [weather]
        idempotent: true
        request: {method: GET, path: "/v3/forecast/{city}"}
        input:
          pathParams:
            required: [city]
            properties:
              city: {type: string, description: City name}
          queryParams:
            properties:
              days: {type: integer, minimum: 1, maximum: 16, default: 3}
        output: {select: $.list}
        usage: {count: $.list}
        examples:
          - name: two days
            input: {city: Lisbon, days: 2}
            source: https://skywatch.example/openapi.json
    "
  `);
});

test("what is written is what was meant, and the catalog takes it", async () => {
  const { text } = await first();

  expect(parse(text)).toEqual(importedManifest());
  expect(findProblems(importedManifest())).toEqual([]);
});

test("another import of the same document changes no byte, whatever was edited", async () => {
  const { text } = await first();
  const edited = text
    .replace("Skywatch\n", "My weather # mine\n")
    .replace("type: FREE", "type: PER_CALL, amount: 0.01")
    .replace("  /alerts/{city}:", "\n  # not so good\n  /alerts/{city}:");

  const outcome = await again(edited, importedProvider());

  expect(outcome.text).toBe(edited);
  expect(outcome.summary.changed).toBe(false);
});

test("what only the document changed is taken; edits, comments and blank lines stay", async () => {
  const { text } = await first();
  const edited = text
    .replace("Skywatch\n", "My weather # mine\n")
    .replace("price: {type: FREE}", "# we charge\nprice: {type: PER_CALL, amount: 0.01}\n");
  const changed = importedManifest({
    description: "Weather by city, and by village.",
    endpoints: {
      "/forecast/{city}": importedEndpoint({ tags: ["weather", "hourly"] }),
      "/alerts/{city}": importedEndpoint({ displayName: "Alerts" }),
      "/history/{city}": importedEndpoint({ displayName: "History" }),
    },
  });

  const { text: after, summary } = await again(edited, importedProvider({ manifest: changed }));

  expect(after).toContain("displayName: My weather # mine\n");
  expect(after).toContain("# we charge\nprice: {type: PER_CALL, amount: 0.01}\n");
  expect(after).toContain("# check me");
  expect(parse(after)).toEqual({ ...changed, displayName: "My weather", price: { type: "PER_CALL", amount: 0.01 } });
  expect(summary).toMatchObject({ added: ["/history/{city}"], stayRemoved: [], kept: [], changed: true });
});

test("where both changed the same, the person's stays and is named", async () => {
  const { text } = await first();
  const edited = text.replace("displayName: Alerts", "displayName: Warnings");
  const manifest = importedManifest({
    endpoints: {
      "/forecast/{city}": importedEndpoint(),
      "/alerts/{city}": importedEndpoint({ displayName: "All alerts" }),
    },
  });

  const { text: after, summary } = await again(edited, importedProvider({ manifest }));

  expect(after).toBe(edited);
  expect(summary.kept).toEqual(["endpoints./alerts/{city}.displayName"]);
});

test("an endpoint that a person removed stays removed, and is named", async () => {
  const { text } = await first();
  const edited = text.slice(0, text.indexOf("  /alerts/{city}:"));

  const { text: after, summary } = await again(edited, importedProvider());

  expect(after).toBe(edited);
  expect(summary.stayRemoved).toEqual(["/alerts/{city}"]);
});

test("an endpoint that a person removed stays removed when the document changes it, and is no conflict", async () => {
  const { text } = await first();
  const edited = text.slice(0, text.indexOf("  /alerts/{city}:"));
  const manifest = importedManifest({
    endpoints: {
      "/forecast/{city}": importedEndpoint(),
      "/alerts/{city}": importedEndpoint({ displayName: "All alerts" }),
    },
  });

  const { text: after, summary } = await again(edited, importedProvider({ manifest }));

  expect(after).toBe(edited);
  expect(summary).toMatchObject({ stayRemoved: ["/alerts/{city}"], kept: [], changed: false });
});

test("an endpoint that a person removed and the document no longer has is not spoken of", async () => {
  const { text } = await first();
  const edited = text.slice(0, text.indexOf("  /alerts/{city}:"));
  const manifest = importedManifest({ endpoints: { "/forecast/{city}": importedEndpoint() } });

  const { text: after, summary } = await again(edited, importedProvider({ manifest }));

  expect(after).toBe(edited);
  expect(summary).toMatchObject({ stayRemoved: [], gone: [], kept: [], changed: false });
});

test("an endpoint that is gone from the document goes, and an edited one is kept and marked", async () => {
  const { text } = await first();
  const edited = text.replace("displayName: Alerts", "displayName: Warnings");
  const manifest = importedManifest({ endpoints: { "/new/{city}": importedEndpoint() } });

  const outcome = await again(edited, importedProvider({ manifest }));
  const back = await composeManifest(
    { imported: importedProvider(), operations },
    { ...request, existing: { text: outcome.text, isJson: false, record: outcome.record } },
  );

  expect(Object.keys(parse(outcome.text).endpoints).sort()).toEqual(["/alerts/{city}", "/new/{city}"]);
  expect(parse(outcome.text).endpoints["/alerts/{city}"].deprecated).toBe(GONE);
  expect(outcome.summary.gone).toEqual(["/alerts/{city}"]);
  expect(parse(back.text).endpoints["/alerts/{city}"].deprecated).toBeUndefined();
});

test("without a record of the last import everything in the file is the person's", async () => {
  const { text } = await first();
  const manifest = importedManifest({
    displayName: "Other",
    endpoints: { "/forecast/{city}": importedEndpoint({ tags: [] }), "/new/{city}": importedEndpoint() },
  });

  const { text: after } = await composeManifest(
    { imported: importedProvider({ manifest }), operations },
    { ...request, existing: { text, isJson: false } },
  );

  const value = parse(after);
  expect(value).toMatchObject({ displayName: "Skywatch", endpoints: { "/forecast/{city}": { tags: ["weather"] } } });
  expect(Object.keys(value.endpoints).sort()).toEqual(["/alerts/{city}", "/forecast/{city}", "/new/{city}"]);
});

test("a shared schema that an edited endpoint still names is kept", async () => {
  const body = { properties: { place: { $ref: "#/schemas/Place" } } };
  const before = importedProvider({
    manifest: importedManifest({
      schemas: { Place: { type: "string" } },
      endpoints: { "/a": importedEndpoint({ request: { method: "POST", path: "/a" }, input: { body }, examples: [] }) },
    }),
  });
  const { text } = await first(before);
  const manifest = importedManifest({ endpoints: { "/b": importedEndpoint() } });

  const { text: after } = await again(text.replace("City forecast", "Mine"), importedProvider({ manifest }), before);

  expect(parse(after).schemas).toEqual({ Place: { type: "string" } });
});

test("a file that a person broke is not written over, but told", async () => {
  const { text } = await first();
  const manifest = importedManifest({ description: "New." });
  const unreadable = again(`${text}\n\tx: [`, importedProvider({ manifest }));
  const unusable = again(text.replace("type: FREE", "type: PER_RESULT"), importedProvider({ manifest }));

  await expect(unreadable).rejects.toMatchObject({ rule: "manifest" });
  await expect(unusable).rejects.toThrow("Fix it first");
});

test("where anchors of the file are in the way, nothing is written and it is told", async () => {
  const { text } = await first();
  const edited = text.replace("tags: [weather]", "tags: &tags [weather]").replace("tags: [weather]", "tags: *tags");
  const manifest = importedManifest({
    endpoints: {
      "/forecast/{city}": importedEndpoint({ tags: ["other"] }),
      "/alerts/{city}": importedEndpoint({ displayName: "Alerts" }),
    },
  });

  await expect(again(edited, importedProvider({ manifest }))).rejects.toMatchObject({ rule: "anchors" });
});

test("a manifest that is JSON stays JSON", async () => {
  const { record } = await first();
  const text = JSON.stringify({ ...importedManifest(), displayName: "Mine" });
  const manifest = importedManifest({ description: "New." });

  const outcome = await composeManifest(
    { imported: importedProvider({ manifest }), operations },
    { ...request, existing: { text, isJson: true, record } },
  );

  expect(JSON.parse(outcome.text)).toEqual({ ...manifest, displayName: "Mine" });
});

test("an endpoint that the catalog would refuse is left out and told why; examples that do not fit go alone", async () => {
  const manifest = importedManifest({
    endpoints: {
      "/good/{city}": importedEndpoint({ examples: [{ name: "wrong", input: { city: "Lisbon", days: 99 } }] }),
      "/bad": importedEndpoint({ request: { method: "GET", path: "/bad/{nowhere}" }, input: {}, examples: [] }),
      "/forbidden": importedEndpoint({ input: { body: JSON.parse('{"properties": {"constructor": {}}}') } }),
    },
  });

  const { text, summary } = await first(importedProvider({ manifest }));

  expect(Object.keys(parse(text).endpoints)).toEqual(["/good/{city}"]);
  expect(parse(text).endpoints["/good/{city}"].examples).toBeUndefined();
  expect(summary.skipped.map(({ operation }) => operation).sort()).toEqual(["GET /bad", "GET /forbidden"]);
});

test("a document of which nothing is left is refused with the first reason", async () => {
  const imported = importedProvider({
    manifest: importedManifest({ endpoints: {} }),
    skipped: [{ operation: "GET /a", why: "it is deprecated" }],
  });

  await expect(first(imported)).rejects.toThrow("GET /a: it is deprecated");
});

test("a comment cannot leave its line", async () => {
  const text = "\u001b[2Jwipe\nendpoints: {}\u2028x\u0085y";
  const { text: yaml } = await first(importedProvider({ comments: [{ path: ["price"], text }] }));

  expect(parse(yaml)).toEqual(importedManifest());
  expect(yaml).not.toContain("\u001b");
});

test("neither can the head of a file that is imported again", async () => {
  const { text, record } = await first();
  const changed = importedProvider({ manifest: importedManifest({ description: "Other words." }) });

  const merged = await composeManifest(
    { imported: changed, operations, version: "1)\nmarkup: {percent: 900} #" },
    { ...request, existing: { text, isJson: false, record } },
  );

  expect(parse(merged.text)).toEqual(changed.manifest);
});

const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.constantFrom(
    "yes",
    "1",
    "null",
    "a: b",
    "# x",
    "- y",
    "x \n y\n",
    "\ttab",
    "é\u0000",
    "{a}",
    "2026-01-01",
    "on",
    "~",
    "",
  ),
);
const long = "word ".repeat(40);
const paragraphs = fc
  .array(
    fc.constantFrom(
      "",
      "short",
      long,
      `  ${long}`,
      `\t${long}`,
      `- ${long}`,
      `${long}  `,
      "# no comment",
      "x".repeat(200),
    ),
  )
  .map((lines) => lines.join("\n"));
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    paragraphs,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  map: fc.dictionary(fc.oneof(fc.stringMatching(/^[a-z$/ {}.:#-]{1,10}$/), texts), tie("value"), { maxKeys: 4 }),
}));

test("whatever texts an example holds, what is written is what was meant", async () => {
  await fc.assert(
    fc.asyncProperty(data.map, async (body) => {
      fc.pre(!/__proto__|constructor|prototype/.test(JSON.stringify(body)));
      const plain: unknown = JSON.parse(JSON.stringify(body));
      const examples = [{ name: "x", input: { city: "Lisbon" }, response: { status: 200, body: plain } }];
      const manifest = importedManifest({
        endpoints: { "/a/{city}": importedEndpoint({ request: { method: "GET", path: "/{city}" }, examples }) },
      });

      const { text, isJson } = await first(importedProvider({ manifest, comments: [] }));

      const parsed = await parseCatalogText(text, "skywatch.yaml");
      expect(isJson).toBe(false);
      expect("value" in parsed && parsed.value).toEqual(manifest);
    }),
    { numRuns: 150 },
  );
});

const leaf = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean());
const small = fc.letrec((tie) => ({
  map: fc.dictionary(
    fc.constantFrom("a", "b", "c", "d", "price"),
    fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 2 }), tie("map")),
    { maxKeys: 4 },
  ),
}));

test("an edit anywhere survives any other import", () => {
  fc.assert(
    fc.property(
      small.map,
      small.map,
      fc.array(fc.constantFrom("a", "b", "c", "d", "price"), { minLength: 1, maxLength: 4 }),
      fc.option(leaf),
      (base, theirs, path, value) => {
        const mine = structuredClone(base) as Record<string, unknown>;
        const isEdited = edit(mine, path, value);
        fc.pre(isEdited && JSON.stringify(mine) !== JSON.stringify(base));

        const { value: merged } = mergeManifests(
          base as Record<string, unknown>,
          mine,
          theirs as Record<string, unknown>,
        );

        expect(at(merged, path)).toEqual(at(mine, path));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("an import of the same document is no edit, and of an unedited file all is taken", () => {
  fc.assert(
    fc.property(small.map, small.map, (base, other) => {
      const [before, theirs] = [base as Record<string, unknown>, other as Record<string, unknown>];

      expect(mergeManifests(before, theirs, before).edits).toEqual([]);
      expect(mergeManifests(before, before, theirs).value).toEqual(theirs);
    }),
    { numRuns: 1_000 },
  );
});

/** Null removes. False when the place is not there to be edited. */
function edit(root: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  let owner: unknown = root;
  for (const part of path.slice(0, -1)) owner = (owner as Record<string, unknown> | undefined)?.[part];
  if (typeof owner !== "object" || owner === null || Array.isArray(owner)) return false;
  const name = path.at(-1) ?? "";
  if (value === null) delete (owner as Record<string, unknown>)[name];
  else (owner as Record<string, unknown>)[name] = value;
  return true;
}

function at(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], root);
}

test.each<[string, Readonly<Record<string, unknown>>, object]>([
  ["of the example", {}, { input: { city: "Lisbon", days: 2 } }],
  [
    "of the values that its needed fields show",
    { examples: [], input: { pathParams: { required: ["city"], properties: { city: { examples: ["Porto"] } } } } },
    { input: { pathParams: { city: "Porto" } } },
  ],
  [
    "that is empty where nothing is needed",
    { examples: [], input: { pathParams: { required: ["city"], properties: { city: { default: "Lisbon" } } } } },
    { input: {} },
  ],
])("the first endpoint to try has an input %s", async (_, changes, expected) => {
  const manifest = importedManifest({ endpoints: { "/forecast/{city}": importedEndpoint(changes) } });

  const { summary } = await first(importedProvider({ manifest }));

  expect(summary.tryFirst).toEqual({ path: "/forecast/{city}", ...expected });
});

test.each([
  ["needs what the document shows no value of", { examples: [] }],
  ["may change something", { idempotent: false }],
])("the first endpoint to try is only to be looked at where it %s", async (_, changes) => {
  const manifest = importedManifest({ endpoints: { "/forecast/{city}": importedEndpoint(changes) } });

  const { summary } = await first(importedProvider({ manifest }));

  expect(summary.tryFirst).toEqual({ path: "/forecast/{city}" });
});

test("a grant is asked for where there are secrets or a private address, and only there", async () => {
  const open = importedManifest({ secrets: {}, http: { baseUrl: "https://api.skywatch.example" } });
  const own = importedManifest({ secrets: {}, http: { baseUrl: "http://10.0.0.1", allowPrivateNetwork: true } });

  const outcomes = await Promise.all(
    [undefined, open, own].map((manifest) => first(importedProvider({ ...(manifest && { manifest }) }))),
  );

  expect(outcomes.map(({ summary }) => summary.needsGrant)).toEqual([true, false, true]);
  expect(outcomes.map(({ text }) => text.includes("mkt catalog grant"))).toEqual([true, false, true]);
});
