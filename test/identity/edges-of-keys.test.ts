import { expect, test } from "vitest";
import type { WorkspaceCaller } from "../../daemon/http/callers/caller.ts";
import { checkMayChange, expiryWithin, operatorGrant } from "../../daemon/identity/key-limits.ts";
import { keyCreated } from "../storage/lines.ts";
import { testCaller } from "../support/test-caller.ts";

const at = "2026-11-21T10:00:00.000Z";
const clock = { now: () => Date.parse(at) };
const own = keyCreated("k1", { role: "manager", scopes: ["*"], expiresAt: "2026-12-01T00:00:00.000Z" }).key;
const caller: WorkspaceCaller = { ...testCaller, operator: true, key: own };

test("a key may end with the one that makes it, and not a millisecond later", () => {
  expect(expiryWithin(caller, "2026-12-01T00:00:00.000Z", clock)).toBe("2026-12-01T00:00:00.000Z");
  expect(() => expiryWithin(caller, "2026-12-01T00:00:00.001Z", clock)).toThrow("must not be after");
});

test("the operator grant goes with all scopes or not at all", () => {
  expect(operatorGrant(caller, true, ["*"])).toBe(true);
  expect(() => operatorGrant(caller, true, ["runs:create"])).toThrow("scopes do not limit a key");
});

test("a manager, though an operator, changes members' keys and not an operator's", () => {
  const other = { role: "member", createdBy: "USER#u2", scopes: ["runs:create"] } as const;
  const member = keyCreated("k2", { ...other, scopes: [...other.scopes] }).key;
  const operators = keyCreated("k3", { ...other, scopes: ["*"], operator: true }).key;

  expect(() => checkMayChange(caller, member)).not.toThrow();
  expect(() => checkMayChange(caller, operators)).toThrow("is not a member's key");
});
