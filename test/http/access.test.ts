import { describe, expect, test } from "vitest";
import { findOperator } from "../../daemon/http/callers/access.ts";
import type { Caller } from "../../daemon/http/callers/caller.ts";
import { toHostList } from "../../daemon/http/listener/host-list.ts";

const operator: Caller = {
  kind: "API_KEY",
  actor: "API_KEY#k1",
  userId: "u1",
  workspaceId: "w1",
  scopes: ["*"],
  operator: true,
};

test("an operator acts in a workspace: who has none is none", async () => {
  const { workspaceId: _workspaceId, ...nowhere } = operator;

  expect(await findOperator(async () => operator)).toBe(operator);
  expect(await findOperator(async () => nowhere)).toBeUndefined();
  expect(await findOperator(async () => ({ ...operator, operator: false }))).toBeUndefined();
});

describe("the hosts that a server answers for", () => {
  test.each(["0.0.0.0", "::"])("are those of this machine, and not %s, on which it listens", (address) => {
    const { hosts, origins } = toHostList(address, 7717, []);

    expect([...hosts].sort()).toEqual(["127.0.0.1:7717", "[::1]:7717", "localhost:7717"]);
    expect([...origins].filter((origin) => origin.includes(address === "::" ? "[::]" : address))).toEqual([]);
  });

  test("have the address that it listens on among them", () => {
    expect([...toHostList("10.0.0.7", 7717, []).hosts]).toContain("10.0.0.7:7717");
  });
});
