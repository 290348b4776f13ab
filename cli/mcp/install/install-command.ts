import { homedir } from "node:os";
import { Argument } from "commander";
import { Command } from "../../command/command.ts";
import { refusedInput, usageError } from "../../core/cli-error.ts";
import { confirm } from "../../input/confirm.ts";
import type { CliContext } from "../../command/context.ts";
import { didYouMean } from "../../core/near-misses.ts";
import { changedLines } from "./changed-lines.ts";
import { type ClientKind, clientKinds, type Folders } from "./client-kinds.ts";
import type { Installation } from "./installation.ts";
import { type Launch, launchOf } from "./launch.ts";
import { listClients } from "./list-clients.ts";
import { configFile, type InstallPlan, planInstall } from "./plan-install.ts";
import { writeConfig } from "./write-config.ts";

interface InstallFlags {
  list?: true;
  dryRun?: true;
  name: string;
  project?: true;
  withKey?: true;
}

export function installCommand(context: CliContext): Command {
  return new Command("install")
    .description("Add the MCP server to the configuration of a client, after showing the change")
    .addArgument(clientArgument())
    .option("--list", "list the clients, their configuration files, and which have the server")
    .option("--dry-run", "show the change and write nothing")
    .option("--project", "write the project's file in this folder, if the client reads one")
    .option("--name <name>", "name of the server there", parseName, "mkt")
    .option("--with-key", "also write the key of MKT_API_KEY into the file")
    .examples(
      "mkt mcp install --list",
      "mkt mcp install claude-code --dry-run",
      "mkt mcp install cursor --project --dry-run",
    )
    .action(async (id: string | undefined, flags: InstallFlags) => {
      const folders: Folders = { platform: process.platform, home: homeOf(context), env: context.io.env };
      if (flags.list) return await showClients(context, folders, flags.name);
      await install(context, findKind(id), folders, flags);
    });
}

async function install(context: CliContext, kind: ClientKind, folders: Folders, flags: InstallFlags): Promise<void> {
  const { output } = context;
  const withKey = flags.withKey === true;
  const launch = launchOf(context, { withKey });
  const file = configFile(kind, folders, flags.project && process.cwd());
  const plan = await planInstall(kind, file, flags.name, kind.entry(launch));
  const isChange = plan.before !== plan.after;
  await output.note(planWords(kind, plan));
  await noteKey(context, withKey);
  await noteCache(context, launch);

  const writes = isChange && flags.dryRun !== true;
  if (writes) await confirm(context, `Write this to ${file}?`, { needsYes: true });
  const { backup } = writes ? await writeConfig(plan, { isSecret: withKey, now: new Date() }) : {};
  const installation: Installation = {
    client: kind.id,
    file,
    server: flags.name,
    change: !isChange ? "none" : plan.before === undefined ? "created" : "changed",
    written: writes,
    ...(backup !== undefined && { backup }),
    next: kind.next,
  };
  await output.show(installation, async () => (await import("./InstallScreens.tsx")).InstallationDone);
}

function planWords(kind: ClientKind, { file, before, after }: InstallPlan): string {
  if (before === after) return `${file} has it already, just so.`;
  const what = before === undefined ? "is made" : "is changed";
  return [`The configuration of ${kind.name}, ${file}, ${what}:`, ...changedLines(before ?? "", after)].join("\n");
}

/** A key in this shell's environment is not available when a client starts the server. */
async function noteKey({ io, output }: CliContext, withKey: boolean): Promise<void> {
  if (withKey || !io.env["MKT_API_KEY"]) return;
  await output.note(
    "MKT_API_KEY is set here and is not written there. The server needs a key all the same, unless it speaks to the local " +
      "daemon: give one by a profile or by --key-file, or write it with --with-key.",
  );
}

/** npx keeps programs in a cache that is emptied now and then. */
async function noteCache({ output }: CliContext, { args }: Launch): Promise<void> {
  if (!args.some((word) => /[\\/]_npx[\\/]/.test(word))) return;
  await output.note(
    "This program runs out of the cache of npx, which does not last: install it first (npm install -g mkt).",
  );
}

async function showClients(context: CliContext, folders: Folders, name: string): Promise<void> {
  const items = await listClients(folders, name);
  await context.output.list({ items }, items, async () => (await import("./InstallScreens.tsx")).ClientList);
}

/** With its choices for the help and for completion; `findKind` reports any other value with the nearest choice. */
function clientArgument(): Argument {
  const argument = new Argument("[client]", "whose configuration");
  argument.argChoices = clientKinds.map(({ id }) => id);
  return argument;
}

function findKind(id: string | undefined): ClientKind {
  const ids = clientKinds.map((kind) => kind.id);
  if (id === undefined) throw usageError(`A client is missing: ${ids.join(", ")}.`, "mkt mcp install --list");
  const kind = clientKinds.find((candidate) => candidate.id === id);
  if (kind !== undefined) return kind;
  throw refusedInput(`No client is named "${id}".${didYouMean(id, ids)}`, "mkt mcp install --list");
}

function homeOf({ io }: CliContext): string {
  return io.env["HOME"] || io.env["USERPROFILE"] || homedir();
}

function parseName(value: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(value)) return value;
  throw usageError("--name takes letters, digits, - and _, at most 64 of them.");
}
