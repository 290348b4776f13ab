import { Argument } from "commander";
import { Command } from "../command/command.ts";
import { completionScripts, howToInstall, shells, type Shell } from "./scripts.ts";
import type { CliContext } from "../command/context.ts";

export function completionCommand(context: CliContext): Command {
  const install = shells.map((shell) => `  ${shell.padEnd(6)}${howToInstall[shell]}`).join("\n");
  return new Command("completion")
    .description("Print the shell completion script for commands, flags, endpoints and runs")
    .examples("mkt completion bash")
    .addArgument(new Argument("<shell>").choices(shells))
    .addHelpText("after", `\nTo install it:\n${install}`)
    .action(async (shell: Shell) => {
      await context.output.text(completionScripts[shell]);
      if (context.io.isTty.stdout) await context.output.note(`To install it: ${howToInstall[shell]}`);
    });
}
