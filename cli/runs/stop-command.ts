import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/** `mkt stop <runId>`, also as `mkt runs stop <runId>`. */
export function stopCommand(context: CliContext): Command {
  return new Command("stop")
    .description("Stop a run in progress")
    .argument("<runId>")
    .examples("mkt stop 01JV8Z…")
    .action(async (runId: string) => {
      context.suggest(404, "mkt runs");
      context.suggest(409, shellLine("mkt", "get-run", runId));
      const client = await context.client();
      const accepted = await client.stopRun({ params: { runId } });
      await context.output.show(accepted, async () => (await import("./RunStopping.tsx")).RunStopping);
    });
}
