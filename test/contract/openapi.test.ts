import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import { operationPaths } from "../../shared/contract/operation-paths.ts";
import { toOpenApiDocument } from "../../shared/openapi.ts";
import { operationIdsOf, readFacts, type Json } from "./contract-facts.ts";
import { absentOperations, additions, knownDifferences } from "./known-differences.ts";

const reference = JSON.parse(readFileSync(new URL("../data/openapi.json", import.meta.url), "utf8")) as Json;
const ours = JSON.parse(
  JSON.stringify(toOpenApiDocument(operations, { version: "0.1.0", servers: ["http://127.0.0.1:7717"] })),
) as Json;

const tierInReference = operationIdsOf(reference);
const tierInOurs = operationIdsOf(ours);
const shared = new Set([...tierInOurs.keys()].filter((id) => tierInReference.has(id)));
const expected = readFacts(reference, shared);
const found = readFacts(ours, shared);

test("the document says its name and version", () => {
  expect(ours["openapi"]).toBe("3.1.0");
  expect(ours["info"]).toMatchObject({ title: "Data Marketplace Service", version: "0.1.0" });
});

describe("compared with the reference document", () => {
  test("every operation of tier core is served", () => {
    const missing = [...tierInReference].filter(([id, tier]) => tier === "core" && !tierInOurs.has(id));

    expect(missing).toEqual([]);
  });

  test("operations that are not served are listed by name", () => {
    const missing = [...tierInReference.keys()].filter((id) => !tierInOurs.has(id));

    expect(missing.sort()).toEqual([...absentOperations].sort());
  });

  test("operations of our own are of tier mkt, and no others are", () => {
    const own = [...tierInOurs.keys()].filter((id) => !tierInReference.has(id));
    const declared = [...tierInOurs].filter(([, tier]) => tier === "mkt").map(([id]) => id);

    expect(own.sort()).toEqual(declared.sort());
  });

  test("what differs is listed by name and reason, and what is listed still differs", () => {
    const differing = [...expected]
      .filter(([at, fact]) => found.get(at) !== fact)
      .map(([at, fact]) => ({ at, ours: found.get(at) ?? "absent", reference: fact }));

    expect(differing.map(({ at, ours: fact }) => ({ at, ours: fact })).sort(byPlace)).toEqual(
      knownDifferences.map(({ at, ours: fact }) => ({ at, ours: fact })).sort(byPlace),
    );
  });

  test("what is added is listed by name, and what is listed is added", () => {
    const added = [...found.keys()].filter((at) => !expected.has(at) && !isOfTheServer(at));

    expect(added.sort()).toEqual([...additions].sort());
  });

  test("the list of differences only shrinks", () => {
    expect(knownDifferences.length).toBeLessThanOrEqual(10);
    expect(knownDifferences.every(({ reason }) => reason.length > 20)).toBe(true);
  });
});

describe("the comparison notices", () => {
  test.each([
    ["a member left out", "Run", { properties: {} }, "Run.output"],
    ["a member that is no longer required", "Money", { required: ["value"] }, "Money.currency"],
    ["a value missing from an enum", "RunStatus", { enum: ["RUNNING"] }, "RunStatus"],
    ["a schema that lets more in", "RunInput", { additionalProperties: true }, "RunInput"],
    ["a limit that moved", "Period", { properties: { count: { type: "integer", minimum: 1 } } }, "Period.count"],
  ])("%s", (_, name, change, at) => {
    const changed = structuredClone(ours);
    const schemas = (changed["components"] as { schemas: Record<string, Json> }).schemas;
    schemas[name] = { ...schemas[name], ...change };

    const facts = readFacts(changed, shared);

    expect(facts.get(at)).not.toBe(expected.get(at));
  });

  test("an operation that no longer wants credentials", () => {
    const changed = structuredClone(ours);
    const paths = changed["paths"] as Record<string, Record<string, Json>>;
    Object.assign(paths["/v1/wallet/balance"]?.["get"] ?? {}, { security: [] });

    const facts = readFacts(changed, shared);

    expect(facts.get("getWalletBalance")).not.toBe(expected.get("getWalletBalance"));
  });
});

describe("the document is whole", () => {
  test("every reference in it leads somewhere", () => {
    const references = [...JSON.stringify(ours).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    const components = ours["components"] as Record<string, Record<string, unknown>>;

    const dangling = references.filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined);

    expect(references.length).toBeGreaterThan(100);
    expect(dangling).toEqual([]);
  });

  test("every path parameter is declared, and no other", () => {
    const wrong = Object.values(operations)
      .map((operation) => ({
        path: operation.path,
        declared: "params" in operation ? Object.keys(operation.params.shape) : [],
      }))
      .filter(({ path, declared }) => namesIn(path).join() !== declared.join());

    expect(wrong).toEqual([]);
  });

  test("the list of operations and the table of their paths have the same names", () => {
    expect(Object.keys(operations).sort()).toEqual(Object.keys(operationPaths).sort());
  });
});

/** A status that the server itself may give any request; server-statuses.test.ts provokes them. */
function isOfTheServer(at: string): boolean {
  return /\.responses\.(400|403|408|413|415|429|431|500|503|507)(\.headers)?$/.test(at);
}

function byPlace(a: { at: string }, b: { at: string }): number {
  return a.at < b.at ? -1 : 1;
}

function namesIn(path: string): (string | undefined)[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
}
