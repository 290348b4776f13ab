// The code that nearly every call loads. The build makes one file of it: gather-common-path.ts.
export { start } from "./start.ts";
export { discoverCommand } from "../cli/discover/discover-command.ts";
export { getRunCommand } from "../cli/runs/get-run-command.ts";
export { inspectCommand } from "../cli/inspect/inspect-command.ts";
export { runCommand } from "../cli/run/run-command.ts";
export { createClient } from "../shared/client/client.ts";
