import { z } from "zod";
import { isLoopback } from "../../shared/loopback.ts";
import type { RateLimits } from "../http/limits/rate-limits.ts";
import { isNetwork } from "../http/callers/request-source.ts";
import { ConfigRefused } from "./config-refused.ts";
import type { DaemonFlags } from "./daemon-flags.ts";
import { type GivenSettings, onlyGiven } from "./given-settings.ts";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 7717;
export const DEFAULT_REGISTRY_PORT = 7718;
const DEFAULT_MAX_BODY_BYTES = 1_048_576;
/** A body is parsed and hashed without interruption; with a larger one other requests would wait too long. */
const LARGEST_MAX_BODY_BYTES = 16_777_216;
const BodyBytes = z.coerce
  .number()
  .int()
  .min(1_024)
  .max(LARGEST_MAX_BODY_BYTES, { error: `takes at most ${LARGEST_MAX_BODY_BYTES} bytes (16 MiB)` });
const Connections = z.coerce.number().int().min(4).max(1_000_000);
/** For one key, when other machines may connect. */
const DEFAULT_REQUESTS_PER_MINUTE = 6_000;
/**
 * For one source without credentials, when other machines may connect: 24 each for an office of fifty at one address.
 */
const DEFAULT_PUBLIC_REQUESTS_PER_MINUTE = 1_200;
/** For one source. Valid tokens expire by themselves, so more of them fail without an attack. */
const FAILED_ATTEMPTS_PER_MINUTE: RateLimits = { failedKeys: 600, failedTokens: 3_000 };

export interface ServerSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly registryPort: number;
  /** Where metrics are served without a key; absent: nowhere. Port 0: any free one. */
  readonly metricsListen?: { readonly host: string; readonly port: number };
  /** Where traces are sent to; absent: nothing is traced. */
  readonly traces?: { readonly url: string; readonly service: string };
  readonly publicUrl?: string;
  /** Host names, with or without port, that requests may name besides the loopback ones (docs/security.md, T1). */
  readonly allowedHosts: readonly string[];
  /** Addresses, and networks as `10.0.0.0/8`, of reverse proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimits;
  readonly maxBodyBytes: number;
  /** Concurrent connections of the service's port; absent: as many as the file descriptors of the process allow. */
  readonly maxConnections?: number;
}

/** Where the service listens, who may use it, and how much. */
export function serverSettings(given: GivenSettings, flags: DaemonFlags): ServerSettings {
  const host = hostOf(given, flags);
  const publicUrl = given.text("MKT_PUBLIC_URL", flags.publicUrl);
  const trustedProxies = trustedProxiesOf(given);
  const port = given.port("MKT_PORT", { flag: flags.port, name: "--port" });
  const registryPort = given.port("MKT_REGISTRY_PORT", { flag: flags.registryPort, name: "--registry-port" });
  return {
    host,
    port: port ?? DEFAULT_PORT,
    registryPort: registryPort ?? DEFAULT_REGISTRY_PORT,
    ...onlyGiven({ metricsListen: metricsAddress(given, flags), traces: tracesOf(given) }),
    ...(publicUrl !== undefined && { publicUrl: urlOf(publicUrl) }),
    allowedHosts: [
      ...given.list("MKT_ALLOWED_HOSTS", flags.allowedHost).map((name) => name.toLowerCase()),
      ...(publicUrl === undefined ? [] : [new URL(urlOf(publicUrl)).host]),
    ],
    trustedProxies,
    rateLimits: rateLimitsOf(given, { isOpen: !isLoopback(host), isBehindProxy: trustedProxies.length > 0 }),
    maxBodyBytes: given.number("MKT_MAX_BODY_BYTES", BodyBytes) ?? DEFAULT_MAX_BODY_BYTES,
    ...onlyGiven({ maxConnections: given.number("MKT_MAX_CONNECTIONS", Connections) }),
  };
}

/** As OpenTelemetry names its settings: the address of a collector, or the whole address for traces. */
function tracesOf(given: GivenSettings): ServerSettings["traces"] {
  const whole = given.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const base = given.text("OTEL_EXPORTER_OTLP_ENDPOINT");
  if ((whole ?? base) === undefined || given.isOn("OTEL_SDK_DISABLED")) return undefined;
  const url = whole ?? `${base?.replace(/\/+$/, "")}/v1/traces`;
  if (/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
    return { url, service: given.text("OTEL_SERVICE_NAME") ?? "mkt" };
  }
  throw new ConfigRefused(
    `OTEL_EXPORTER_OTLP_ENDPOINT takes the address of a collector, such as http://127.0.0.1:4318, got "${whole ?? base}"`,
  );
}

/** `9464` or `127.0.0.1:9464`. What a daemon earns is no more for everybody than the daemon itself. */
function metricsAddress(given: GivenSettings, flags: DaemonFlags): ServerSettings["metricsListen"] {
  const text = given.text("MKT_METRICS_LISTEN");
  if (text === undefined) return undefined;
  const [, host = DEFAULT_HOST, digits = ""] = /^(?:(\[[0-9a-f:.]+\]|[^:[\]\s]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new ConfigRefused(
      `MKT_METRICS_LISTEN takes a port or an address with a port, such as 9464 or 127.0.0.1:9464, got "${text}"`,
    );
  }
  if (isLoopback(host) || (flags.allowRemote ?? given.isOn("MKT_ALLOW_REMOTE"))) return { host, port };
  throw new ConfigRefused(
    `MKT_METRICS_LISTEN=${text} would show the metrics to other machines without a key. If that is meant, ` +
      "say so with --allow-remote (MKT_ALLOW_REMOTE=1), and name the addresses that collectors use with --allowed-host",
  );
}

function hostOf(given: GivenSettings, flags: DaemonFlags): string {
  const host = given.text("MKT_HOST", flags.host) ?? DEFAULT_HOST;
  if (isLoopback(host) || (flags.allowRemote ?? given.isOn("MKT_ALLOW_REMOTE"))) return host;
  throw new ConfigRefused(
    `--host ${host} (MKT_HOST) would let other machines in. If that is meant, say so with --allow-remote (MKT_ALLOW_REMOTE=1), ` +
      "and name the addresses that people will use with --public-url or --allowed-host",
  );
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:")) return text.replace(/\/+$/, "");
  throw new ConfigRefused(
    `--public-url (MKT_PUBLIC_URL) takes an address such as https://mkt.example.com, got "${text}"`,
  );
}

function trustedProxiesOf(given: GivenSettings): string[] {
  const proxies = given.list("MKT_TRUSTED_PROXIES");
  const wrong = proxies.find((proxy) => !isNetwork(proxy));
  if (wrong === undefined) return proxies;
  throw new ConfigRefused(
    `MKT_TRUSTED_PROXIES takes addresses and networks such as 127.0.0.1 or 10.0.0.0/8, got "${wrong}"`,
  );
}

/** If only this machine can connect, callers are not limited; failed credentials are limited even then. */
function rateLimitsOf(
  given: GivenSettings,
  { isOpen, isBehindProxy }: { readonly isOpen: boolean; readonly isBehindProxy: boolean },
): RateLimits {
  const ofCaller = given.limit("MKT_RATE_LIMIT", "the requests that a key may make in a minute");
  const ofSource = given.limit(
    "MKT_PUBLIC_RATE_LIMIT",
    "the requests without a key that one address may make in a minute",
  );
  const caller = ofCaller ?? (isOpen ? DEFAULT_REQUESTS_PER_MINUTE : "off");
  // Behind a proxy that is not configured, everybody has the same address, so a limit per source would limit all
  // together.
  const source = ofSource ?? (isOpen || isBehindProxy ? DEFAULT_PUBLIC_REQUESTS_PER_MINUTE : "off");
  return {
    ...(caller !== "off" && { caller }),
    ...(ofCaller !== "off" && FAILED_ATTEMPTS_PER_MINUTE),
    ...(source !== "off" && { public: source }),
  };
}
