import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { manifestJsonSchema } from "../../daemon/manifest/manifest-schema.ts";
import { checkCatalog } from "../../daemon/catalog-review/catalog-check.ts";
import { tempDir } from "../support/temp-dir.ts";
import { blocksOf } from "./blocks.ts";

/** docs/manifest.md says what the schema of provider files says, and its examples are correct. */

type Json = Record<string, unknown>;

const text = readFileSync(new URL("../../docs/manifest.md", import.meta.url), "utf8");
const schema = manifestJsonSchema() as Json;

describe("the tables of docs/manifest.md", () => {
  const tables = tablesOf(text);

  test.each(tables.map((table) => [table.places.join(", "), table] as const))("%s: every name exists", (_, table) => {
    const unknown = table.places.flatMap((place) => {
      const names = new Set(membersBelow(nodesAt(place)).keys());
      return table.rows.filter(({ name }) => !names.has(name)).map(({ name }) => `${place}: ${name}`);
    });

    // `offset` is a tier's alone, which the document says.
    expect(unknown.filter((name) => name !== "price.selectors[]: offset")).toEqual([]);
  });

  test("name every member of the schema, with its words and its default", () => {
    const documented = new Map<string, string>();
    for (const { places, rows } of tables) {
      for (const place of places) {
        const members = membersBelow(nodesAt(place));
        for (const { name, line } of rows)
          for (const member of members.get(name) ?? []) documented.set(member.key, line);
      }
    }

    const members = everyMember();
    const missing = members.filter(({ key }) => !documented.has(key)).map(({ path }) => path);
    const incomplete = members.flatMap(({ key, path, node }) => {
      const line = documented.get(key) ?? "";
      return [...wordsOf(node), ...defaultOf(node)]
        .filter((word) => !line.includes(word))
        .map((word) => `${path}: ${word}`);
    });

    expect(members.length).toBeGreaterThan(150);
    expect(missing).toEqual([]);
    expect(incomplete).toEqual([]);
  });
});

describe("the examples of docs/manifest.md", () => {
  const examples = blocksOf(text).filter(({ language }) => language === "yaml");
  const marks = [...text.matchAll(/^<!-- check: (\w+) -->\n\n```yaml\n([\s\S]*?)^```$/gm)].map(
    ([, mark = "", example = ""]) => [mark, example.trimEnd()] as const,
  );

  test("are all checked, but for the one of categories.yaml", () => {
    const checked = new Set(marks.map(([, example]) => example));
    const others = examples
      .filter((block) => !checked.has(block.text))
      .map((block) => Object.keys(parse(block.text) as Json));

    expect(others).toEqual([["mkt", "tops", "leaves", "providers"]]);
  });

  test.each(marks.map(([mark, example]) => [example.split("\n", 1)[0], mark, example] as const))(
    "%s passes mkt catalog check",
    async (_, mark, example) => {
      using folder = tempDir();
      const file = fileWith(mark, parse(example) as Json);
      const path = join(folder.path, `${String(file["provider"])}.json`);
      writeFileSync(path, JSON.stringify(file));

      const report = await checkCatalog({ paths: [path], defaults: [] });

      expect(report.problems.map(({ message }) => message)).toEqual([]);
      expect(report).toMatchObject({ files: [path], exitCode: 0 });
    },
  );
});

/** The file that an example is a part of; what the example says stands in the place of the same there. */
function fileWith(mark: string, example: Json): Json {
  const file = {
    mkt: 1,
    provider: "example",
    secrets: { key: { env: "EXAMPLE_KEY" }, token: { env: "EXAMPLE_TOKEN" } },
    http: { baseUrl: "https://api.example.com/v1" },
    price: { type: "PER_CALL", amount: 0.001 },
  };
  const endpoint = {
    request: { method: "GET", path: "/search" },
    input: {
      queryParams: {
        properties: { q: { type: "string" }, limit: { type: "integer", minimum: 1, maximum: 100, default: 10 } },
      },
    },
  };
  switch (mark) {
    case "file":
      return example;
    case "provider":
      return { ...file, endpoints: { "/search": endpoint }, ...example };
    case "endpoint":
      return { ...file, endpoints: { "/search": { ...endpoint, ...example } } };
    default:
      throw new Error(`nobody knows what "check: ${mark}" means`);
  }
}

interface Table {
  /** Where its fields stand, such as `endpoints.<path>.request`. */
  readonly places: readonly string[];
  readonly rows: readonly { readonly name: string; readonly line: string }[];
}

/** The tables of fields, and the places that the "At `place`" before each names. */
function tablesOf(markdown: string): Table[] {
  const paragraphs = markdown.split("\n\n");
  return paragraphs.flatMap((paragraph, index) => {
    if (!paragraph.startsWith("| Field ")) return [];
    const [, said = ""] = /(?:^|\. )At ([\s\S]*)$/.exec(paragraphs[index - 1] ?? "") ?? [];
    const named = [...said.replace(/ besides [\s\S]*/, "").matchAll(/`([^`]+)`/g)].map(([, place = ""]) => place);
    const places = said.startsWith("the top of the file")
      ? [""]
      : completed(named.filter((place) => place !== "offset"));
    const rows = [...paragraph.matchAll(/^\| `([^`]+)`.*$/gm)].map(([line, name = ""]) => ({ name, line }));
    return [{ places, rows }];
  });
}

/** In "`a.uses[]`, `updates[]`" the second stands beside the first. */
function completed(places: readonly string[]): string[] {
  const [first = ""] = places;
  const parent = first.slice(0, first.lastIndexOf(".") + 1);
  return places.map((place) => (nodesAt(place).length === 0 ? `${parent}${place}` : place));
}

/** What a schema may be, references followed. */
function readings(node: unknown): Json[] {
  if (typeof node !== "object" || node === null) return [];
  const one = node as Json;
  const ref = one["$ref"];
  if (typeof ref === "string") {
    const definitions = schema["$defs"] as Json;
    return readings(definitions[ref.replace("#/$defs/", "")]);
  }
  const parts = ["anyOf", "oneOf", "allOf"].flatMap((word) => (one[word] as unknown[] | undefined) ?? []);
  return [one, ...parts.flatMap(readings)];
}

function childrenOf(nodes: readonly Json[], step: string): Json[] {
  return nodes.flatMap((node) => {
    if (step.startsWith("<")) return readings(node["additionalProperties"]);
    return readings((node["properties"] as Json | undefined)?.[step]);
  });
}

/** `a.<b>.c[]` in the schema. */
function nodesAt(place: string): Json[] {
  let nodes = readings(schema);
  for (const step of place.split(".").filter((word) => word !== "")) {
    nodes = childrenOf(nodes, step.replace("[]", ""));
    if (step.endsWith("[]")) nodes = nodes.flatMap((node) => readings(node["items"]));
    else if (nodes.every((node) => node["properties"] === undefined))
      nodes = [...nodes, ...nodes.flatMap((node) => readings(node["items"]))];
  }
  return nodes;
}

interface Member {
  /** A field of the same name and shape is the same, wherever it stands. */
  readonly key: string;
  readonly node: Json;
}

/** The members of objects, and by dotted names those of objects in them. */
function membersBelow(nodes: readonly Json[], prefix = "", depth = 0): Map<string, Member[]> {
  const found = new Map<string, Member[]>();
  const add = (name: string, member: Member) => found.set(name, [...(found.get(name) ?? []), member]);
  for (const node of nodes) {
    for (const [name, member] of Object.entries((node["properties"] ?? {}) as Json)) {
      add(`${prefix}${name}`, memberOf(name, member));
      if (depth > 1) continue;
      for (const [below, list] of membersBelow(readings(member), `${prefix}${name}.`, depth + 1)) {
        for (const one of list) add(below, one);
      }
    }
  }
  return found;
}

function memberOf(name: string, member: unknown): Member {
  return { key: `${name} ${JSON.stringify(member)}`, node: member as Json };
}

/** Every member of the schema, each once. */
function everyMember(): (Member & { readonly path: string })[] {
  const found = new Map<string, Member & { readonly path: string }>();
  const seen = new Set<Json>();
  const visit = (nodes: readonly Json[], path: string): void => {
    for (const node of nodes) {
      if (seen.has(node)) continue;
      seen.add(node);
      for (const [name, member] of Object.entries((node["properties"] ?? {}) as Json)) {
        const one = memberOf(name, member);
        // What is money says so itself: `{value, currency}` is described among the types.
        if (name !== "value" && name !== "currency" && !found.has(one.key))
          found.set(one.key, { ...one, path: `${path}${name}` });
        visit(readings(member), `${path}${name}.`);
      }
      visit(readings(node["items"]), path);
      visit(readings(node["additionalProperties"]), path);
    }
  };
  visit(readings(schema), "");
  return [...found.values()];
}

/** The words that a field may be. */
function wordsOf(node: Json): string[] {
  const one = readings(node).flatMap((reading) => (reading["enum"] as unknown[] | undefined) ?? []);
  const constant = node["const"];
  return [...one, ...(constant === undefined ? [] : [constant])].map(String);
}

/** A default that is not nothing. */
function defaultOf(node: Json): string[] {
  const value = node["default"];
  return value === undefined || value === "" ? [] : [typeof value === "string" ? value : JSON.stringify(value)];
}
