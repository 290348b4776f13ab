import { expect, test } from "vitest";
import { printTools } from "../../daemon/import/mcp/print-tools.ts";

test("a tool whose members come in another order has not changed", () => {
  const before = printTools({ tools: [{ name: "look", description: "Looks", inputSchema: { type: "object" } }] });

  const now = printTools({ tools: [{ inputSchema: { type: "object" }, description: "Looks", name: "look" }] });
  const changed = printTools({ tools: [{ name: "look", description: "Stares", inputSchema: { type: "object" } }] });

  expect(now).toEqual(before);
  expect(changed).not.toEqual(before);
});
