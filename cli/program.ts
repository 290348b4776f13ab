import { Command } from "commander";
import { findPlaces } from "../shared/places.ts";
import { budgetsCommand, capsCommand } from "./commands/controls.ts";
import { catalogCommand } from "./commands/catalog.ts";
import { daemonCommand } from "./commands/daemon.ts";
import { discoverCommand } from "./commands/discover.ts";
import { getRunCommand } from "./commands/get-run.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { keysCommand } from "./commands/keys.ts";
import { categoriesCommand, endpointsCommand, providersCommand } from "./commands/registry.ts";
import { resourcesCommand } from "./commands/resources.ts";
import { runCommand } from "./commands/run.ts";
import { runsCommand } from "./commands/runs.ts";
import { secretsCommand } from "./commands/secrets.ts";
import { stopCommand } from "./commands/stop.ts";
import { usageCommand } from "./commands/usage.ts";
import { usersCommand } from "./commands/users.ts";
import { walletCommand } from "./commands/wallet.ts";
import { whoamiCommand } from "./commands/whoami.ts";
import { workspacesCommand } from "./commands/workspaces.ts";
import type { CliContext } from "./context.ts";
import { exitCodeMeanings } from "./exit-codes.ts";
import { addGlobalFlags } from "./global-flags.ts";

/** Adds the commands that are not the CLI's own: the daemon itself, and those on the files of a stopped one. */
export type Mount = (program: Command, context: CliContext) => void;

/** The whole command line; the only list of commands. */
export function createProgram(context: CliContext, mount?: Mount): Command {
  const program = new Command("mkt")
    .description("Find data endpoints, look at them, run them, and see what it cost.")
    .version(context.io.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureHelp({ showGlobalOptions: true, helpWidth: helpWidth(context) })
    .exitOverride()
    .addHelpText("after", helpEnd);
  addGlobalFlags(program, findPlaces(context.io.env));

  program.commandsGroup("Use:");
  add(program, discoverCommand(context), inspectCommand(context), runCommand(context), getRunCommand(context));
  add(program, runsCommand(context), stopCommand(context), resourcesCommand(context));
  program.commandsGroup("Browse:");
  add(program, categoriesCommand(context), providersCommand(context), endpointsCommand(context));
  program.commandsGroup("Account:");
  add(program, whoamiCommand(context), workspacesCommand(context), walletCommand(context), usageCommand(context));
  add(program, keysCommand(context));
  add(program, budgetsCommand(context), capsCommand(context));
  program.commandsGroup("Operate:");
  add(program, usersCommand(context), catalogCommand(context), secretsCommand(context));
  add(program, daemonCommand(context));

  mount?.(program, context);
  program.hook("preAction", (root) => context.begin(root.opts()));
  shareSettings(program, context);
  return program;
}

function add(program: Command, ...commands: readonly Command[]): void {
  for (const command of commands) program.addCommand(command);
}

// A command that was built on its own has not taken over how the program ends, writes and helps.
function shareSettings(parent: Command, context: CliContext): void {
  parent.configureOutput({
    writeOut: (text) => void context.io.stdout.write(text),
    writeErr: (text) => void context.io.stderr.write(text),
    // Told by whoever runs the program, in the form that the flags ask for.
    outputError: () => {},
  });
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    shareSettings(command, context);
  }
}

function helpWidth({ io }: CliContext): number {
  return io.isTty.stdout ? io.columns : 100;
}

const helpEnd = `
Examples:
  mkt discover sunrise and sunset
  mkt inspect atlas/sun
  mkt run atlas/sun latitude=38.7 longitude=-9.1

Exit codes:
${exitCodeMeanings.map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`).join("\n")}`;
