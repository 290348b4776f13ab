import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical-json.ts";
import { type OperationPrints, PRINT_LENGTH } from "../documents/operation-prints.ts";
import type { McpListing } from "./read-mcp-server.ts";

/** The tools of a server by name, each with a short hash of its whole description. */
export function printTools({ tools }: Pick<McpListing, "tools">): OperationPrints {
  const print = (tool: unknown) =>
    createHash("sha256").update(canonicalJson(tool)).digest("hex").slice(0, PRINT_LENGTH);
  return Object.fromEntries(tools.map((tool) => [String(tool["name"]), print(tool)]));
}
