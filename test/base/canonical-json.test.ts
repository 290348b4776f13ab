import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../daemon/base/canonical-json.ts";
import { stampRequest } from "../../daemon/idempotency/stamp-request.ts";

/** The same value with the members of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shuffled(member)] as const);
  return Object.fromEntries(members.reverse());
}

const keyed = (body: unknown) => ({ key: "k", workspaceId: "w1", operationId: "startRun", params: undefined, body });

describe("canonical JSON", () => {
  test("is JSON that says the same", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        // -0 is 0 in JSON.
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("does not depend on the order of members", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test("differs where values differ", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        const [plainOne, plainOther] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(canonicalJson(one) === canonicalJson(other)).toBe(isDeepStrictEqual(plainOne, plainOther));
      }),
    );
  });

  test("leaves out members that are undefined", () => {
    expect(canonicalJson({ b: undefined, a: [1, null] })).toBe('{"a":[1,null]}');
  });
});

describe("the stamp of a request", () => {
  test("does not depend on the order of members", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (body) => {
        expect(stampRequest(keyed(shuffled(body)))).toEqual(stampRequest(keyed(body)));
      }),
    );
  });

  test.each([
    ["another body", { body: { a: 2 } }],
    ["another operation", { operationId: "createApiKey" }],
    ["another path", { params: { workspaceId: "w2" } }],
  ])("is another one for %s, under the same key", (_what, change) => {
    const stamp = stampRequest(keyed({ a: 1 }));

    const changed = stampRequest({ ...keyed({ a: 1 }), ...change });

    expect(changed.key).toBe(stamp.key);
    expect(changed.request).not.toBe(stamp.request);
  });

  test("has another key in another workspace, also where the two run together", () => {
    const keys = [
      { workspaceId: "w1", key: "k" },
      { workspaceId: "w2", key: "k" },
      { workspaceId: "w", key: "1k" },
    ].map((where) => stampRequest({ ...keyed({}), ...where }).key);

    expect(new Set(keys).size).toBe(3);
  });

  test("holds nothing of the key or the body", () => {
    const stamp = stampRequest({ ...keyed({ secret: "s3cret-value" }), key: "order-4711" });

    expect(JSON.stringify(stamp)).not.toMatch(/4711|s3cret/);
    expect(stamp).toEqual({
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      request: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
