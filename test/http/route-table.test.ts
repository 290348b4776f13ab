import { describe, expect, test } from "vitest";
import { RouteTable, routeTableOf } from "../../daemon/http/routes/route-table.ts";
import { operations } from "../../shared/contract/index.ts";

const all = Object.values(operations);
const table = new RouteTable(all);
/** With a slash, a percent sign and a blank, which a path has encoded; the last part of a path may have slashes as they are. */
const VALUE = "a/b% c";

const targetOf = (path: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(VALUE));
const partsOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

describe("the table of the contract's operations", () => {
  test.each(all.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "finds %s, with its parts decoded",
    (_, operation) => {
      const found = table.match(operation.method, `${targetOf(operation.path)}?q=1`);

      expect(found?.operation).toBe(operation);
      expect({ ...found?.params }).toEqual(Object.fromEntries(partsOf(operation.path).map((name) => [name, VALUE])));
    },
  );

  test("finds for HEAD what it finds for GET", () => {
    expect(table.match("HEAD", "/v1/runs")?.operation).toBe(operations.listRuns);
  });

  test.each([
    ["POST", "/v1/runs"],
    ["QUERY", "/v1/runs"],
    ["GET", "//v1/runs"],
    ["GET", "/v1/%zz"],
    ["GET", "/"],
  ])("finds nothing for %s %s", (method, target) => {
    expect(table.match(method, target)).toBeUndefined();
  });

  test("takes an empty part for one, which the server refuses", () => {
    expect(table.match("GET", "/v1/runs/")?.operation.operationId).toBe("getRun");
    expect({ ...table.match("GET", "/v1/runs/")?.params }).toEqual({ runId: "" });
  });

  test("knows the operations of a path whatever the method", () => {
    expect(table.operationsAt("/v1/runs")).toEqual([operations.listRuns]);
    expect(table.operationsAt("/v1/nothing")).toEqual([]);
  });

  test("is one for the same operations, and another for others", () => {
    expect(routeTableOf(all)).toBe(routeTableOf([...all]));
    expect(routeTableOf(all.slice(1))).not.toBe(routeTableOf(all));
    expect(routeTableOf(all.slice(1)).match(all[0]!.method, targetOf(all[0]!.path))).toBeUndefined();
  });
});
