import { resolve } from "node:path";
import { z } from "zod";
import { HealthSettings, type HealthSettingsChange } from "../../shared/contract/admin.ts";
import { type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import { type Environment, findPlaces } from "../../shared/places.ts";
import type { SearchServiceSettings } from "../discovery/services/calls/service-settings.ts";
import type { JwtSettings } from "../identity/jwt/jwt-settings.ts";
import type { ReaderScript } from "../processes/asked-process.ts";
import type { ThreadScript } from "../processes/asked-thread.ts";
import type { OpenRunLimits } from "../runs/queue/open-run-limits.ts";
import { accessTokenSettings } from "./access-token-settings.ts";
import { type ConsoleClient, consoleClientSettings } from "./console-client-settings.ts";
import { ConfigRefused } from "./config-refused.ts";
import { type DatabaseSettings, databaseSettings } from "./database-settings.ts";
import type { DaemonFlags } from "./daemon-flags.ts";
import { GivenSettings, onlyGiven } from "./given-settings.ts";
import { searchServiceSettings } from "./search-service-settings.ts";
import { type ServerSettings, serverSettings } from "./server-settings.ts";

/** For one workspace: about 80 MB of memory if inputs are small. */
const DEFAULT_MAX_OPEN_RUNS = 10_000;
/** Each is in memory, with its input. */
const DEFAULT_MAX_SCHEDULES = 100;
const DEFAULT_SCHEDULE_MIN_SECONDS = 60;
const DEFAULT_BALLAST_BYTES = 33_554_432;
/** A terabyte in twelve days; too slow to disturb any disk. */
const DEFAULT_SCRUB_BYTES_PER_SECOND = 1_048_576;
const DEFAULT_STARTING_CREDIT_DOLLARS = "10";

const Bytes = z.coerce.number().int().min(0);
/** At least two, because for one day answers to an Idempotency-Key are made from outputs. */
const RetentionDays = z.coerce.number().min(2);
const ScheduleSeconds = z.coerce.number().int().min(1).max(86_400);
const DiscoverPool = z.coerce.number().int().min(1).max(10_000);
const DiscoverFloor = z.coerce.number().min(0).max(2);

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** What a daemon needs to know about the built program. */
export interface BuiltProgram {
  /** Identifies the build. */
  readonly build: string;
  /** The script of a process that reads provider files. */
  readonly catalogWorker: ReaderScript;
  /** The script of a thread that builds the search index. */
  readonly indexWorker: ThreadScript;
  /** The file of the script of a process that reads documents to import. */
  readonly importWorker?: string;
  /** The script of a thread that makes indexes of the journal; read when it is needed, which is seldom. */
  readonly segmentWorker?: () => Promise<ThreadScript>;
  /** The folder of the built console. */
  readonly consoleDir?: string;
  /** The program that is now installed where this one was started from; undefined if it cannot be read. */
  installed(): Promise<{ readonly version: string; readonly build: string } | undefined>;
}

/** The complete, validated configuration of a daemon; nothing else reads the environment. */
export interface DaemonConfig extends ServerSettings, StorageSettings, CatalogSettings, RunSettings, DiscoverySettings {
  readonly configDir: string;
  readonly logLevel: LogLevel;
  /** Absent: no access tokens are taken. */
  readonly jwt?: JwtSettings;
  readonly version: string;
  /** Whether browsers are served a console. */
  readonly console: boolean;
  /** Absent: nobody signs in to it at the identity provider. */
  readonly consoleClient?: ConsoleClient;
  /** Its folder; absent: that of the built program. */
  readonly consoleDir?: string;
  /** The built program; absent where the sources run as they are. */
  readonly program?: BuiltProgram;
  /** Where manifests' secrets come from, once granted. */
  readonly environment: Environment;
}

export interface ConfigSurroundings {
  readonly environment: Environment;
  readonly bundledCatalogDir: string;
  readonly version: string;
  /** The built program; absent where the sources run as they are. */
  readonly program?: BuiltProgram;
}

/** Flag, then environment, then default. Throws `ConfigRefused`. */
export function parseDaemonConfig(flags: DaemonFlags, surroundings: ConfigSurroundings): DaemonConfig {
  const { environment, version, program } = surroundings;
  const given = new GivenSettings(environment);
  const jwt = accessTokenSettings(given);
  return {
    ...serverSettings(given, flags),
    ...storageSettings(given, flags, findPlaces(environment).dataDir),
    ...catalogSettings(given, flags, surroundings),
    ...runSettings(given),
    ...discoverySettings(given),
    ...onlyGiven({ jwt, consoleClient: consoleClientSettings(given, jwt), program }),
    configDir: findPlaces(environment).configDir,
    console: given.isOn("MKT_CONSOLE", true),
    logLevel: levelOf(given.text("MKT_LOG_LEVEL", flags.logLevel) ?? "info"),
    version,
    environment,
  };
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level !== undefined) return level;
  throw new ConfigRefused(`--log-level (MKT_LOG_LEVEL) takes one of ${logLevels.join(", ")}, got "${text}"`);
}

interface StorageSettings {
  /** Of files; with a database, the folder of what only this daemon needs: caches, its log, how the CLI finds it. */
  readonly dataDir: string;
  /** The database that everything is kept in, with other daemons; absent: files. */
  readonly database?: DatabaseSettings;
  readonly forceUnlock: boolean;
  /** Disk space reserved so that runs can end when the disk is full; 0: none. */
  readonly ballastBytes: number;
  /** Speed of the background check for damage on the disk, bytes per second; 0: off. */
  readonly scrubBytesPerSecond: number;
  /** Days that outputs are kept after the end of their run; absent: forever. */
  readonly retentionDays?: number;
}

function storageSettings(given: GivenSettings, flags: DaemonFlags, usualDir: string): StorageSettings {
  return {
    dataDir: flags.dataDir === undefined ? usualDir : resolve(flags.dataDir),
    forceUnlock: flags.forceUnlock ?? false,
    ballastBytes: given.number("MKT_BALLAST_BYTES", Bytes) ?? DEFAULT_BALLAST_BYTES,
    scrubBytesPerSecond: given.number("MKT_SCRUB_BYTES_PER_SECOND", Bytes) ?? DEFAULT_SCRUB_BYTES_PER_SECOND,
    ...onlyGiven({
      database: databaseSettings(given, flags),
      retentionDays: given.number("MKT_RETENTION_DAYS", RetentionDays),
    }),
  };
}

interface CatalogSettings {
  /** Added to the bundled catalog and to `<config>/catalog`. */
  readonly catalogDirs: readonly string[];
  /** Folders whose files carry their grants (docs/manifest.md, "Grants"); loaded like the others. */
  readonly trustedCatalogDirs: readonly string[];
  /** Absent: no bundled catalog. */
  readonly bundledCatalogDir?: string;
  /** Without the bundled catalog: the folder whose thesaurus is used all the same. */
  readonly bundledThesaurusDir?: string;
  /** `host` or `host:port`, lower case: private addresses that manifests may reach. */
  readonly allowPrivateHosts: readonly string[];
}

function catalogSettings(
  given: GivenSettings,
  flags: DaemonFlags,
  { bundledCatalogDir }: ConfigSurroundings,
): CatalogSettings {
  const isBundled = flags.bundledCatalog !== false && !given.isOn("MKT_NO_BUNDLED_CATALOG");
  const privateHosts = given.list("MKT_ALLOW_PRIVATE_HOSTS", flags.allowPrivateHost);
  return {
    catalogDirs: given.list("MKT_CATALOGS", flags.catalog).map((dir) => resolve(dir)),
    trustedCatalogDirs: given.list("MKT_TRUSTED_CATALOGS", flags.trustedCatalog).map((dir) => resolve(dir)),
    ...(isBundled ? { bundledCatalogDir } : { bundledThesaurusDir: bundledCatalogDir }),
    allowPrivateHosts: privateHosts.map((name) => name.toLowerCase()),
  };
}

interface RunSettings {
  readonly startingCredit: MicroDollars | "unlimited";
  readonly openRunLimits: OpenRunLimits;
  readonly scheduleLimits: ScheduleLimits;
  /** Set: wins over settings.json. */
  readonly mirrorProviderStatus?: boolean;
}

function runSettings(given: GivenSettings): RunSettings {
  const isMirrorSet = given.text("MKT_MIRROR_PROVIDER_STATUS") !== undefined;
  return {
    startingCredit: creditOf(given.text("MKT_STARTING_CREDIT") ?? DEFAULT_STARTING_CREDIT_DOLLARS),
    openRunLimits: openRunLimitsOf(given),
    scheduleLimits: scheduleLimitsOf(given),
    ...(isMirrorSet && { mirrorProviderStatus: given.isOn("MKT_MIRROR_PROVIDER_STATUS") }),
  };
}

function creditOf(text: string): MicroDollars | "unlimited" {
  if (text === "unlimited") return "unlimited";
  try {
    const credit = parseDollars(text);
    if (credit >= 0) return credit;
  } catch {
    // Reported below, with the setting's name.
  }
  throw new ConfigRefused(`MKT_STARTING_CREDIT takes dollars such as 10 or 2.50, or "unlimited", got "${text}"`);
}

/**
 * By default a key may not use its workspace's whole limit, so that another key of the workspace can still start runs.
 */
function openRunLimitsOf(given: GivenSettings): OpenRunLimits {
  const what = "the runs that may be under way at a time";
  const workspace = given.limit("MKT_MAX_OPEN_RUNS", `${what} in a workspace`) ?? DEFAULT_MAX_OPEN_RUNS;
  const half = workspace === "off" ? workspace : Math.max(1, Math.floor(workspace / 2));
  const key = given.limit("MKT_MAX_OPEN_RUNS_PER_KEY", `${what} of a key`) ?? half;
  return { ...(workspace !== "off" && { workspace }), ...(key !== "off" && { key }) };
}

/** How many schedules a workspace may have, and how often one may be due. */
interface ScheduleLimits {
  readonly perWorkspace?: number;
  readonly minSeconds: number;
}

function scheduleLimitsOf(given: GivenSettings): ScheduleLimits {
  const most = given.limit("MKT_MAX_SCHEDULES", "the schedules of a workspace") ?? DEFAULT_MAX_SCHEDULES;
  const minSeconds = given.number("MKT_SCHEDULE_MIN_SECONDS", ScheduleSeconds) ?? DEFAULT_SCHEDULE_MIN_SECONDS;
  return { ...(most !== "off" && { perWorkspace: most }), minSeconds };
}

interface DiscoverySettings {
  /** Set: win over settings.json. */
  readonly discoverPool?: number;
  readonly discoverFloor?: number;
  /** Whether the order follows what a workspace used after like asks. docs/discovery.md, "Learning from use". */
  readonly discoverLearning: boolean;
  /** Absent: discovery ranks by itself. */
  readonly searchServices?: SearchServiceSettings;
  /** Only what the environment sets. */
  readonly health?: HealthSettingsChange;
}

function discoverySettings(given: GivenSettings): DiscoverySettings {
  const settings = onlyGiven({
    discoverPool: given.number("MKT_DISCOVER_POOL", DiscoverPool),
    discoverFloor: given.number("MKT_DISCOVER_FLOOR", DiscoverFloor),
    searchServices: searchServiceSettings(given),
    health: healthOf(given),
  });
  return { ...settings, discoverLearning: given.isOn("MKT_DISCOVER_LEARNING", true) };
}

/** `MKT_HEALTH_FRESH_MINUTES` and so on: the members of the settings, each with its limits. */
function healthOf(given: GivenSettings): HealthSettingsChange | undefined {
  const members = Object.entries(HealthSettings.shape).map(([member, schema]) => {
    const variable = `MKT_HEALTH_${member.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    return [member, given.number(variable, z.coerce.number().pipe(schema))] as const;
  });
  const health: HealthSettingsChange = onlyGiven(Object.fromEntries(members));
  return Object.keys(health).length === 0 ? undefined : health;
}
