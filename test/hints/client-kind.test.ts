import { expect, test } from "vitest";
import { readClientKind } from "../../shared/hints/client-kind.ts";

test.each([
  ["no header", {}, "api"],
  ["our command line", { "x-mkt-client": "cli" }, "cli"],
  ["the reference command line", { "x-monid-client": "cli" }, "monid-cli"],
  ["both, of which ours wins", { "x-mkt-client": "web", "x-monid-client": "cli" }, "web"],
  ["both, ours unknown", { "x-mkt-client": "toaster", "x-monid-client": "cli" }, undefined],
  ["upper case", { "x-mkt-client": "MCP" }, "mcp"],
  ["an unknown value", { "x-monid-client": "toaster" }, undefined],
  ["an empty value", { "x-mkt-client": "" }, undefined],
])("%s", (_title, headers: Record<string, string>, kind) => {
  expect(readClientKind((name) => headers[name])).toBe(kind);
});
