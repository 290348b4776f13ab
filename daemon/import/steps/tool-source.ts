import type { ToolSource } from "./import-steps.ts";
import type { McpAccess, McpListing } from "../mcp/read-mcp-server.ts";

/** The data of a server that is passed on, without the token. */
export function toolSource(listing: McpListing, { allowPrivateHosts, authorization }: McpAccess): ToolSource {
  const variable = authorization?.variable;
  return {
    kind: "tools",
    listing,
    access: { allowPrivateHosts, ...(variable !== undefined && { authorization: { variable } }) },
  };
}
