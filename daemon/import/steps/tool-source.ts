import type { ToolSource } from "./import-steps.ts";
import type { McpAccess, McpListing } from "../mcp/read-mcp-server.ts";

/** What is handed on of a server that was asked: not the token. */
export function toolSource(listing: McpListing, { allowPrivateHosts, authorization }: McpAccess): ToolSource {
  const variable = authorization?.variable;
  return {
    kind: "tools",
    listing,
    access: { allowPrivateHosts, ...(variable !== undefined && { authorization: { variable } }) },
  };
}
