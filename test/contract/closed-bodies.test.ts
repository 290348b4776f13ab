import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { type JsonSchema, type SchemaComponents, toWireSchema } from "../../shared/openapi-schema.ts";
import { startTestDaemon, type TestDaemon } from "../support/start-daemon.ts";
import { examplePath, exampleRequest } from "../spec/example-request.ts";

/** Bodies that give power or spend money refuse what they do not know. docs/contract.md, "Closed bodies". */

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
});

const all: readonly Operation[] = Object.values(operations);
/** Without a scope and without the operator grant there is nothing to be given: reads of the catalog. */
const givesPower = ({ auth, scope }: Operation) => auth === "operator" || scope !== undefined;
const places = all
  .filter((operation) => operation.body !== undefined && givesPower(operation))
  .flatMap((operation) => objectsIn(operation).map((path) => ({ operation, path })));

describe("a body that gives power or spends money", () => {
  test.each(
    places.map(({ operation, path }) => [`${operation.operationId} ${path.join(".")}`, operation, path] as const),
  )("%s refuses a member that it does not know, and names it", async (_title, operation, path) => {
    const body = bodyWith(operation, path, { sloppyMember: true });

    const answer = await daemon.request(operation.method, examplePath(operation), body);

    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(`${path.join(".") || "body"}: has unknown members: sloppyMember`);
  });

  test("a slip for scopes makes no key that may do everything, and is told what was meant", async () => {
    const answer = await daemon.request("POST", "/v1/api-keys", { label: "slip", scope: ["runs:read"] });

    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'body: has unknown members: scope; did you mean "scopes"?' },
    });
    expect((await daemon.request("GET", "/v1/api-keys/slip")).status).toBe(404);
  });

  test("a slip inside a limit makes no key without one", async () => {
    const spendLimit = { amount: { value: 1, currency: "USD" }, period: "DAY", per: "HOUR" };
    const answer = await daemon.request("POST", "/v1/api-keys", { label: "slip", spendLimit });

    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^spendLimit: .*"period"\?$/) },
    });
  });

  test.each([
    ["/v1/api-keys/owner", "label"],
    ["/v1/controls/workspace/budgets/01JD0000000000000000000000", "limitAmount, status or both"],
    ["/v1/controls/workspace/run-caps/01JD0000000000000000000000", "limitAmount, status or both"],
    ["/v1/admin/settings", "mirrorProviderStatus, discoverFloor, discoverPool, health"],
  ])("PATCH %s with nothing to change says what may be changed", async (path, names) => {
    const answer = await daemon.request("PATCH", path, {});

    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`name what is to change: ${names}`) },
    });
  });
});

describe("a query", () => {
  test("of a change that is unknown stops the change", async () => {
    await daemon.request("POST", "/v1/api-keys", { label: "keeper" });

    const removed = await daemon.request("DELETE", "/v1/api-keys/keeper?dryRun=true");

    expect(removed).toMatchObject({
      status: 400,
      body: { message: "query: has unknown members: dryRun; it takes none" },
    });
    expect((await daemon.request("GET", "/v1/api-keys/keeper")).status).toBe(200);
  });

  test("that sums or exports more than was meant is refused", async () => {
    const answer = await daemon.request("GET", "/v1/runs/export?format=csv&provder=atlas");

    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('"provider"') } });
  });

  test("of a read of the published contract may have more than is known", async () => {
    expect((await daemon.request("GET", "/v1/runs?limit=1&later=true")).status).toBe(200);
  });
});

/** The paths of all objects with members of their own in the body, the body itself first. */
function objectsIn(operation: Operation): string[][] {
  const components: SchemaComponents = {};
  const found: string[][] = [];
  const walk = (schema: JsonSchema, path: string[]): void => {
    const { properties } = followed(schema, components);
    if (typeof properties !== "object" || properties === null) return;
    found.push(path);
    for (const [name, member] of Object.entries(properties as Record<string, JsonSchema>))
      walk(member, [...path, name]);
  };
  if (operation.body !== undefined) walk(toWireSchema(operation.body, components), []);
  return found;
}

/** The example body with the objects on the way to `path`, and `more` in the last of them. */
function bodyWith(operation: Operation, path: readonly string[], more: object): object {
  const components: SchemaComponents = {};
  let schema = toWireSchema(operation.body!, components);
  const body = structuredClone(exampleRequest(operation).body) as Record<string, unknown>;
  let place = body;
  for (const name of path) {
    schema = (followed(schema, components)["properties"] as Record<string, JsonSchema>)[name]!;
    place = (place[name] ??= sample(schema, components)) as Record<string, unknown>;
  }
  Object.assign(place, more);
  return body;
}

function sample(schema: JsonSchema, components: SchemaComponents): unknown {
  const { enum: values, const: value, type, minimum, properties, required } = followed(schema, components);
  if (value !== undefined) return value;
  if (Array.isArray(values)) return values[0];
  if (type === "number" || type === "integer") return minimum ?? 1;
  if (type !== "object") return "x";
  const members = properties as Record<string, JsonSchema>;
  return Object.fromEntries(((required ?? []) as string[]).map((name) => [name, sample(members[name]!, components)]));
}

function followed(schema: JsonSchema, components: SchemaComponents): JsonSchema {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return schema;
  return { ...components[reference.slice(reference.lastIndexOf("/") + 1)], ...schema, $ref: undefined };
}
