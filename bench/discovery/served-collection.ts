import type { CatalogEntry, CatalogProvider } from "../../daemon/catalog/entries/catalog-entry.ts";
import { compareText } from "../../daemon/base/compare-text.ts";
import type { IndexedDocument } from "../../daemon/discovery/index/shard/forward-index.ts";
import { type EndpointShape, shapeOfEntry } from "../../daemon/discovery/documents/endpoint-shape.ts";
import { toSearchDocument } from "../../daemon/discovery/documents/search-document.ts";
import type { CollectedEndpoint, Collection } from "./collections.ts";

/*
 * A collection as a daemon would serve it: each `provider` becomes a slug, its endpoints those of that provider, by the
 * path of `endpoint`, numbered where two are the same. No category tree: a daemon with nothing but the collection has none.
 */

const MAX_SLUG = 60;
/** Some endpoints are nobody's. */
const NOBODY = "unnamed";

/** One endpoint with its place in a catalog. */
export interface ServedEndpoint {
  readonly collected: CollectedEndpoint;
  readonly provider: string;
  readonly path: string;
}

/** In the order of the collection; `provider` and `path` together are unique. */
export function placeEndpoints(endpoints: readonly CollectedEndpoint[]): ServedEndpoint[] {
  const taken = new Set<string>();
  return endpoints.map((collected) => {
    const provider = slugOf(collected.provider);
    const path = freePath(pathOf(collected), (candidate) => taken.has(`${provider} ${candidate}`));
    taken.add(`${provider} ${path}`);
    return { collected, provider, path };
  });
}

/** Lower case and hyphens, at most 60 characters. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? NOBODY : slug;
}

const METHOD = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE) /;

/** Of an operation of an API; a function has none, and is called by POST, as tools are. */
function methodOf({ endpoint }: CollectedEndpoint): "GET" | "POST" | "PUT" | "PATCH" | "DELETE" {
  const [written = ""] = METHOD.exec(endpoint) ?? [];
  return METHODS.find((method) => method === written.trim()) ?? "POST";
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

function pathOf({ endpoint }: CollectedEndpoint): string {
  const path = endpoint.replace(METHOD, "").trim();
  return path.startsWith("/") ? path : `/${path}`;
}

function freePath(path: string, isTaken: (path: string) => boolean): string {
  if (!isTaken(path)) return path;
  let number = 2;
  while (isTaken(`${path}-${number}`)) number += 1;
  return `${path}-${number}`;
}

/** Manifests by slug, as they would be written for the collection. */
export function toManifests(served: readonly ServedEndpoint[]): Map<string, object> {
  return new Map(
    [...groupByProvider(served)].map(([provider, endpoints]) => {
      const displayName = endpoints[0]?.collected.provider ?? "";
      const manifest = {
        mkt: 1,
        provider,
        ...(displayName !== "" && { displayName }),
        http: { baseUrl: "https://collection.example", auth: { type: "none" } },
        price: { type: "FREE" },
        endpoints: Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, toManifestEndpoint(endpoint)])),
      };
      return [provider, manifest];
    }),
  );
}

function groupByProvider(served: readonly ServedEndpoint[]): Map<string, ServedEndpoint[]> {
  const groups = new Map<string, ServedEndpoint[]>();
  for (const endpoint of served) {
    const group = groups.get(endpoint.provider);
    if (group === undefined) groups.set(endpoint.provider, [endpoint]);
    else group.push(endpoint);
  }
  return groups;
}

function toManifestEndpoint({ collected }: ServedEndpoint): object {
  const { displayName, description, tags } = collected;
  return {
    ...(displayName !== "" && { displayName }),
    description,
    tags,
    request: { method: methodOf(collected), path: "/" },
    input: inputOf(collected),
  };
}

function inputOf({ params }: CollectedEndpoint): CatalogEntry["input"] {
  if (params.length === 0) return {};
  const properties = Object.fromEntries(
    params.map(({ name, description }) => [name, { type: "string", ...(description !== "" && { description }) }]),
  );
  return { queryParams: { type: "object", properties } };
}

/** The entries that a daemon makes of {@link toManifests}, as far as discovery reads them. In the order given. */
export function* toCatalogEntries(served: Iterable<ServedEndpoint>): Generator<CatalogEntry> {
  const providers = new Map<string, CatalogProvider>();
  for (const { collected, provider, path } of served) {
    const known = providers.get(provider) ?? toProvider(provider, collected.provider);
    providers.set(provider, known);
    yield {
      ...WITHOUT_MEANING,
      provider: known,
      path,
      displayName: collected.displayName === "" ? path : collected.displayName,
      description: collected.description,
      tags: collected.tags,
      request: { method: methodOf(collected), path: "/" },
      input: inputOf(collected),
    };
  }
}

function toProvider(provider: string, displayName: string): CatalogProvider {
  return {
    provider,
    displayName: displayName === "" ? provider : displayName,
    manifestHash: "",
    file: `${provider}.json`,
    trusted: true,
    origin: "https://collection.example",
    secrets: {},
  };
}

/** What every entry has and discovery does not read. */
const WITHOUT_MEANING: Omit<
  CatalogEntry,
  "provider" | "path" | "displayName" | "description" | "tags" | "input" | "request"
> = {
  categories: [],
  notes: [],
  asks: [],
  enabled: true,
  verified: true,
  idempotent: false,
  overrun: "operator",
  output: { omit: [], media: "auto" },
  usage: {},
  price: { type: "PER_CALL", amount: "0" },
  priceWithoutMarkup: { type: "PER_CALL", amount: "0" },
  errors: [],
  http: {
    baseUrl: "https://collection.example",
    headers: {},
    auth: [],
    timeoutMs: 30_000,
    retry: {
      attempts: 3,
      on: [429, 502, 503, 504, "network"],
      backoffMs: 500,
      maxBackoffMs: 20_000,
      after: ["retry-after"],
      unsafe: false,
    },
    allowHosts: [],
    allowPrivateNetwork: false,
    maxResponseBytes: 10 * 1_024 * 1_024,
    queryArrays: "repeat",
  },
  examples: [],
};

/** A document with what its endpoint takes, does and covers. */
export interface ShapedDocument extends IndexedDocument {
  readonly shape?: EndpointShape;
}

/** What is searched. Documents are made when they are asked for, so that nobody has to hold them. */
export interface ServedCollection {
  /** By the place of the document. */
  readonly ids: readonly string[];
  documents(): Iterable<ShapedDocument>;
}

/** In the order of a daemon's index: by provider slug, then by path. */
export function serveCollection({ endpoints }: Pick<Collection, "endpoints">): ServedCollection {
  const served = placeEndpoints(endpoints).sort(
    (a, b) => compareText(a.provider, b.provider) || compareText(a.path, b.path),
  );
  return {
    ids: served.map(({ collected }) => collected.id),
    *documents() {
      for (const entry of toCatalogEntries(served)) yield toIndexedDocument(entry);
    },
  };
}

export function toIndexedDocument(entry: CatalogEntry): ShapedDocument {
  const { provider, path } = entry;
  return { provider: provider.provider, path, fields: toSearchDocument(entry), shape: shapeOfEntry(entry) };
}
