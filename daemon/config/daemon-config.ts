import { resolve } from "node:path";
import { z } from "zod";
import type { SearchServiceSettings, ServiceSettings } from "../discovery/services/calls/service-settings.ts";
import type { RateLimits } from "../http/rate-limits.ts";
import { isNetwork } from "../http/request-source.ts";
import type { JwtSettings } from "../identity/jwt/jwt-settings.ts";
import type { ReaderScript } from "../processes/asked-process.ts";
import type { OpenRunLimits } from "../runs/open-run-limits.ts";
import type { ThreadScript } from "../processes/asked-thread.ts";
import { HealthSettings, type HealthSettingsChange } from "../../shared/contract/admin.ts";
import { isLoopback } from "../../shared/loopback.ts";
import { type MicroDollars, parseDollars } from "../../shared/micro-dollars.ts";
import { type Environment, findPlaces } from "../../shared/places.ts";
import { errorText } from "../../shared/error-text.ts";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7717;
export const DEFAULT_REGISTRY_PORT = 7718;
const DEFAULT_MAX_BODY_BYTES = 1_048_576;
/** A body is read whole, parsed and hashed between two other requests: above this they would wait too long. */
const LARGEST_MAX_BODY_BYTES = 16_777_216;
const BodyBytes = z.coerce
  .number()
  .int()
  .min(1_024)
  .max(LARGEST_MAX_BODY_BYTES, { error: `takes at most ${LARGEST_MAX_BODY_BYTES} bytes (16 MiB)` });
/** Of one key, once other machines are let in. */
const DEFAULT_REQUESTS_PER_MINUTE = 6_000;
/** Of one source, without credentials, once others can ask: an office of fifty behind one address has 24 for each. */
const DEFAULT_PUBLIC_REQUESTS_PER_MINUTE = 1_200;
/** Of one source. Good tokens end by themselves, so that more of them fail in good faith. */
const FAILED_ATTEMPTS_PER_MINUTE: RateLimits = { failedKeys: 600, failedTokens: 3_000 };
/** Of one workspace: about 80 MB of memory where inputs are small. */
const DEFAULT_MAX_OPEN_RUNS = 10_000;
const DEFAULT_BALLAST_BYTES = 33_554_432;
/** A terabyte in twelve days; felt by no disk. */
const DEFAULT_SCRUB_BYTES_PER_SECOND = 1_048_576;
const DEFAULT_DISCOVER_WAIT_MS = 1_000;
const DEFAULT_STARTING_CREDIT_DOLLARS = "10";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The program as it was built, as far as a daemon needs to know it. */
export interface BuiltProgram {
  /** Tells one build from another. */
  readonly build: string;
  /** The script of a process that reads provider files. */
  readonly catalogWorker: ReaderScript;
  /** The script of a thread that builds the search index. */
  readonly indexWorker: ThreadScript;
  /** What stands on the disk by now, where this program was started from; undefined when it cannot be read. */
  installed(): Promise<{ readonly version: string; readonly build: string } | undefined>;
}

/** Everything that a daemon is told from outside, checked and complete; nothing else reads the environment. */
export interface DaemonConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly registryPort: number;
  readonly dataDir: string;
  readonly configDir: string;
  /** Added to the bundled catalog and to `<config>/catalog`. */
  readonly catalogDirs: readonly string[];
  /** Folders whose files carry their grants (docs/manifest.md, "Grants"); loaded like the others. */
  readonly trustedCatalogDirs: readonly string[];
  /** Absent: no bundled catalog. */
  readonly bundledCatalogDir?: string;
  /** `host` or `host:port`, lower case: private addresses that manifests may reach. */
  readonly allowPrivateHosts: readonly string[];
  readonly publicUrl?: string;
  /** Host names, with or without port, that requests may name besides the loopback ones (docs/security.md, T1). */
  readonly allowedHosts: readonly string[];
  readonly logLevel: LogLevel;
  readonly startingCredit: MicroDollars | "unlimited";
  /** Set: wins over settings.json. */
  readonly mirrorProviderStatus?: boolean;
  readonly discoverPool?: number;
  readonly discoverFloor?: number;
  /** Absent: discovery ranks by itself. */
  readonly searchServices?: SearchServiceSettings;
  /** Only what the environment says. */
  readonly health?: HealthSettingsChange;
  readonly maxBodyBytes: number;
  readonly rateLimits: RateLimits;
  readonly openRunLimits: OpenRunLimits;
  /** Connections of the service's port at once; absent: as many as the descriptors of the process leave. */
  readonly maxConnections?: number;
  /** Addresses, and networks as `10.0.0.0/8`, of reverse proxies: they are believed whom they speak for. */
  readonly trustedProxies: readonly string[];
  /** Room on the disk that is kept for what ends runs when all the rest is used up; 0: none. */
  readonly ballastBytes: number;
  /** How fast what lies on the disk is looked at for damage, in the background; 0: not at all. */
  readonly scrubBytesPerSecond: number;
  /** Days that outputs are kept after the end of their run; absent: for ever. */
  readonly retentionDays?: number;
  /** Absent: no access tokens are taken. */
  readonly jwt?: JwtSettings;
  readonly forceUnlock: boolean;
  readonly version: string;
  /** The built program; absent where the sources run as they are. */
  readonly program?: BuiltProgram;
  /** Where manifests' secrets come from, once granted. */
  readonly environment: Environment;
}

/** A setting that cannot be used: exit 78. The message names the setting and what it takes. */
export class ConfigRefused extends Error {
  override readonly name = "ConfigRefused";
}

/** What to say when the folder that holds the owner's key cannot be read or written. */
export function unusableConfigDir(configDir: string, error: unknown): ConfigRefused {
  const why = errorText(error);
  return new ConfigRefused(
    `The configuration folder ${configDir} cannot be used: ${why}. Mend it, or name another with MKT_CONFIG_DIR`,
  );
}

/** What the command line gave, as commander hands it over; absent members were not given. */
export interface DaemonFlags {
  readonly host?: string;
  readonly port?: string;
  readonly registryPort?: string;
  readonly dataDir?: string;
  readonly catalog?: readonly string[];
  readonly trustedCatalog?: readonly string[];
  /** commander's `--no-bundled-catalog`. */
  readonly bundledCatalog?: boolean;
  readonly allowPrivateHost?: readonly string[];
  readonly allowRemote?: boolean;
  readonly publicUrl?: string;
  readonly allowedHost?: readonly string[];
  readonly logLevel?: string;
  readonly forceUnlock?: boolean;
}

export interface ConfigSurroundings {
  readonly environment: Environment;
  readonly bundledCatalogDir: string;
  readonly version: string;
  /** The built program; absent where the sources run as they are. */
  readonly program?: BuiltProgram;
}

/** Flag, then environment, then default. Throws `ConfigRefused`. Source: settings design. */
export function parseDaemonConfig(flags: DaemonFlags, surroundings: ConfigSurroundings): DaemonConfig {
  const { environment } = surroundings;
  const places = findPlaces(environment);
  const host = flags.host ?? (environment["MKT_HOST"] || DEFAULT_HOST);
  if (!isLoopback(host) && !(flags.allowRemote ?? flagOf(environment, "MKT_ALLOW_REMOTE"))) {
    throw new ConfigRefused(
      `--host ${host} (MKT_HOST) would let other machines in. If that is meant, say so with --allow-remote (MKT_ALLOW_REMOTE=1), ` +
        "and name the addresses that people will use with --public-url or --allowed-host",
    );
  }
  const publicUrl = flags.publicUrl ?? (environment["MKT_PUBLIC_URL"] || undefined);
  const bundled = flags.bundledCatalog !== false && !flagOf(environment, "MKT_NO_BUNDLED_CATALOG");
  const mirror = environment["MKT_MIRROR_PROVIDER_STATUS"];
  const jwt = jwtOf(environment);
  const trustedProxies = trustedProxiesOf(environment);
  return {
    host,
    port: portOf(flags.port ?? environment["MKT_PORT"], "--port (MKT_PORT)", DEFAULT_PORT),
    registryPort: portOf(
      flags.registryPort ?? environment["MKT_REGISTRY_PORT"],
      "--registry-port (MKT_REGISTRY_PORT)",
      DEFAULT_REGISTRY_PORT,
    ),
    dataDir: flags.dataDir === undefined ? places.dataDir : resolve(flags.dataDir),
    configDir: places.configDir,
    catalogDirs: listOf(flags.catalog, environment["MKT_CATALOGS"]).map((dir) => resolve(dir)),
    trustedCatalogDirs: listOf(flags.trustedCatalog, environment["MKT_TRUSTED_CATALOGS"]).map((dir) => resolve(dir)),
    ...(bundled && { bundledCatalogDir: surroundings.bundledCatalogDir }),
    allowPrivateHosts: listOf(flags.allowPrivateHost, environment["MKT_ALLOW_PRIVATE_HOSTS"]).map((name) =>
      name.toLowerCase(),
    ),
    ...(publicUrl !== undefined && { publicUrl: urlOf(publicUrl) }),
    allowedHosts: [
      ...listOf(flags.allowedHost, environment["MKT_ALLOWED_HOSTS"]).map((name) => name.toLowerCase()),
      ...(publicUrl === undefined ? [] : [new URL(urlOf(publicUrl)).host]),
    ],
    logLevel: levelOf(flags.logLevel ?? (environment["MKT_LOG_LEVEL"] || "info")),
    startingCredit: creditOf(environment["MKT_STARTING_CREDIT"] || DEFAULT_STARTING_CREDIT_DOLLARS),
    ...(mirror !== undefined &&
      mirror !== "" && { mirrorProviderStatus: flagOf(environment, "MKT_MIRROR_PROVIDER_STATUS") }),
    ...numberOf(environment, "MKT_DISCOVER_POOL", "discoverPool", z.coerce.number().int().min(1).max(10_000)),
    ...numberOf(environment, "MKT_DISCOVER_FLOOR", "discoverFloor", z.coerce.number().min(0).max(2)),
    ...searchServicesOf(environment),
    ...healthOf(environment),
    maxBodyBytes: numberOf(environment, "MKT_MAX_BODY_BYTES", "bytes", BodyBytes).bytes ?? DEFAULT_MAX_BODY_BYTES,
    ballastBytes:
      numberOf(environment, "MKT_BALLAST_BYTES", "bytes", z.coerce.number().int().min(0)).bytes ??
      DEFAULT_BALLAST_BYTES,
    scrubBytesPerSecond:
      numberOf(environment, "MKT_SCRUB_BYTES_PER_SECOND", "bytes", z.coerce.number().int().min(0)).bytes ??
      DEFAULT_SCRUB_BYTES_PER_SECOND,
    // Not less than two days: the answers to an Idempotency-Key are made of them for one.
    ...numberOf(environment, "MKT_RETENTION_DAYS", "retentionDays", z.coerce.number().min(2)),
    rateLimits: rateLimitsOf(environment, { isOpen: !isLoopback(host), isBehindProxy: trustedProxies.length > 0 }),
    trustedProxies,
    openRunLimits: openRunLimitsOf(environment),
    ...numberOf(environment, "MKT_MAX_CONNECTIONS", "maxConnections", z.coerce.number().int().min(4).max(1_000_000)),
    ...(jwt !== undefined && { jwt }),
    forceUnlock: flags.forceUnlock ?? false,
    version: surroundings.version,
    ...(surroundings.program !== undefined && { program: surroundings.program }),
    environment,
  };
}

function portOf(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined || text === "") return fallback;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new ConfigRefused(`${name} takes a port from 0 (any free one) to 65535, got "${text}"`);
}

function listOf(flag: readonly string[] | undefined, variable: string | undefined): string[] {
  if (flag !== undefined && flag.length > 0) return [...flag];
  return (variable ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function flagOf(environment: Environment, name: string): boolean {
  const text = environment[name]?.toLowerCase() ?? "";
  if (["1", "true", "yes", "on"].includes(text)) return true;
  if (["", "0", "false", "no", "off"].includes(text)) return false;
  throw new ConfigRefused(`${name} takes 1 or 0, got "${environment[name]}"`);
}

function levelOf(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level !== undefined) return level;
  throw new ConfigRefused(`--log-level (MKT_LOG_LEVEL) takes one of ${logLevels.join(", ")}, got "${text}"`);
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:")) return text.replace(/\/+$/, "");
  throw new ConfigRefused(
    `--public-url (MKT_PUBLIC_URL) takes an address such as https://mkt.example.com, got "${text}"`,
  );
}

/** Who has this machine to themselves may ask as fast as it goes; only what does not get in is held back there too. */
function rateLimitsOf(
  environment: Environment,
  { isOpen, isBehindProxy }: { readonly isOpen: boolean; readonly isBehindProxy: boolean },
): RateLimits {
  const ofCaller = limitOf(environment, "MKT_RATE_LIMIT", "the requests that a key may make in a minute");
  const ofSource = limitOf(
    environment,
    "MKT_PUBLIC_RATE_LIMIT",
    "the requests without a key that one address may make in a minute",
  );
  const caller = ofCaller ?? (isOpen ? DEFAULT_REQUESTS_PER_MINUTE : "off");
  // Behind a proxy that is not named everybody has one address: a limit of their own would be one for all of them.
  const source = ofSource ?? (isOpen || isBehindProxy ? DEFAULT_PUBLIC_REQUESTS_PER_MINUTE : "off");
  return {
    ...(caller !== "off" && { caller }),
    ...(ofCaller !== "off" && FAILED_ATTEMPTS_PER_MINUTE),
    ...(source !== "off" && { public: source }),
  };
}

function trustedProxiesOf(environment: Environment): string[] {
  const proxies = listOf(undefined, environment["MKT_TRUSTED_PROXIES"]);
  const wrong = proxies.find((proxy) => !isNetwork(proxy));
  if (wrong === undefined) return proxies;
  throw new ConfigRefused(
    `MKT_TRUSTED_PROXIES takes addresses and networks such as 127.0.0.1 or 10.0.0.0/8, got "${wrong}"`,
  );
}

/** One key never has the whole of its workspace's, unless it is said: another key of the workspace can still begin a run. */
function openRunLimitsOf(environment: Environment): OpenRunLimits {
  const what = "the runs that may be under way at a time";
  const workspace = limitOf(environment, "MKT_MAX_OPEN_RUNS", `${what} in a workspace`) ?? DEFAULT_MAX_OPEN_RUNS;
  const half = workspace === "off" ? workspace : Math.max(1, Math.floor(workspace / 2));
  const key = limitOf(environment, "MKT_MAX_OPEN_RUNS_PER_KEY", `${what} of a key`) ?? half;
  return { ...(workspace !== "off" && { workspace }), ...(key !== "off" && { key }) };
}

/** Undefined where it is not set. */
function limitOf(environment: Environment, name: string, what: string): number | "off" | undefined {
  const text = environment[name] || undefined;
  if (text === undefined) return undefined;
  if (text.toLowerCase() === "off") return "off";
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ConfigRefused(`${name} takes ${what}, or off, got "${text}"`);
}

/** The identity provider: all of its three settings, or none. */
function jwtOf(environment: Environment): JwtSettings | undefined {
  const names = ["MKT_JWT_ISSUER", "MKT_JWT_AUDIENCE", "MKT_JWT_JWKS_URL"] as const;
  const [issuer, audience, jwksUrl] = names.map((name) => environment[name] || undefined);
  if (issuer === undefined && audience === undefined && jwksUrl === undefined) return undefined;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) {
    const missing = names.filter((name) => !environment[name]).join(" and ");
    throw new ConfigRefused(`Access tokens need ${names.join(", ")}: ${missing} is not set`);
  }
  return {
    issuer,
    audience,
    jwksUrl: keySetUrlOf(jwksUrl),
    organisationClaim: environment["MKT_JWT_ORG_CLAIM"] || "org_id",
    metadataClaims: listOf(undefined, environment["MKT_JWT_METADATA_CLAIMS"]),
  };
}

function keySetUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return url.href;
  throw new ConfigRefused(`MKT_JWT_JWKS_URL takes an https address, or http on this machine, got "${text}"`);
}

function creditOf(text: string): MicroDollars | "unlimited" {
  if (text === "unlimited") return "unlimited";
  try {
    const credit = parseDollars(text);
    if (credit >= 0) return credit;
  } catch {
    // Told below, with the setting's name.
  }
  throw new ConfigRefused(`MKT_STARTING_CREDIT takes dollars such as 10 or 2.50, or "unlimited", got "${text}"`);
}

/** The services that discovery asks beside its own ranking, where one is set. */
function searchServicesOf(environment: Environment): Pick<DaemonConfig, "searchServices"> {
  const embeddings = searchServiceOf(environment, "MKT_EMBEDDINGS");
  const rerank = searchServiceOf(environment, "MKT_RERANK");
  if (embeddings === undefined && rerank === undefined) return {};
  const limits = z.coerce.number().int().min(50).max(30_000);
  const waitMs = numberOf(environment, "MKT_DISCOVER_WAIT_MS", "ms", limits).ms ?? DEFAULT_DISCOVER_WAIT_MS;
  return {
    searchServices: {
      ...(embeddings !== undefined && { embeddings }),
      ...(rerank !== undefined && { rerank }),
      waitMs,
    },
  };
}

function searchServiceOf(environment: Environment, prefix: string): ServiceSettings | undefined {
  const [url, model, key] = ["URL", "MODEL", "KEY"].map((name) => environment[`${prefix}_${name}`] || undefined);
  if (url === undefined && model === undefined && key === undefined) return undefined;
  if (url === undefined || model === undefined) {
    throw new ConfigRefused(`${prefix}_URL and ${prefix}_MODEL are needed together, and ${prefix}_KEY only with them`);
  }
  return { url: serviceUrlOf(url, `${prefix}_URL`, key !== undefined), model, ...(key !== undefined && { key }) };
}

/** The message does not repeat the text, which may hold what should be in the key's own setting. */
function serviceUrlOf(text: string, name: string, hasKey: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === "http:" && (!hasKey || isLoopback(url.hostname));
  if (url === undefined || (url.protocol !== "https:" && !isPlain)) {
    throw new ConfigRefused(`${name} takes an https address; http on this machine, or where no key is sent`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigRefused(
      `${name} must not hold a name or a password: ${name.replace("_URL", "_KEY")} takes the key`,
    );
  }
  return url.href;
}

/** `MKT_HEALTH_FRESH_MINUTES` and so on: the members of the settings, each with its limits. */
function healthOf(environment: Environment): Pick<DaemonConfig, "health"> {
  const given = Object.entries(HealthSettings.shape).map(([member, schema]) => {
    const name = `MKT_HEALTH_${member.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    return numberOf(environment, name, member, z.coerce.number().pipe(schema));
  });
  const health: HealthSettingsChange = Object.assign({}, ...given);
  return Object.keys(health).length === 0 ? {} : { health };
}

function numberOf<const Key extends string>(
  environment: Environment,
  name: string,
  key: Key,
  schema: z.ZodType<number>,
): { readonly [K in Key]?: number } {
  const text = environment[name];
  if (text === undefined || text === "") return {};
  const parsed = schema.safeParse(text);
  if (parsed.success) return { [key]: parsed.data } as { readonly [K in Key]?: number };
  throw new ConfigRefused(`${name}: ${parsed.error.issues[0]?.message ?? "not a usable number"}, got "${text}"`);
}
