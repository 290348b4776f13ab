import type { Command as CommanderCommand } from "commander";
import { findPlaces } from "../shared/places.ts";
import { Command } from "./command/command.ts";
import type { CliContext } from "./command/context.ts";
import { formatHelp, optionDescription, subcommandTerm } from "./help/format-help.ts";
import { helpCommand } from "./help/help-command.ts";
import type { Invocation } from "./invocation.ts";
import { topics } from "./help/topics.ts";
import { addGlobalFlags } from "./flags/global-flags.ts";

/**
 * Adds the commands that are not the CLI's own, to the program and to those of its commands that are there: the daemon
 * itself, and what works on the files of a stopped one.
 */
export type Mount = (program: CommanderCommand, context: CliContext) => void | Promise<void>;

interface CommandEntry {
  /** Its name and its aliases. */
  readonly names: readonly string[];
  readonly load: () => Promise<(context: CliContext) => CommanderCommand>;
  /** Has commands in it that come with the mount. */
  readonly isMounted?: true;
}

/** The only list of commands, by the heading under which the help shows them. */
const commandList: Readonly<Record<string, readonly CommandEntry[]>> = {
  "Use:": [
    { names: ["discover"], load: async () => (await import("./discover/discover-command.ts")).discoverCommand },
    { names: ["inspect"], load: async () => (await import("./inspect/inspect-command.ts")).inspectCommand },
    { names: ["run"], load: async () => (await import("./run/run-command.ts")).runCommand },
    { names: ["batch"], load: async () => (await import("./batch/batch-command.ts")).batchCommand },
    {
      names: ["schedules"],
      load: async () => (await import("./schedules/schedules-command.ts")).schedulesCommand,
    },
    { names: ["quote"], load: async () => (await import("./run/quote-command.ts")).quoteCommand },
    { names: ["get-run", "getRun"], load: async () => (await import("./runs/get-run-command.ts")).getRunCommand },
    { names: ["runs"], load: async () => (await import("./runs/runs-command.ts")).runsCommand },
    { names: ["stop"], load: async () => (await import("./runs/stop-command.ts")).stopCommand },
    { names: ["release"], load: async () => (await import("./resources/release-command.ts")).releaseCommand },
    { names: ["resources"], load: async () => (await import("./resources/resources-command.ts")).resourcesCommand },
  ],
  "Browse:": [
    { names: ["categories"], load: async () => (await import("./registry/registry-commands.ts")).categoriesCommand },
    { names: ["providers"], load: async () => (await import("./registry/registry-commands.ts")).providersCommand },
    { names: ["endpoints"], load: async () => (await import("./registry/registry-commands.ts")).endpointsCommand },
  ],
  "Agents:": [
    { names: ["mcp"], load: async () => (await import("./mcp/mcp-command.ts")).mcpCommand },
    { names: ["skill"], load: async () => (await import("./skill/skill-command.ts")).skillCommand },
  ],
  "Account:": [
    { names: ["profile"], load: async () => (await import("./profiles/profile-command.ts")).profileCommand },
    { names: ["login"], load: async () => (await import("./profiles/login-command.ts")).loginCommand },
    { names: ["whoami"], load: async () => (await import("./whoami/whoami-command.ts")).whoamiCommand },
    { names: ["workspaces"], load: async () => (await import("./workspaces/workspaces-command.ts")).workspacesCommand },
    { names: ["wallet"], load: async () => (await import("./wallet/wallet-command.ts")).walletCommand },
    { names: ["usage"], load: async () => (await import("./usage/usage-command.ts")).usageCommand },
    { names: ["top"], load: async () => (await import("./top/top-command.ts")).topCommand },
    { names: ["console"], load: async () => (await import("./console/console-command.ts")).consoleCommand },
    { names: ["keys"], load: async () => (await import("./keys/keys-command.ts")).keysCommand },
    { names: ["connect"], load: async () => (await import("./connect/connect-command.ts")).connectCommand },
    { names: ["connections"], load: async () => (await import("./connect/connections-command.ts")).connectionsCommand },
    { names: ["budgets"], load: async () => (await import("./controls/control-commands.ts")).budgetsCommand },
    { names: ["caps", "run-caps"], load: async () => (await import("./controls/control-commands.ts")).capsCommand },
    { names: ["approvals"], load: async () => (await import("./approvals/approvals-command.ts")).approvalsCommand },
    { names: ["webhooks"], load: async () => (await import("./webhooks/webhooks-command.ts")).webhooksCommand },
  ],
  "Operate:": [
    { names: ["api"], load: async () => (await import("./api/api-command.ts")).apiCommand },
    { names: ["settings"], load: async () => (await import("./settings/settings-command.ts")).settingsCommand },
    { names: ["users"], load: async () => (await import("./workspaces/users-command.ts")).usersCommand },
    {
      names: ["catalog"],
      load: async () => (await import("./catalog/catalog-command.ts")).catalogCommand,
      isMounted: true,
    },
    { names: ["secrets"], load: async () => (await import("./secrets/secrets-command.ts")).secretsCommand },
    {
      names: ["doctor"],
      load: async () => (await import("./doctor/doctor-command.ts")).doctorCommand,
      isMounted: true,
    },
    { names: ["completion"], load: async () => (await import("./completion/completion-command.ts")).completionCommand },
    {
      names: ["daemon"],
      load: async () => (await import("./local-daemon/daemon-command.ts")).daemonCommand,
      isMounted: true,
    },
  ],
};

/**
 * The command line: the whole of it, or only the command that `firstWord` names where it names one, so that nobody
 * waits for the code of the others. A first word that is a flag, or unknown, needs them all.
 */
export async function createProgram(context: Invocation, mount?: Mount, firstWord?: string): Promise<Command> {
  const program = new Command("mkt")
    .description("Find data endpoints, inspect them, run them, and see what they cost.")
    .version(context.io.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand(false)
    .configureHelp({ formatHelp, subcommandTerm, optionDescription, helpWidth: helpWidth(context) })
    .addTopics(...topics)
    .examples(
      "mkt discover sunrise and sunset",
      "mkt inspect atlas/sun",
      "mkt run atlas/sun latitude=38.7 longitude=-9.1",
    )
    .exitOverride()
    .action(async () => (await import("./home/show-home.ts")).showHome(context));
  addGlobalFlags(program, findPlaces(context.io.env));

  const named = findEntry(firstWord);
  for (const [heading, entries] of Object.entries(commandList)) {
    program.commandsGroup(heading);
    await addAll(program, context, named === undefined ? entries : entries.filter((entry) => entry === named));
  }
  if (named === undefined || named.isMounted) await mount?.(program, context);
  if (named === undefined) program.addCommand(helpCommand(context, program), { hidden: true });
  program.hook("preAction", async (root) => {
    context.begin(root.opts());
    await context.output.check();
  });
  shareSettings(program, context);
  return program;
}

function findEntry(name: string | undefined): CommandEntry | undefined {
  if (name === undefined) return undefined;
  return Object.values(commandList)
    .flat()
    .find(({ names }) => names.includes(name));
}

async function addAll(program: Command, context: CliContext, entries: readonly CommandEntry[]): Promise<void> {
  const loaded = await Promise.all(entries.map(({ load }) => load()));
  for (const create of loaded) program.addCommand(create(context));
}

// A command that was built separately did not inherit the program's exit, output and help settings.
function shareSettings(parent: CommanderCommand, context: CliContext): void {
  parent.configureOutput({
    writeOut: (text) => void context.io.stdout.write(text),
    writeErr: (text) => void context.io.stderr.write(text),
    // Reported by the caller of the program, in the form that the flags ask for.
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
