import { copyFile, mkdir, readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { Argument } from "commander";
import { replaceFile, replacePrivateFile } from "../../../shared/replace-file.ts";
import { Command } from "../../command/command.ts";
import { refusedInput, usageError } from "../../core/cli-error.ts";
import { confirm } from "../../input/confirm.ts";
import type { CliContext } from "../../command/context.ts";
import { didYouMean } from "../../core/near-misses.ts";
import { type ClientKind, clientKinds, type Folders } from "./client-kinds.ts";
import type { Installation } from "./installation.ts";
import { type Launch, launchOf } from "./launch.ts";
import { listClients } from "./list-clients.ts";
import { configFile, type InstallPlan, planInstall } from "./plan-install.ts";

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

/**
 * The lines that are taken away (`- …`) and put in (`+ …`), between what both begin and end with; values of names that sound
 * like secrets are left out. Pure.
 */
function changedLines(before: string, after: string): string[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  return [
    ...old.slice(head, old.length - tail).map((line) => `- ${withoutSecrets(line)}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+ ${withoutSecrets(line)}`),
  ];
}

function withoutSecrets(line: string): string {
  return line.replace(/([\w-]*(?:key|token|secret|password|auth)[\w-]*"?\s*[:=]\s*)"(?:[^"\\]|\\.)*"/gi, '$1"…"');
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/**
 * Carries out a plan atomically, and keeps a backup beside the file; returns its path. A link is followed: its target
 * is changed. Rejects, changing nothing, when somebody else has changed the file since the plan was made.
 */
async function writeConfig(
  { file, before, after }: InstallPlan,
  { isSecret, now }: { isSecret: boolean; now: Date },
): Promise<{ backup?: string }> {
  const path = await realpath(file).catch(() => file);
  const current = await readFile(path, "utf8").catch(() => undefined);
  if (current !== before) throw refusedInput(`${file} was changed in the meantime; nothing was written.`);
  const backup = before === undefined ? undefined : `${path}.${now.toISOString().replace(/[-:]|\.\d+/g, "")}.bak`;
  if (backup !== undefined) await copyFile(path, backup);
  if (isSecret) {
    await mkdir(dirname(path), { recursive: true });
    await replacePrivateFile(path, after);
  } else {
    await replaceFile(path, after);
  }
  return backup === undefined ? {} : { backup };
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
