import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { terminalLook } from "../terminal/terminal-look.ts";

export function topCommand(context: CliContext): Command {
  return new Command("top")
    .description("Watch live: runs, queue, spending, providers, errors; stop or open a run")
    .examples("mkt top", "mkt top --json --fields inFlight.running,today.charged")
    .action(async () => {
      const client = await context.client();
      const { baseUrl } = await context.settings();
      const { TopReader } = await import("./read-top.ts");
      const reader = new TopReader(client, baseUrl?.value ?? "");
      const first = await reader.read(new AbortController().signal);
      if (isInteractive(context)) return (await import("./run-top.tsx")).runTop(context, client, reader, first);
      return context.output.show(first, async () => (await import("./TopScreen.tsx")).TopScreen);
    });
}

/** Whether a screen can be redrawn and somebody can press keys; elsewhere one snapshot is all there is to show. */
function isInteractive({ io, flags, output }: CliContext): boolean {
  const hasKeys = io.isTty.stdin && "setRawMode" in io.stdin && flags.input;
  // Ink draws nothing but the last frame where CI is set.
  return output.drawsScreens && hasKeys && !terminalLook(io.env).linear && !io.env["CI"];
}
