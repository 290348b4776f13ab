import type { JsonSchema } from "../../manifest/json-schema-walk.ts";
import type { InputSection } from "../../manifest/input-sections.ts";
import type { Period } from "../../../shared/contract/common.ts";
import type { ResourceType } from "../../../shared/contract/resource-type.ts";
import type { MicroDollars } from "../../../shared/micro-dollars.ts";
import type { PriceModel } from "../../ledger/money/price-model.ts";
import type {
  ArrayStyle,
  Async,
  Auth,
  Call,
  Covers,
  ErrorRule,
  Example,
  Manifest,
  ManifestEndpoint,
  Pages,
  RateLimit,
  RequestCall,
  Resource,
  ResourceReference,
  Retry,
  Secret,
  Usage,
} from "../../manifest/manifest.ts";

/** What every endpoint of one provider shares, after the file was checked. */
export interface CatalogProvider {
  /** Public slug. */
  readonly provider: string;
  /** Curated name, falling back to the slug. */
  readonly displayName: string;
  readonly description?: string;
  readonly url?: string;
  readonly docUrl?: string;
  /** SHA-256 (hex) of the file's bytes: stored with each run (docs/manifest.md, "Versions"). */
  readonly manifestHash: string;
  /** The file it came from, for messages. */
  readonly file: string;
  /** True for files of the bundled catalog and of trusted folders: they carry their grants (docs/manifest.md, "Grants"). */
  readonly trusted: boolean;
  /** What the file was imported from; absent for one that a person wrote. */
  readonly importedFrom?: NonNullable<Manifest["source"]>["kind"];
  /** Origin of `baseUrl`, for example `https://api.example.com`; `builtin:atlas` for the bundled provider. */
  readonly origin: string;
  readonly secrets: Readonly<Record<string, Secret>>;
  /** The call that proves the secrets, or why there is none; absent: the file says neither. */
  readonly verify?: Omit<SecretCheck, "provider"> | ({ readonly none: string } & Pick<SecretCheck, "refusedIf">);
}

/** A call that costs nothing and fails without a good key. */
export interface SecretCheck {
  readonly provider: CatalogProvider;
  readonly call: Call;
  /** Statuses by which the provider refuses a key. */
  readonly refusedIf: readonly number[];
  readonly http: ResolvedHttp;
  readonly errors: readonly ErrorRule[];
}

/**
 * HTTP settings of one endpoint, merged leaf by leaf: endpoint, else provider, else default (docs/manifest.md, "Merging").
 */
export interface ResolvedHttp {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: readonly Auth[];
  readonly timeoutMs: number;
  readonly retry: Retry;
  readonly rateLimit?: RateLimit;
  readonly allowHosts: readonly string[];
  readonly allowPrivateNetwork: boolean;
  readonly maxResponseBytes: number;
  readonly queryArrays: ArrayStyle;
  /** Absent: calls carry no trace context. */
  readonly traceparent?: true;
}

/** A change to a resource of the workspace. docs/contract.md, "Discover filters". */
export type ResourceEffect = "creates" | "updates" | "deletes";

/** What a resource costs for every period, paid ahead; rounded up to whole micro-dollars. */
export interface ResourceRent {
  /** With markup: what callers pay. */
  readonly amountMicroDollars: MicroDollars;
  /** Before markup: what it costs the operator. */
  readonly costMicroDollars: MicroDollars;
  readonly period: Period;
}

/** A kind of durable resource at a provider, and how it is managed. */
export interface CatalogResource {
  readonly provider: CatalogProvider;
  /** Its name in the manifest. */
  readonly slug: string;
  readonly type: ResourceType;
  readonly displayName: string;
  readonly description?: string;
  readonly verify?: NonNullable<Resource["verify"]>;
  readonly release?: NonNullable<Resource["release"]>;
  readonly data: Readonly<Record<string, string | number>>;
  /** The provider's own settings; endpoints cannot change them. */
  readonly http: ResolvedHttp;
  readonly errors: readonly ErrorRule[];
}

/** What a run of the endpoint does to resources, and which of them it needs. */
export interface EndpointResources {
  readonly provisions?: {
    readonly resource: string;
    readonly type: ResourceType;
    readonly displayName: string;
    readonly description?: string;
    readonly id: string | number;
    readonly identifier?: string | number;
    readonly data: Readonly<Record<string, string | number>>;
    readonly rent?: ResourceRent;
  };
  readonly uses: readonly ResourceReference[];
  readonly updates: readonly ResourceReference[];
  readonly releases: readonly ResourceReference[];
}

/** JSON Schemas of the three places; `additionalProperties: false` and the shared `schemas` are already included. */
export interface EndpointInputSchemas {
  readonly pathParams?: Readonly<Record<string, unknown>>;
  readonly queryParams?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** One endpoint of a route, with its maps as they are written. docs/routes.md, "Maps". */
export interface AlternativeMember {
  readonly provider: string;
  /** Path; begins with `/`. */
  readonly endpoint: string;
  readonly input?: { readonly [section in InputSection]?: Readonly<Record<string, unknown>> | undefined };
  readonly output?: Readonly<Record<string, unknown>>;
}

/** What a route chooses from, and by which rules. docs/routes.md */
export interface Alternatives {
  /** Those that can be members, in the order of the file. */
  readonly members: readonly AlternativeMember[];
  /** Members of the file that cannot be tried as the catalog is now, and why. */
  readonly unusable: readonly (Pick<AlternativeMember, "provider" | "endpoint"> & { readonly reason: string })[];
  /** `provider/path`, tried first. */
  readonly order: readonly string[];
  readonly sort?: "price" | "latency" | "success";
  readonly maxPriceMicroDollars?: MicroDollars;
  readonly allowFallbacks: boolean;
}

/** One endpoint as the daemon serves it: everything resolved, nothing left to look up in the file. */
export interface CatalogEntry {
  readonly provider: CatalogProvider;
  /** Public path; begins with `/`. */
  readonly path: string;
  readonly displayName: string;
  readonly description: string;
  readonly docUrl?: string;
  readonly tags: readonly string[];
  /** Depth-2 paths, functional and provider placement alike; never a bare top. */
  readonly categories: readonly string[];
  readonly notes: readonly string[];
  /** What it has data about; absent: its author does not say. */
  readonly covers?: Covers;
  readonly asks: readonly string[];
  readonly hints?: NonNullable<ManifestEndpoint["hints"]>;
  readonly enabled: boolean;
  readonly deprecated?: string;
  readonly verified: boolean;
  /** The vendor call may be repeated (docs/manifest.md, "Repeats"). */
  readonly idempotent: boolean;
  /** The oldest answer of an earlier run that a run may take instead of a call; absent: none. */
  readonly reuse?: NonNullable<ManifestEndpoint["reuse"]>;
  /**
   * `caller`: the most results or units that the caller pays for; it is quoted and held instead of
   * `usage.estimate.max`.
   */
  readonly overrun: "operator" | { readonly caller: Exclude<ManifestEndpoint["overrun"], string>["caller"] };
  readonly request: RequestCall;
  readonly input: EndpointInputSchemas;
  readonly output: {
    readonly select?: string;
    readonly omit: readonly string[];
    readonly media: "auto" | "json" | "text" | "base64" | "csv" | "ndjson";
    /** Between the values of a line of CSV; absent: a comma. */
    readonly delimiter?: string;
    /** For readers; answers are not checked against it. */
    readonly schema?: JsonSchema;
  };
  /** How the list that the call answers goes on; for the result of a job: `async.result.pages`. */
  readonly pages?: Pages;
  readonly usage: Usage;
  /** What callers see and pay: markup applied (docs/manifest.md, "Markup"). */
  readonly price: PriceModel;
  /** The owner of the service set `price`, which replaces the price in the file. */
  readonly isPriceOfOwner?: true;
  /** Where the provider publishes the price, and when it was read there. */
  readonly priceSource?: NonNullable<Manifest["priceSource"]>;
  /** Before markup: what the call costs the operator when the provider does not report it. */
  readonly priceWithoutMarkup: PriceModel;
  /** Present exactly when the endpoint answers by a job. */
  readonly async?: Async;
  /** The endpoint's own rules first, then the provider's; first match wins. */
  readonly errors: readonly ErrorRule[];
  readonly http: ResolvedHttp;
  readonly examples: readonly Example[];
  /** What a run does to resources of the workspace; absent: nothing. */
  readonly effects?: readonly ResourceEffect[];
  /** Absent: the endpoint does not involve resources. */
  readonly resources?: EndpointResources;
  /**
   * Percent that callers pay on top of what a market reports for a run; present exactly when the endpoint is served by a
   * market and its price is not the owner's own.
   */
  readonly marketMarkup?: number;
  /** Why the endpoint can be viewed but not run: it needs something that this version does not support yet. */
  readonly notRunnable?: string;
  /** Present for a route: it is never called itself, but one of these endpoints is. */
  readonly alternatives?: Alternatives;
}
