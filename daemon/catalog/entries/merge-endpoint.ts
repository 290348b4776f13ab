import type { z } from "zod";
import type { ManifestPrice } from "../../manifest/manifest-price.ts";
import type { CatalogEntry, ResolvedHttp, ResourceEffect } from "./catalog-entry.ts";
import { bundleShared, resolveInputSchemas } from "./input-schemas.ts";
import { withFileObjects } from "../../manifest/file-schema.ts";
import { marketJob, withMarketTime } from "./market-time.ts";
import {
  type Async,
  type Auth,
  type Covers,
  type Http,
  type Manifest,
  type ManifestEndpoint,
  Retry,
  type Usage,
} from "../../manifest/manifest.ts";

/** additionalProperties ignores what a $ref or an allOf declares. */
export interface EndpointDraft extends Omit<
  CatalogEntry,
  "provider" | "price" | "priceWithoutMarkup" | "http" | "resources"
> {
  readonly manifestPrice: z.infer<typeof ManifestPrice> | undefined;
  /** Undefined where neither the endpoint nor its provider names a base URL. */
  readonly http: Omit<ResolvedHttp, "baseUrl"> & { readonly baseUrl: string | undefined };
  /** `async: {}` without a provider's job protocol. */
  readonly asyncMissing: boolean;
  readonly resourceUse?: NonNullable<ManifestEndpoint["resources"]>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** Leaf by leaf: endpoint, else provider, else default; headers key by key. docs/manifest.md, "Merging". */
export function mergeEndpoint(manifest: Manifest, path: string, endpoint: ManifestEndpoint): EndpointDraft {
  const { async: job, asyncMissing } = mergeAsync(manifest, endpoint);
  const { hints, deprecated } = endpoint;
  const docUrl = endpoint.docUrl ?? manifest.docUrl;
  const priceSource = priceSourceOf(manifest, endpoint);
  const covers = mergeCovers(manifest.covers, endpoint.covers);
  return {
    path,
    displayName: endpoint.displayName ?? path,
    description: endpoint.description,
    ...(docUrl !== undefined && { docUrl }),
    tags: endpoint.tags ?? manifest.tags,
    categories: endpoint.categories ?? manifest.categories,
    notes: endpoint.notes ?? manifest.notes,
    ...(covers !== undefined && { covers }),
    asks: endpoint.asks,
    ...(hints !== undefined && { hints }),
    enabled: endpoint.enabled,
    ...(deprecated !== undefined && { deprecated }),
    verified: endpoint.verified,
    // A market finds a run by its key, so that a repeated call is no second run.
    idempotent: endpoint.idempotent || endpoint.request.run?.additions === true,
    ...(endpoint.reuse !== undefined && { reuse: endpoint.reuse }),
    // Without a bound, the caller pays for nothing beyond the hold.
    overrun: endpoint.overrun === "caller" ? "operator" : endpoint.overrun,
    request: mergeRequest(path, endpoint.request),
    input: resolveInput(endpoint, manifest),
    output: {
      ...(endpoint.output?.select !== undefined && { select: endpoint.output.select }),
      omit: endpoint.output?.omit ?? [],
      media: endpoint.output?.media ?? "auto",
      ...(endpoint.output?.delimiter !== undefined && { delimiter: endpoint.output.delimiter }),
      ...(endpoint.output?.schema !== undefined && {
        schema: bundleShared(endpoint.output.schema, manifest.schemas),
      }),
    },
    ...(endpoint.pages !== undefined && { pages: endpoint.pages }),
    usage: mergeUsage(manifest.usage, endpoint.usage),
    manifestPrice: endpoint.price ?? manifest.price,
    ...(priceSource !== undefined && { priceSource }),
    ...(job !== undefined && { async: job }),
    asyncMissing,
    errors: [...endpoint.errors, ...manifest.errors],
    http: withMarketTime(
      mergeHttp(manifest.http, endpoint.http),
      endpoint.request.run,
      endpoint.http?.timeoutMs ?? manifest.http?.timeoutMs,
    ),
    examples: endpoint.examples,
    ...effectsOf(endpoint),
    ...(endpoint.resources !== undefined && { resourceUse: endpoint.resources }),
  };
}

function mergeCovers(provider: Covers | undefined, endpoint: Covers | undefined): Covers | undefined {
  if (provider === undefined || endpoint === undefined) return endpoint ?? provider;
  return { ...provider, ...given(endpoint) };
}

/** Without a price there is no price source. */
function priceSourceOf(manifest: Manifest, { price = manifest.price, priceSource }: ManifestEndpoint) {
  return price?.type === "FREE" ? undefined : (priceSource ?? manifest.priceSource);
}

/**
 * The public path is the vendor's, unless the call says otherwise. A tool is always posted to the base address itself,
 * and a market has routes of its own.
 */
function mergeRequest(path: string, request: ManifestEndpoint["request"]): EndpointDraft["request"] {
  const call = { ...request, method: request.method ?? "POST" };
  const { tool, run, url } = call;
  const isElsewhere = tool !== undefined || run !== undefined || url !== undefined;
  return isElsewhere || call.path !== undefined ? call : { ...call, path };
}

/** In a multipart body every file may have a name and a media type. */
function resolveInput({ input, request }: ManifestEndpoint, { schemas }: Manifest): EndpointDraft["input"] {
  const resolved = resolveInputSchemas(input, schemas);
  if (request.encoding !== "multipart" || resolved.body === undefined) return resolved;
  return { ...resolved, body: withFileObjects(resolved.body) };
}

function mergeUsage(provider: Usage = {}, endpoint: Usage = {}): Usage {
  const cost = mergeCost(provider.cost, endpoint.cost);
  const estimate = { ...given(provider.estimate), ...given(endpoint.estimate) };
  const isEstimated = provider.estimate !== undefined || endpoint.estimate !== undefined;
  return {
    ...given(provider),
    ...given(endpoint),
    ...(cost !== undefined && { cost }),
    ...(isEstimated && { estimate }),
  };
}

/** An endpoint that reads the cost elsewhere keeps the value of a unit, unless it sets that too. */
function mergeCost(provider: Usage["cost"], endpoint: Usage["cost"]): Usage["cost"] {
  if (provider === undefined || endpoint === undefined) return endpoint ?? provider;
  const isWorthTold = endpoint.unit !== undefined || endpoint.usdPerUnit !== undefined;
  return isWorthTold ? endpoint : { ...provider, from: endpoint.from };
}

function effectsOf({ resources }: ManifestEndpoint): Pick<EndpointDraft, "effects"> {
  if (resources === undefined) return {};
  const effects: ResourceEffect[] = [
    ...(resources.provisions === undefined ? [] : ["creates" as const]),
    ...((resources.updates ?? []).length === 0 ? [] : ["updates" as const]),
    ...((resources.releases ?? []).length === 0 ? [] : ["deletes" as const]),
  ];
  return effects.length === 0 ? {} : { effects };
}

/** Calls that belong to no endpoint have only the provider's settings. */
export function mergeHttp(provider: Http | undefined, endpoint?: Http): EndpointDraft["http"] {
  const auth = endpoint?.auth ?? provider?.auth ?? [];
  const rateLimit = mergeRateLimit(provider?.rateLimit, endpoint?.rateLimit);
  return {
    baseUrl: endpoint?.baseUrl ?? provider?.baseUrl,
    headers: mergeHeaders(provider?.headers, endpoint?.headers),
    auth: toList(auth),
    timeoutMs: endpoint?.timeoutMs ?? provider?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retry: Retry.parse({ ...given(provider?.retry), ...given(endpoint?.retry) }),
    ...(rateLimit !== undefined && { rateLimit }),
    allowHosts: endpoint?.allowHosts ?? provider?.allowHosts ?? [],
    allowPrivateNetwork: endpoint?.allowPrivateNetwork ?? provider?.allowPrivateNetwork ?? false,
    maxResponseBytes: endpoint?.maxResponseBytes ?? provider?.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
    queryArrays: endpoint?.query?.arrays ?? provider?.query?.arrays ?? "repeat",
    ...((endpoint?.traceparent ?? provider?.traceparent ?? false) && { traceparent: true as const }),
  };
}

function mergeRateLimit(provider: Http["rateLimit"], endpoint: Http["rateLimit"]): Http["rateLimit"] {
  if (provider === undefined || endpoint === undefined) return endpoint ?? provider;
  const headers = { ...given(provider.headers), ...given(endpoint.headers) };
  const isTold = provider.headers !== undefined || endpoint.headers !== undefined;
  return { ...given(provider), ...given(endpoint), ...(isTold && { headers }) };
}

/** Header names are compared without regard to case; the endpoint's spelling and value win. */
function mergeHeaders(
  provider: Readonly<Record<string, string>> = {},
  endpoint: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = new Set(Object.keys(endpoint).map((name) => name.toLowerCase()));
  const inherited = Object.entries(provider).filter(([name]) => !own.has(name.toLowerCase()));
  return { ...Object.fromEntries(inherited), ...endpoint };
}

function mergeAsync(manifest: Manifest, endpoint: ManifestEndpoint): { async?: Async; asyncMissing: boolean } {
  const { run } = endpoint.request;
  if (run?.mode === "async") return { async: marketJob(run), asyncMissing: false };
  if (endpoint.async === undefined) return { asyncMissing: false };
  if ("start" in endpoint.async) return { async: endpoint.async as Async, asyncMissing: false };
  return manifest.async === undefined ? { asyncMissing: true } : { async: manifest.async, asyncMissing: false };
}

function toList(auth: Auth | Auth[]): Auth[] {
  return (Array.isArray(auth) ? auth : [auth]).filter(({ type }) => type !== "none");
}

function given<T extends object>(value: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([, member]) => member !== undefined)) as Partial<T>;
}
