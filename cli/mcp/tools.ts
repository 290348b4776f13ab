import type { Tool } from "./tool.ts";
import { balanceTool } from "./tools/balance.ts";
import { discoverTool } from "./tools/discover.ts";
import { getRunTool } from "./tools/get-run.ts";
import { inspectTool } from "./tools/inspect.ts";
import { listRunsTool } from "./tools/list-runs.ts";
import { quoteTool } from "./tools/quote.ts";
import { releaseTool } from "./tools/release.ts";
import { resourcesTool } from "./tools/resources.ts";
import { runTool } from "./tools/run.ts";
import { stopRunTool } from "./tools/stop-run.ts";
import { workspacesTool } from "./tools/workspaces.ts";

/** The only list of tools, in the order in which clients see them. */
export const tools: readonly Tool[] = [
  discoverTool,
  inspectTool,
  quoteTool,
  runTool,
  getRunTool,
  stopRunTool,
  listRunsTool,
  balanceTool,
  workspacesTool,
  resourcesTool,
  releaseTool,
];
