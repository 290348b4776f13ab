import { fileURLToPath } from "node:url";
import { type Command as CommanderCommand, Option } from "commander";
import { Command, type HelpTopic } from "../cli/command/command.ts";
import type { CliContext } from "../cli/command/context.ts";
import { collectFilled, parseFilled } from "../cli/flags/option-values.ts";
import type { DaemonFlags } from "../daemon/config/daemon-flags.ts";
import { backupCommand } from "./backup-command.ts";
import { migrateCommand } from "./migrate-command.ts";
import { mountCatalogCommands } from "./catalog/catalog-commands.ts";
import { mountDoctor } from "./doctor/mount-doctor.ts";
import { asFolderFailure, end } from "./offline-command.ts";

/** Beside the built program. */
const bundledCatalogDir = fileURLToPath(new URL("./catalog", import.meta.url));

/** All is recorded and closed then: what still holds the process is a mistake that must not hold up whoever waits for its end. */
const HELD_LIMIT_MS = 2_000;

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
    .addCommand(backupCommand(context))
    .addCommand(migrateCommand(context));
  if (program instanceof Command) program.addTopics(environmentTopic);
  const catalog = group("catalog");
  if (catalog !== undefined) mountCatalogCommands(catalog, context, bundledCatalogDir);
  const doctor = group("doctor");
  if (doctor !== undefined) mountDoctor(doctor, context, bundledCatalogDir);
}

/** The daemon's settings that are not flags. */
const environmentTopic: HelpTopic = {
  name: "environment",
  about: "the environment variables of the daemon",
  text: () => environmentHelp,
};

const environmentHelp = `\
Environment of the daemon, in addition to the variables of its flags:
  MKT_STARTING_CREDIT          dollars in the first workspace's wallet, or unlimited (default 10)
  MKT_MIRROR_PROVIDER_STATUS   1: answer with the provider's status instead of 200
  MKT_DISCOVER_POOL            how many candidates discovery ranks, 1 to 10000
  MKT_DISCOVER_FLOOR           the lowest score that discovery returns, 0 to 2
  MKT_DISCOVER_LEARNING        0: what a workspace ran does not change what it finds (default 1)
  MKT_EMBEDDINGS_URL, _MODEL, _KEY
                               an OpenAI-compatible embeddings service, at {url}/embeddings
  MKT_RERANK_URL, _MODEL, _KEY a rerank service with the API of Cohere or Jina
  MKT_DISCOVER_WAIT_MS         milliseconds that a query waits for these (default 1000)
  MKT_REPHRASE_URL, _MODEL, _KEY
                               a model that rephrases queries: OpenAI-compatible or Ollama
  MKT_REPHRASE_WAIT_MS         milliseconds that a query waits for it (default 5000)
  MKT_HEALTH_…                 rules for endpoint health: FRESH_MINUTES (15),
                               OUTAGE_RUNS (5), HEALTHY_RUNS (3), LONG_DAYS (7), DEGRADED_RUNS (20),
                               DEGRADED_SHARE (0.1), TIMED_RUNS (5), DEGRADED_FACTOR of the score
                               (0.75)
  MKT_MAX_BODY_BYTES           the largest request body (default 1048576, at most 16777216)
  MKT_RATE_LIMIT               requests per minute of a key, or off (6000 with --allow-remote)
  MKT_PUBLIC_RATE_LIMIT        requests per minute of an address without a key, or off (1200 with
                               --allow-remote or MKT_TRUSTED_PROXIES)
  MKT_TRUSTED_PROXIES          addresses or networks of reverse proxies whose X-Forwarded-For is
                               trusted, comma-separated (default none)
  MKT_MAX_OPEN_RUNS            open runs of a workspace, or off (default 10000)
  MKT_MAX_OPEN_RUNS_PER_KEY    open runs of a key or user (default half of it)
  MKT_MAX_SCHEDULES            schedules of a workspace, or off (default 100)
  MKT_SCHEDULE_MIN_SECONDS     shortest time between two runs of a schedule (default 60)
  MKT_MAX_CONNECTIONS          open connections (default: by the open-files limit, up to 4096);
                               the registry port accepts a quarter as many
  MKT_CONSOLE                  off: no console in the browser (default on)
  MKT_CONSOLE_CLIENT_ID        people sign in to the console at the identity provider of MKT_JWT_…,
                               where the console is this public client
  MKT_CONSOLE_SCOPE            scopes to ask the provider for (default openid)
  MKT_METRICS_LISTEN           port, or address:port, of metrics for Prometheus at /metrics, without
                               a key (default none)
  MKT_JWT_ISSUER, MKT_JWT_AUDIENCE, MKT_JWT_JWKS_URL
                               the identity provider whose tokens are accepted; all three or none
  MKT_JWT_ORG_CLAIM            the claim with the organisation (default org_id)
  MKT_JWT_METADATA_CLAIMS      claims that become a user's metadata, comma-separated
  MKT_BALLAST_BYTES            disk space reserved for ending runs (default 33554432; 0: none)
  MKT_SCRUB_BYTES_PER_SECOND   speed of the background disk check (default 1048576; 0: off)
  MKT_RETENTION_DAYS           days to keep outputs, 2 or more (default forever); bills are kept
  MKT_DATABASE_URL             postgres://user:password@host:5432/name (or --database-url without
                               the password); sslmode=verify-full for TLS
  MKT_DATABASE_CA_FILE         PEM file of who may have signed the database's certificate
  MKT_DATABASE_KEY, MKT_DATABASE_KEY_FILE
                               64 hexadecimal digits, or their file: seals secrets in the database
                               (default: database-key in the configuration folder)
  MKT_LEASE_SECONDS            silence after which other daemons take over its runs, 2 to 300
                               (default 10)
  MKT_CONFIG_DIR               the folder of the owner key and of your own provider files
  and the variables that provider files name for their secrets (or: mkt secrets set)`;

function runCommand(context: CliContext, facts: DaemonCommandFacts): Command {
  return new Command("run")
    .summary("Run the daemon in the foreground")
    .description("Run the daemon in the foreground (what `mkt daemon` alone does)")
    .addOption(new Option("--host <address>", "listen address (MKT_HOST; or 127.0.0.1)"))
    .addOption(new Option("--port <port>", "service port, 0: any (MKT_PORT; or 7717)").argParser(parseFilled))
    .addOption(
      new Option("--registry-port <port>", "registry port (MKT_REGISTRY_PORT; or 7718)").argParser(parseFilled),
    )
    .addOption(new Option("--catalog <dir>", "catalog folder (repeatable; MKT_CATALOGS)").argParser(collectFilled))
    .addOption(
      new Option("--trusted-catalog <dir>", "the same, without grants (repeatable; MKT_TRUSTED_CATALOGS)").argParser(
        collectFilled,
      ),
    )
    .addOption(
      new Option("--no-bundled-catalog", "no bundled providers, only their thesaurus (MKT_NO_BUNDLED_CATALOG=1)"),
    )
    .addOption(
      new Option(
        "--allow-private-host <host[:port]>",
        "private address to allow (repeatable; MKT_ALLOW_PRIVATE_HOSTS)",
      ).argParser(collectFilled),
    )
    .addOption(new Option("--allow-remote", "accept a --host that others can reach (MKT_ALLOW_REMOTE=1)"))
    .addOption(new Option("--public-url <url>", "URL behind a reverse proxy (MKT_PUBLIC_URL)"))
    .addOption(
      new Option("--allowed-host <name>", "further host name to accept (repeatable; MKT_ALLOWED_HOSTS)").argParser(
        collectFilled,
      ),
    )
    .addOption(new Option("--database-url <url>", "PostgreSQL, not files (MKT_DATABASE_URL)"))
    .addOption(new Option("--log-level <level>", "trace to fatal, or silent (MKT_LOG_LEVEL)"))
    .addOption(new Option("--force-unlock", "take over a folder with an unknown holder"))
    .examples("mkt daemon --port 0 --registry-port 0 --data-dir ./data", "mkt daemon --catalog ./my-providers")
    .addHelpText("after", "\nFurther settings, as environment variables: mkt help environment")
    .action(async (flags: DaemonFlags) => await runInForeground(context, flags, facts));
}

async function runInForeground(
  context: CliContext,
  flags: DaemonFlags,
  { version, startedAtMs }: DaemonCommandFacts,
): Promise<void> {
  const { parseDaemonConfig, toDaemonExit, describeProgram, runDaemon, outlastingFullDisk } =
    await import("./daemon-program.ts");
  const program = await describeProgram();
  const surroundings = { environment: context.io.env, bundledCatalogDir, version, program };
  let config;
  try {
    config = parseDaemonConfig({ ...flags, dataDir: context.places.dataDir }, surroundings);
  } catch (error) {
    const { code, message } = toDaemonExit(error);
    process.stderr.write(`mkt daemon: ${message}\n`);
    end(context, code);
    return;
  }
  const [stdout, stderr] = [outlastingFullDisk(process.stdout), outlastingFullDisk(process.stderr)];
  const endProcess = (code: number) => process.exit(code);
  const code = await runDaemon(config, { stdout, stderr, startedAtMs, endProcess });
  end(context, code);
  setTimeout(() => {
    stderr.write(
      `mkt daemon: it has stopped, but is held by ${process.getActiveResourcesInfo().join(", ")}: ending it\n`,
    );
    endProcess(code);
  }, HELD_LIMIT_MS).unref();
}

function resetOwnerKeyCommand(context: CliContext, { version }: DaemonCommandFacts): Command {
  return new Command("reset-owner-key")
    .summary("Create a new owner key, when the old one is lost")
    .description(
      "Create a new owner key for the data folder of a stopped daemon, or for a database beside running ones; old ones stop working",
    )
    .addOption(new Option("--database-url <url>", "PostgreSQL, not files (MKT_DATABASE_URL)"))
    .examples("mkt daemon reset-owner-key")
    .action(async ({ databaseUrl }: { databaseUrl?: string }) => {
      const isDatabase = (databaseUrl ?? context.io.env["MKT_DATABASE_URL"] ?? "") !== "";
      try {
        if (isDatabase) await resetKeyOfDatabase(context, version, databaseUrl);
        else await resetKeyOfFolder(context, version);
      } catch (error) {
        throw await asFolderFailure(error);
      }
    });
}

async function resetKeyOfFolder(context: CliContext, version: string): Promise<void> {
  const { resetOwnerKeyOfFolder } = await import("../daemon/offline/reset-owner-key.ts");
  const { label, revoked, file } = await resetOwnerKeyOfFolder(context.places, version);
  await context.output.note(
    `mkt daemon: the new owner key "${label}" is in ${file}; ${revoked} old one(s) no longer work. Next: ${context.output.command("daemon", "start")}`,
  );
}

async function resetKeyOfDatabase(context: CliContext, version: string, address?: string): Promise<void> {
  const [{ databaseOfCommand }, { resetOwnerKeyOfDatabase }] = await Promise.all([
    import("../daemon/config/database-settings.ts"),
    import("../daemon/offline/reset-owner-key-of-database.ts"),
  ]);
  const settings = databaseOfCommand(context.io.env, address);
  const { label, revoked, file, before } = await resetOwnerKeyOfDatabase(context.places, settings, version);
  const kept = before === undefined ? "" : ` The key that was there, of another store, is in ${before}.`;
  await context.output.note(
    `mkt daemon: the new owner key "${label}" is in ${file}; ${revoked} old one(s) no longer work. Daemons that run take it with the next request.${kept}`,
  );
}
