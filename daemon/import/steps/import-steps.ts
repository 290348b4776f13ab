import type { ImportChoices, SkippedOperation } from "../conversion/imported-provider.ts";
import type { ToolAccess } from "../mcp/convert-tools.ts";
import type { McpListing } from "../mcp/read-mcp-server.ts";
import type { OperationPrints } from "../documents/operation-prints.ts";

/** Where a description is read from: the bytes of an address were fetched before. */
export type DocumentSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly address: string }
  | ToolSource;

/** What an MCP server told of itself, fetched before, and whom it was asked as: the name of a variable, never what is in it. */
export interface ToolSource {
  readonly kind: "tools";
  readonly listing: McpListing;
  readonly access: ToolAccess;
}

export interface ConvertRequest {
  readonly source: DocumentSource;
  readonly choices: ImportChoices;
  /** Documents that are something else than a description are no failure. */
  readonly passesOver: boolean;
}

export type ConvertedDocument =
  | { readonly kind: "provider"; readonly slug: string }
  /** Nothing that describes an API; only where `passesOver` allows it. */
  | { readonly kind: "other" };

/** A manifest that stands where the import is to go, and what the last import made of it. */
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

/** What one import leaves for the next one, beside the manifests: `.imported/<slug>.json`. */
export interface ImportRecord {
  readonly mkt: 1;
  readonly choices: ImportChoices;
  readonly operations: OperationPrints;
  /** The manifest as it was generated, before anybody edited it. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** A manifest ready to be written, and what a person is told of it. */
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
  /** Of those, the ones that need a key, so that the provider may bill them; the others are free. */
  readonly maybeBilled: readonly string[];
  /** Environment variables of its secrets; they are the names for `mkt secrets set`. */
  readonly secrets: readonly string[];
  /** Of those, the ones without which nothing of it can be called. */
  readonly needed: readonly string[];
  /** Of a re-import: endpoints that are new, and places whose edits stay although the document changed there too. */
  readonly added: readonly string[];
  readonly kept: readonly string[];
  readonly stayRemoved: readonly string[];
  readonly gone: readonly string[];
  /** False: the file stands as it did. */
  readonly changed: boolean;
  /** Its file uses secrets or a private address, which the operator has to allow. */
  readonly needsGrant: boolean;
  /** Endpoints that no run can call, and why; all others can be called once secrets and grant are there. */
  readonly off: readonly { readonly path: string; readonly why: string }[];
  /** An endpoint to try first, where one is enabled; with an input, where the document shows all that it needs. */
  readonly tryFirst?: { readonly path: string; readonly input?: Readonly<Record<string, unknown>> };
}

/**
 * What turns one document into a manifest, in two steps, so that the caller may choose the slug between them; `compose` is
 * about the document that was converted last. Both throw ImportRefused.
 */
export interface DocumentImporter {
  convert(request: ConvertRequest): Promise<ConvertedDocument>;
  compose(request: ComposeRequest): Promise<ComposedManifest>;
  /** The operations of a document as it stands now, and the hash of the whole. */
  print(source: DocumentSource): Promise<{ readonly sha256: string; readonly operations: OperationPrints }>;
  close(): Promise<void>;
}
