import type { CatalogEntry, CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import type { LoadedProvider } from "../catalog/reading/provider-file.ts";

/** A provider whose addresses point to the stand-in, with secrets made for the rehearsal. */
export interface RehearsedProvider {
  /** Enabled ones, apart from those of markets. */
  readonly entries: readonly CatalogEntry[];
  /** Secrets by their names in the file; none of them is the operator's. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Replaces the provider's own addresses by the stand-in's. */
  readonly readdress: (text: string) => string;
}

/** Every origin that the provider's endpoints may call; empty for a built-in provider. */
export function originsOf({ entries }: LoadedProvider): readonly string[] {
  const addresses = entries.flatMap(({ http, examples }) => [
    http.baseUrl,
    ...http.auth.flatMap((auth) => (auth.type === "clientCredentials" ? [auth.tokenUrl] : [])),
    ...http.allowHosts.flatMap((host) => namedBy(host, examples)).map((host) => `https://${host}`),
  ]);
  const urls = addresses.filter((address) => /^https?:/.test(address) && URL.canParse(address));
  return [...new Set(urls.map((address) => new URL(address).origin))];
}

/** `places`: real origin → the address of its stand-in. */
export function toRehearsed(loaded: LoadedProvider, places: ReadonlyMap<string, string>): RehearsedProvider {
  const readdress = readdressing(places);
  const { provider } = loaded;
  return {
    entries: loaded.entries.filter(isRehearsed).map((entry) => rehearsedEntry(entry, readdress)),
    secrets: canariesOf(provider),
    readdress,
  };
}

/** What a run at a market is sent as, what it costs and how its answer is read is the same for all, and not in the file. */
function isRehearsed({ enabled, request }: CatalogEntry): boolean {
  return enabled && request.run === undefined;
}

/** A rehearsal never waits, neither for a rate limit nor between attempts. */
function rehearsedEntry(entry: CatalogEntry, readdress: (text: string) => string): CatalogEntry {
  const { rateLimit: _rateLimit, ...http } = entry.http;
  const readdressed = <Value>(value: Value): Value => JSON.parse(readdress(JSON.stringify(value))) as Value;
  const { async: job } = entry;
  return {
    ...entry,
    request: readdressed(entry.request),
    ...(job !== undefined && { async: { ...readdressed(job), poll: { ...readdressed(job.poll), everyMs: 0 } } }),
    http: {
      ...http,
      baseUrl: readdress(http.baseUrl),
      auth: readdressed(http.auth),
      allowHosts: http.allowHosts
        .flatMap((host) => namedBy(host, entry.examples))
        .map((host) => new URL(readdress(`https://${host}/`)).host),
      allowPrivateNetwork: true,
      retry: { ...http.retry, backoffMs: 0, maxBackoffMs: 0 },
    },
  };
}

/** The host itself; for `*.example.com`, the hosts in the recorded answers. */
function namedBy(host: string, examples: CatalogEntry["examples"]): string[] {
  if (!host.startsWith("*.")) return URL.canParse(`https://${host}`) ? [host] : [];
  const pattern = new RegExp(`(?<=https://)[\\w.-]+${escapeForPattern(host.slice(1))}`, "g");
  return [...new Set(JSON.stringify(examples).match(pattern) ?? [])];
}

function readdressing(places: ReadonlyMap<string, string>): (text: string) => string {
  const origins = [...places.keys()].sort((a, b) => b.length - a.length).map(escapeForPattern);
  if (origins.length === 0) return (text) => text;
  // Does not match the beginning of a longer name: https://api.example in https://api.example.com.
  const pattern = new RegExp(`(?:${origins.join("|")})(?![\\w.:-])`, "g");
  return (text) => text.replace(pattern, (origin) => places.get(origin) ?? origin);
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function canariesOf({ secrets }: CatalogProvider): Record<string, string> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, `rehearsal-${name}-${randomText()}`]));
}

function randomText(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 12);
}
