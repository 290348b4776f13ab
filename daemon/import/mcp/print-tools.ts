import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/canonical-json.ts";
import { memberOf } from "../../../shared/member-of.ts";
import { type OperationPrints, PRINT_LENGTH } from "../documents/operation-prints.ts";
import type { McpListing } from "./read-mcp-server.ts";

/**
 * What a caller of a tool reads. Anything else (icons, `_meta`, how it runs) may differ between two lists of the same
 * server.
 */
const PRINTED = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

type Tools = Pick<McpListing, "tools">;

/** The tools of a server by name, each with a short hash of its description, schemas and annotations. */
export function printTools({ tools }: Tools): OperationPrints {
  return printAll(tools, (tool) => {
    const parts = PRINTED.filter((name) => Object.hasOwn(tool, name)).map((name) => [name, memberOf(tool, name)]);
    return Object.fromEntries(parts);
  });
}

/** How a list of tools differs from what an import recorded. */
export interface ToolDifferences {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A record of an earlier version has hashes of whole tools: these count as well. */
export function compareTools(pinned: OperationPrints, listing: Tools): ToolDifferences {
  const [before, now] = [new Map(Object.entries(pinned)), new Map(Object.entries(printTools(listing)))];
  const whole = new Map(Object.entries(printAll(listing.tools, (tool) => tool)));
  const isSame = (name: string) => [now.get(name), whole.get(name)].includes(before.get(name));
  return {
    added: [...now.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter((name) => before.has(name) && !isSame(name)),
  };
}

function printAll(tools: Tools["tools"], printed: (tool: Tools["tools"][number]) => unknown): OperationPrints {
  const print = (value: unknown) =>
    createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, PRINT_LENGTH);
  return Object.fromEntries(tools.map((tool) => [String(tool["name"]), print(printed(tool))]));
}
