import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { canonicalJson } from "../../daemon/base/canonical-json.ts";
import { compareTools, printTools } from "../../daemon/import/mcp/print-tools.ts";

test("a tool whose members come in another order has not changed", () => {
  const before = printTools({ tools: [{ name: "look", description: "Looks", inputSchema: { type: "object" } }] });

  const now = printTools({ tools: [{ inputSchema: { type: "object" }, description: "Looks", name: "look" }] });
  const changed = printTools({ tools: [{ name: "look", description: "Stares", inputSchema: { type: "object" } }] });

  expect(now).toEqual(before);
  expect(changed).not.toEqual(before);
});

test("what no caller reads is no change, and hashes of whole tools from earlier versions count as well", () => {
  const tool = { name: "look", description: "Looks", _meta: { host: "a" } };
  const whole = createHash("sha256").update(canonicalJson(tool)).digest("hex").slice(0, 16);
  const moved = { ...tool, _meta: { host: "b" } };
  const stares = { ...tool, description: "Stares" };

  const changes = [tool, moved, stares].map(
    (now) => compareTools(printTools({ tools: [tool] }), { tools: [now] }).changed,
  );
  const earlier = [tool, stares].map((now) => compareTools({ look: whole }, { tools: [now] }).changed);

  expect(changes).toEqual([[], [], ["look"]]);
  expect(earlier).toEqual([[], ["look"]]);
});
