import { Command } from "../command/command.ts";
import type { CliContext } from "../command/context.ts";
import { openBrowser } from "../terminal/open-browser.ts";
import type { OpenedConsole } from "./opened-console.ts";

export function consoleCommand(context: CliContext): Command {
  return new Command("console")
    .description("Open the console in the browser, signed in as this key")
    .option("--print", "print the address, and open no browser")
    .examples("mkt console", "mkt console --print")
    .action(async ({ print = false }: { print?: boolean }) => {
      const client = await context.client({ autostart: true });
      const { path, expiresAt } = await client.createConsoleTicket();
      const { baseUrl } = await context.settings();
      // The base may have a path of its own, below which everything is.
      const address = `${(baseUrl?.value ?? "").replace(/\/+$/, "")}/${path}`;
      const opened = !print && openBrowser(context.io, address);
      await context.output.show<OpenedConsole>(
        { address, expiresAt, opened },
        async () => (await import("./ConsoleOpened.tsx")).ConsoleOpened,
      );
    });
}
