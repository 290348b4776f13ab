import { Command } from "../command/command.ts";
import { confirm } from "../input/confirm.ts";
import type { CliContext } from "../command/context.ts";
import { shellLine } from "../../shared/words/shell-line.ts";

/** `mkt release <resourceId>`, to which the hint `releaseResource` points; also as `mkt resources release <resourceId>`. */
export function releaseCommand(context: CliContext): Command {
  return new Command("release")
    .description("Release a resource; it stays usable for the period that is paid")
    .argument("<resourceId>")
    .examples("mkt release 01JV8Z… --yes")
    .action(async (resourceId: string) => {
      context.suggest(404, "mkt resources");
      context.suggest(409, shellLine("mkt", "resources", "get", resourceId));
      const client = await context.client();
      await confirm(context, `Release the resource ${resourceId}? This cannot be undone.`);
      const accepted = await client.releaseResource({ params: { resourceId } });
      await context.output.show(accepted, async () => (await import("./ResourceScreens.tsx")).ResourceReleasing);
    });
}
