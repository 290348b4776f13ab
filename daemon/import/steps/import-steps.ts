import type { ImportChoices, SkippedOperation } from "../conversion/imported-provider.ts";
import type { ToolAccess } from "../mcp/convert-tools.ts";
import type { MarketTaken } from "../market/convert-market.ts";
import type { MarketListing } from "../market/read-market.ts";
import type { McpListing } from "../mcp/read-mcp-server.ts";
import type { OperationPrints } from "../documents/operation-prints.ts";

/**
 * The source of a description; the bytes of an address were fetched before. `uploaded`: they came in a request, and `address`
 * is only what they are called.
 */
export type DocumentSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly address: string; readonly uploaded?: true }
  | ToolSource
  | MarketSource;

/**
 * The description of an MCP server, fetched before, and the credential that was used: only the name of a variable,
 * never its value.
 */
export interface ToolSource {
  readonly kind: "tools";
  readonly listing: McpListing;
  readonly access: ToolAccess;
}

/** One provider of a market, read before, and how its owner wants it here. */
export interface MarketSource {
  readonly kind: "market";
  readonly listing: MarketListing;
  readonly taken: MarketTaken;
  readonly access: ToolAccess;
}

export interface ConvertRequest {
  readonly source: DocumentSource;
  readonly choices: ImportChoices;
  /** Documents that are not descriptions are not an error. */
  readonly passesOver: boolean;
}

export type ConvertedDocument =
  | { readonly kind: "provider"; readonly slug: string }
  /** Not the description of an API; only if `passesOver` allows it. */
  | { readonly kind: "other" };

/** A manifest at the target path, and the result of the last import. */
export interface ExistingManifest {
  readonly text: string;
  readonly isJson: boolean;
  readonly record?: ImportRecord;
}

export interface ComposeRequest {
  readonly slug: string;
  readonly choices: ImportChoices;
  /** Absent: a new file. */
  readonly existing?: ExistingManifest;
  /** Such as `2026-11-21`. */
  readonly today: string;
}

/** Stored by an import for the next one, beside the manifests: `.imported/<slug>.json`. */
export interface ImportRecord {
  readonly mkt: 1;
  readonly choices: ImportChoices;
  readonly operations: OperationPrints;
  /** The manifest as it was generated, before anybody edited it. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** How the tools of an MCP server differed when `mkt catalog drift` listed them last; `at` is ISO 8601. */
  readonly seen?: { readonly at: string; readonly changed: readonly string[]; readonly removed: readonly string[] };
}

/** A manifest ready to be written, and the report on it. */
export interface ComposedManifest {
  readonly text: string;
  readonly isJson: boolean;
  readonly record: ImportRecord;
  readonly summary: ProviderSummary;
}

export interface ProviderSummary {
  readonly provider: string;
  readonly displayName: string;
  /** Public paths in the file. */
  readonly endpoints: readonly string[];
  readonly skipped: readonly SkippedOperation[];
  readonly notes: readonly string[];
  readonly pricesToSet: readonly string[];
  /** Those that need a key, so that the provider may bill them; the others are free. */
  readonly maybeBilled: readonly string[];
  /** Environment variables of its secrets, which are the names for `mkt secrets set`. */
  readonly secrets: readonly string[];
  /** Those without which nothing can be called. */
  readonly needed: readonly string[];
  /** For a re-import: new endpoints, and edited places that stay although the document changed there too. */
  readonly added: readonly string[];
  readonly kept: readonly string[];
  readonly stayRemoved: readonly string[];
  readonly gone: readonly string[];
  /** False: the file is unchanged. */
  readonly changed: boolean;
  /** Its file uses secrets or a private address, so the operator has to grant it. */
  readonly needsGrant: boolean;
  /** Endpoints that cannot be run, and why; all others can be run once secrets and grant are set. */
  readonly off: readonly { readonly path: string; readonly why: string }[];
  /** An endpoint to try first, if one is enabled; with an input, if the document has all that it needs. */
  readonly tryFirst?: { readonly path: string; readonly input?: Readonly<Record<string, unknown>> };
}

/**
 * Converts one document to a manifest in two steps, so that the caller may choose the slug in between; `compose` uses
 * the last converted document. Both throw ImportRefused.
 */
export interface DocumentImporter {
  convert(request: ConvertRequest): Promise<ConvertedDocument>;
  compose(request: ComposeRequest): Promise<ComposedManifest>;
  /** The hashes of the current operations of a document, and the hash of the whole. */
  print(source: DocumentSource): Promise<{ readonly sha256: string; readonly operations: OperationPrints }>;
  close(): Promise<void>;
}
