import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Manifest, type ManifestEndpoint } from "../../daemon/manifest/manifest.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { openAtlas, type OpenAtlas } from "../support/open-atlas.ts";
import type { Answer } from "../support/request.ts";

const SECTIONS = ["pathParams", "queryParams", "body"] as const;
/** One for the file: each that is new compiles the schema of schemas first. */
const ajv = new Ajv2020({ useDefaults: true, strict: true });
addFormats.default(ajv);
const read = async (name: string): Promise<unknown> => parse(await readFile(`${bundledCatalogDir}/${name}`, "utf8"));

interface CategoryTree {
  tops: { id: string; children: string[] }[];
  leaves: { id: string }[];
  providers: Record<string, string[]>;
}

let manifest: Manifest;
let categories: CategoryTree;

beforeAll(async () => {
  manifest = Manifest.parse(await read("atlas.yaml"));
  categories = (await read("categories.yaml")) as CategoryTree;
});

test("there is an endpoint of every price type that a run can have", () => {
  const types = new Set(Object.values(manifest.endpoints).map((endpoint) => endpoint.price?.type));

  expect([...types].sort()).toEqual([
    "BY_PERIOD",
    "FREE",
    "METERED",
    "PER_CALL",
    "PER_RESULT",
    "PER_UNIT",
    "PER_UNIT_MATRIX",
    "TIERED",
  ]);
});

test("every endpoint says what it does, what it is asked, and where it belongs", () => {
  for (const endpoint of Object.values(manifest.endpoints)) {
    expect(endpoint.description.length).toBeGreaterThan(40);
    expect(endpoint.displayName).toBeTypeOf("string");
    expect(endpoint.asks).not.toEqual([]);
    expect(endpoint.examples).not.toEqual([]);
    expect(endpoint.categories).not.toEqual([]);
  }
});

test("every parameter is described", () => {
  for (const endpoint of Object.values(manifest.endpoints)) {
    for (const section of SECTIONS) {
      for (const schema of Object.values(propertiesOf(endpoint, section))) {
        expect(schema).toHaveProperty("description");
      }
    }
  }
});

test("every category that is named is in the tree, and a top of several leaves has endpoints under them", () => {
  const inTree = categories.tops.flatMap(({ id, children }) => children.map((child) => `${id}/${child}`));
  const named = new Set(Object.values(manifest.endpoints).flatMap((endpoint) => endpoint.categories ?? []));

  expect(inTree).toEqual(expect.arrayContaining([...named, ...manifest.categories]));
  expect([...named].filter((path) => path.startsWith("places/")).length).toBeGreaterThan(1);
});

test("no id of the tree is used twice, and none is a provider's", () => {
  const ids = [...categories.tops, ...categories.leaves].map(({ id }) => id);

  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).not.toContain(manifest.provider);
});

test("every hint leads to an endpoint that exists", () => {
  const hints = Object.values(manifest.endpoints).flatMap((endpoint) => Object.values(endpoint.hints ?? {}));

  expect(hints).not.toEqual([]);
  for (const hint of hints) {
    // What a run made is known once there is a run.
    if (typeof hint === "object" && hint.kind === "releaseResource") continue;
    expect(hint).toMatchObject({ provider: "atlas" });
    expect(Object.keys(manifest.endpoints)).toContain((hint as { endpoint: string }).endpoint);
  }
});

describe("examples", async () => {
  const { endpoints } = Manifest.parse(await read("atlas.yaml"));
  const examples = Object.entries(endpoints).flatMap(([path, endpoint]) =>
    endpoint.examples.map((example) => ({ path, endpoint, example })),
  );

  test.each(examples)("$path: $example.name", async ({ endpoint, example }) => {
    await using atlas = await openAtlas();
    const input = checkInput(endpoint, example.input);

    const reply = await callAsManifestSays(atlas, endpoint, input);

    expect(reply.status).toBe(example.expect?.httpStatus);
    if (example.expect?.count !== undefined) {
      expect(extractCount(endpoint, reply)).toBe(example.expect.count);
    }
  });

  test.each(Object.entries(endpoints))("%s takes the values that its schema gives as examples", (_, endpoint) => {
    for (const section of SECTIONS) {
      for (const [name, schema] of Object.entries(propertiesOf(endpoint, section))) {
        for (const value of (schema["examples"] as unknown[] | undefined) ?? []) {
          expect(ajv.validate({ type: "object", properties: { [name]: schema } }, { [name]: value })).toBe(true);
        }
      }
    }
  });
});

type Input = Record<(typeof SECTIONS)[number], Record<string, unknown>>;

function propertiesOf(endpoint: ManifestEndpoint, section: (typeof SECTIONS)[number]) {
  return (endpoint.input[section]?.["properties"] ?? {}) as Record<string, Record<string, unknown>>;
}

/** Sorts flat fields into their sections and checks them as the daemon will, defaults filled in. */
function checkInput(endpoint: ManifestEndpoint, flat: Record<string, unknown>): Input {
  const input: Input = { pathParams: {}, queryParams: {}, body: {} };
  for (const [name, value] of Object.entries(flat)) {
    const section = SECTIONS.find((candidate) => name in propertiesOf(endpoint, candidate));
    if (section === undefined) throw new Error(`No section declares ${name}`);
    input[section][name] = value;
  }
  for (const section of SECTIONS) {
    const schema = { type: "object", additionalProperties: false, ...endpoint.input[section] };
    if (!ajv.validate(schema, input[section])) throw new Error(ajv.errorsText());
  }
  return input;
}

async function callAsManifestSays(atlas: OpenAtlas, endpoint: ManifestEndpoint, input: Input): Promise<Answer> {
  const path = (endpoint.request.path ?? "").replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input.pathParams[name])),
  );
  if (endpoint.request.method === "GET") return atlas.get(path, input.queryParams as Record<string, string>);
  const reply = await atlas.post(path, input.body);
  if (endpoint.async === undefined) return reply;
  expect(reply.status).toBe(202);
  return atlas.get(`/jobs/${reply.body.id}/result`);
}

function extractCount(endpoint: ManifestEndpoint, reply: Answer): unknown {
  const counted = reply.body[String(endpoint.usage?.count).slice("$.".length)];
  return Array.isArray(counted) ? counted.length : counted;
}
