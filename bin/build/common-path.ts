// What nearly every call loads. The build makes one file of it: gather-common-path.ts.
export { runCli } from "../../cli/main.ts";
export { discoverCommand } from "../../cli/commands/discover.ts";
export { getRunCommand } from "../../cli/commands/get-run.ts";
export { inspectCommand } from "../../cli/commands/inspect.ts";
export { runCommand } from "../../cli/commands/run.ts";
export { createClient } from "../../shared/client/client.ts";
