import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import type { CliContext } from "../cli/context.ts";
import { sanitizeText, toSafeJson } from "../cli/sanitize.ts";
import type { DaemonFlags } from "../daemon/config.ts";
import { findPlaces, type Places } from "../shared/places.ts";

/** One level up from the built `dist/` as from `bin/`. */
const bundledCatalogDir = fileURLToPath(new URL("../catalog", import.meta.url));

export interface DaemonCommandFacts {
  readonly version: string;
  readonly startedAtMs: number;
}

/**
 * The commands that are the daemon itself or work on the files of a stopped one. Their code is loaded when they run, so
 * that the CLI does not pay for it.
 */
export function mountDaemonCommands(program: Command, context: CliContext, facts: DaemonCommandFacts): void {
  const group = (name: string) => {
    const found = program.commands.find((command) => command.name() === name);
    if (found === undefined) throw new Error(`the CLI has no command ${name}`);
    return found;
  };
  group("daemon")
    .addCommand(runCommand(context, facts), { isDefault: true })
    .addCommand(resetOwnerKeyCommand(context, facts))
    .addHelpText("after", environmentHelp);
  group("catalog").addCommand(checkCommand(context));
}

/** The daemon's settings that are no flags. */
const environmentHelp = `
Environment of the daemon, beside the variables that stand with its flags:
  MKT_STARTING_CREDIT          dollars in the first workspace's wallet, or unlimited (default 10)
  MKT_MIRROR_PROVIDER_STATUS   1: answer with the provider's status instead of 200
  MKT_DISCOVER_POOL            how many candidates discovery ranks, 1 to 10000
  MKT_DISCOVER_FLOOR           the least score that discovery returns, 0 to 2
  MKT_MAX_BODY_BYTES           the largest request body (default 1048576)
  MKT_CONFIG_DIR               the folder of the owner's key and of your own provider files
  and whatever variables your provider files name for their secrets`;

function runCommand(context: CliContext, { version, startedAtMs }: DaemonCommandFacts): Command {
  const repeatable = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  return new Command("run")
    .description("Be the daemon, in the foreground (what `mkt daemon` alone does)")
    .addOption(new Option("--host <address>", "where to listen (MKT_HOST; default 127.0.0.1)"))
    .addOption(new Option("--port <port>", "port of the service, 0 for any free one (MKT_PORT; default 7717)"))
    .addOption(new Option("--registry-port <port>", "port of the public registry (MKT_REGISTRY_PORT; default 7718)"))
    .addOption(
      new Option("--catalog <dir>", "a further catalogue folder; repeatable (MKT_CATALOGS)").argParser(repeatable),
    )
    .addOption(
      new Option(
        "--trusted-catalog <dir>",
        "as --catalog, and its files need no grants (MKT_TRUSTED_CATALOGS)",
      ).argParser(repeatable),
    )
    .addOption(new Option("--no-bundled-catalog", "without the bundled providers (MKT_NO_BUNDLED_CATALOG=1)"))
    .addOption(
      new Option(
        "--allow-private-host <host[:port]>",
        "a private address that manifests may reach; repeatable (MKT_ALLOW_PRIVATE_HOSTS)",
      ).argParser(repeatable),
    )
    .addOption(new Option("--allow-remote", "let --host be an address that others can reach (MKT_ALLOW_REMOTE=1)"))
    .addOption(new Option("--public-url <url>", "the address that people use, behind a reverse proxy (MKT_PUBLIC_URL)"))
    .addOption(
      new Option("--allowed-host <name>", "a name that requests may be for; repeatable (MKT_ALLOWED_HOSTS)").argParser(
        repeatable,
      ),
    )
    .addOption(
      new Option("--log-level <level>", "trace, debug, info, warn, error, fatal, silent (MKT_LOG_LEVEL; default info)"),
    )
    .addOption(new Option("--force-unlock", "take the data folder from a holder that cannot be judged (containers)"))
    .addHelpText(
      "after",
      "\nExamples:\n  mkt daemon\n  mkt daemon --port 0 --registry-port 0 --data-dir ./data\n  mkt daemon --catalog ./my-providers",
    )
    .addHelpText("after", environmentHelp)
    .action(async (flags: DaemonFlags) => {
      const [{ parseDaemonConfig }, { toDaemonExit }] = await Promise.all([
        import("../daemon/config.ts"),
        import("../daemon/daemon-exit.ts"),
      ]);
      const places = placesOf(context);
      const surroundings = { environment: context.io.env, bundledCatalogDir, version };
      let config;
      try {
        config = parseDaemonConfig({ ...flags, dataDir: places.dataDir }, surroundings);
      } catch (error) {
        const { code, message } = toDaemonExit(error);
        process.stderr.write(`mkt daemon: ${message}\n`);
        end(context, code);
        return;
      }
      const { runDaemon } = await import("../daemon/run-daemon.ts");
      end(context, await runDaemon(config, { stdout: process.stdout, stderr: process.stderr, startedAtMs }));
    });
}

function resetOwnerKeyCommand(context: CliContext, { version }: DaemonCommandFacts): Command {
  return new Command("reset-owner-key")
    .description("Make a new owner key for a stopped daemon's data folder; the old one stops working")
    .action(async () => {
      const { resetOwnerKeyOfFolder } = await import("../daemon/operator/reset-owner-key.ts");
      const { toDaemonExit } = await import("../daemon/daemon-exit.ts");
      const places = placesOf(context);
      try {
        const { label, revoked, file } = await resetOwnerKeyOfFolder(places, version);
        process.stderr.write(
          `mkt daemon: the new owner key "${label}" is in ${file}; ${revoked} old one(s) no longer work. Next: ${context.output.command("daemon", "start")}\n`,
        );
      } catch (error) {
        const { code, message } = toDaemonExit(error);
        process.stderr.write(`mkt daemon: ${message}\n`);
        end(context, code);
      }
    });
}

function checkCommand(context: CliContext): Command {
  return new Command("check")
    .description("Check provider files without a daemon: what is wrong, where, and how to mend it")
    .argument("[paths...]", "files or folders; without any, the catalogue folder of the configuration")
    .addHelpText("after", "\nExamples:\n  mkt catalog check skywatch.yaml\n  mkt catalog check ./my-providers --json")
    .action(async (paths: string[]) => {
      const { checkCatalog, renderCatalogCheck } = await import("../daemon/operator/catalog-check.ts");
      const places = placesOf(context);
      const report = await checkCatalog({
        paths,
        defaults: [{ dir: join(places.configDir, "catalog"), bundled: false, trusted: false }],
        bundledDir: bundledCatalogDir,
      });
      process.stdout.write(
        context.flags.json === true ? `${toSafeJson(report)}\n` : sanitizeText(renderCatalogCheck(report)),
      );
      end(context, report.exitCode);
    });
}

/** Without the client's settings: a wrong MKT_API_URL or a broken key file is nothing to a daemon and to its files. */
function placesOf({ io, flags }: CliContext): Places {
  return findPlaces({ ...io.env, ...(flags.dataDir !== undefined && { MKT_DATA_DIR: flags.dataDir }) });
}

/** The daemon's own codes (65 to 78) stand beside those of the CLI; what there was to say has been said by then. */
function end(context: CliContext, code: number): void {
  context.exitCode = code as CliContext["exitCode"];
}
