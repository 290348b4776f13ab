import { fileURLToPath } from "node:url";
import { type Command as CommanderCommand, Option } from "commander";
import { Command, type HelpTopic } from "../cli/command/command.ts";
import type { CliContext } from "../cli/command/context.ts";
import type { DaemonFlags } from "../daemon/config/daemon-flags.ts";
import { backupCommand } from "./backup-command.ts";
import { mountCatalogCommands } from "./catalog/catalog-commands.ts";
import { mountDoctor } from "./doctor/mount-doctor.ts";
import { asFolderFailure, end } from "./offline-command.ts";

/** Beside the built program. */
const bundledCatalogDir = fileURLToPath(new URL("./catalog", import.meta.url));

export interface DaemonCommandFacts {
  readonly version: string;
  readonly startedAtMs: number;
}

/**
 * The commands that are the daemon itself or work on the files of a stopped one. Their code is loaded when they run, so
 * that the CLI does not pay for it.
 */
export function mountDaemonCommands(program: CommanderCommand, context: CliContext, facts: DaemonCommandFacts): void {
  const group = (name: string) => program.commands.find((command) => command.name() === name);
  group("daemon")
    ?.addCommand(runCommand(context, facts), { isDefault: true })
    .addCommand(resetOwnerKeyCommand(context, facts))
    .addCommand(backupCommand(context));
  if (program instanceof Command) program.addTopics(environmentTopic);
  const catalog = group("catalog");
  if (catalog !== undefined) mountCatalogCommands(catalog, context, bundledCatalogDir);
  const doctor = group("doctor");
  if (doctor !== undefined) mountDoctor(doctor, context, bundledCatalogDir);
}

/** The daemon's settings that are no flags. */
const environmentTopic: HelpTopic = {
  name: "environment",
  about: "the variables that set how the daemon works",
  text: () => environmentHelp,
};

const environmentHelp = `\
Environment of the daemon, beside the variables that stand with its flags:
  MKT_STARTING_CREDIT          dollars in the first workspace's wallet, or unlimited (default 10)
  MKT_MIRROR_PROVIDER_STATUS   1: answer with the provider's status instead of 200
  MKT_DISCOVER_POOL            how many candidates discovery ranks, 1 to 10000
  MKT_DISCOVER_FLOOR           the least score that discovery returns, 0 to 2
  MKT_EMBEDDINGS_URL, _MODEL, _KEY
                               an embeddings service of the OpenAI shape, asked as {url}/embeddings
  MKT_RERANK_URL, _MODEL, _KEY a rerank service of the shape that Cohere and Jina have
  MKT_DISCOVER_WAIT_MS         milliseconds that a question waits for these (default 1000)
  MKT_HEALTH_…                 when an endpoint is healthy, degraded or out: FRESH_MINUTES (15),
                               OUTAGE_RUNS (5), HEALTHY_RUNS (3), LONG_DAYS (7), DEGRADED_RUNS (20),
                               DEGRADED_SHARE (0.1), TIMED_RUNS (5); what follows from it:
                               DEGRADED_FACTOR of the score (0.75)
  MKT_MAX_BODY_BYTES           the largest request body (default 1048576, at most 16777216)
  MKT_RATE_LIMIT               requests of a key in a minute, or off (6000 with --allow-remote)
  MKT_PUBLIC_RATE_LIMIT        requests without a key of one address in a minute, or off (1200 with
                               --allow-remote or MKT_TRUSTED_PROXIES)
  MKT_TRUSTED_PROXIES          addresses or networks of reverse proxies whose X-Forwarded-For is
                               believed, comma-separated (default none)
  MKT_MAX_OPEN_RUNS            runs of a workspace under way at a time, or off (default 10000)
  MKT_MAX_OPEN_RUNS_PER_KEY    and of one key or user (default half of it)
  MKT_MAX_CONNECTIONS          connections at once (default: by the open-files limit, up to 4096);
                               the registry's port has a quarter as many of its own
  MKT_JWT_ISSUER, MKT_JWT_AUDIENCE, MKT_JWT_JWKS_URL
                               the identity provider whose tokens are taken; all three or none
  MKT_JWT_ORG_CLAIM            the claim that names a token's organisation (default org_id)
  MKT_JWT_METADATA_CLAIMS      claims that a user's metadata is made of, comma-separated
  MKT_BALLAST_BYTES            room kept for runs to end on a full disk (default 33554432; 0: none)
  MKT_SCRUB_BYTES_PER_SECOND   how fast stored data are checked (default 1048576; 0: not)
  MKT_RETENTION_DAYS           days that outputs are kept, 2 or more (default for ever); bills stay
  MKT_CONFIG_DIR               the folder of the owner's key and of your own provider files
  and whatever variables your provider files name for their secrets; or: mkt secrets set`;

function runCommand(context: CliContext, { version, startedAtMs }: DaemonCommandFacts): Command {
  const repeatable = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  return new Command("run")
    .summary("Be the daemon, in the foreground")
    .description("Be the daemon, in the foreground (what `mkt daemon` alone does)")
    .addOption(new Option("--host <address>", "where to listen (MKT_HOST; default 127.0.0.1)"))
    .addOption(new Option("--port <port>", "port of the service, 0 for any free one (MKT_PORT; default 7717)"))
    .addOption(new Option("--registry-port <port>", "port of the public registry (MKT_REGISTRY_PORT; default 7718)"))
    .addOption(
      new Option("--catalog <dir>", "a further catalog folder; repeatable (MKT_CATALOGS)").argParser(repeatable),
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
    .examples(
      "mkt daemon",
      "mkt daemon --port 0 --registry-port 0 --data-dir ./data",
      "mkt daemon --catalog ./my-providers",
    )
    .addHelpText("after", "\nWhat else can be set, by variables: mkt help environment")
    .action(async (flags: DaemonFlags) => {
      const { parseDaemonConfig, toDaemonExit, describeProgram, runDaemon, outlastingFullDisk } =
        await import("./daemon-program.ts");
      const places = context.places;
      const surroundings = {
        environment: context.io.env,
        bundledCatalogDir,
        version,
        program: await describeProgram(),
      };
      let config;
      try {
        config = parseDaemonConfig({ ...flags, dataDir: places.dataDir }, surroundings);
      } catch (error) {
        const { code, message } = toDaemonExit(error);
        process.stderr.write(`mkt daemon: ${message}\n`);
        end(context, code);
        return;
      }
      const [stdout, stderr] = [outlastingFullDisk(process.stdout), outlastingFullDisk(process.stderr)];
      const endProcess = (code: number) => process.exit(code);
      end(context, await runDaemon(config, { stdout, stderr, startedAtMs, endProcess }));
    });
}

function resetOwnerKeyCommand(context: CliContext, { version }: DaemonCommandFacts): Command {
  return new Command("reset-owner-key")
    .summary("Make a new owner key for a stopped daemon")
    .description("Make a new owner key for a stopped daemon's data folder; the old one stops working")
    .examples("mkt daemon reset-owner-key")
    .action(async () => {
      const { resetOwnerKeyOfFolder } = await import("../daemon/offline/reset-owner-key.ts");
      const places = context.places;
      try {
        const { label, revoked, file } = await resetOwnerKeyOfFolder(places, version);
        await context.output.note(
          `mkt daemon: the new owner key "${label}" is in ${file}; ${revoked} old one(s) no longer work. Next: ${context.output.command("daemon", "start")}`,
        );
      } catch (error) {
        throw await asFolderFailure(error);
      }
    });
}
