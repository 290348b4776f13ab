import { errorText } from "../../shared/error-text.ts";
import { fetchDescription } from "./documents/fetch-description.ts";
import { ImportFolder, type KnownManifest } from "./import-folder.ts";
import type { ComposedManifest, DocumentImporter, DocumentSource, ProviderSummary } from "./steps/import-steps.ts";
import { type ImportChoices, ImportRefused, type SkippedOperation } from "./conversion/imported-provider.ts";
import { type ImportSource, isAddress, listSources } from "./list-sources.ts";
import { toolSource } from "./steps/tool-source.ts";
import type { McpAccess } from "./mcp/read-mcp-server.ts";

/** The options of the command. */
export interface ImportRequest {
  /** Files, addresses and folders. */
  readonly named: readonly string[];
  /** The catalog folder in which manifests are written. */
  readonly out: string;
  /** Only the options that were given: for the others a re-import repeats the choices of the previous import. */
  readonly choices: Partial<ImportChoices>;
  /** Every source is the address of an MCP server. */
  readonly mcp: boolean;
  /** Nothing is written. */
  readonly dryRun: boolean;
  readonly access: McpAccess;
  /** Such as `2026-11-21`. */
  readonly today: string;
}

export interface ImportParts {
  readonly importer: DocumentImporter;
  readonly bundledDir?: string;
  /** Called after each document. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly done: number;
  readonly total: number;
}

/** The result for one document. */
export interface ImportedDocument {
  /** The file or address. */
  readonly file: string;
  readonly provider?: string;
  /** The path of its manifest. */
  readonly manifest?: string;
  readonly endpoints: number;
  readonly skipped: readonly SkippedOperation[];
  readonly error?: ImportFailure;
  /** Absent with `error`. */
  readonly summary?: Omit<ProviderSummary, "provider" | "endpoints" | "skipped">;
}

export interface ImportFailure {
  readonly rule: string;
  readonly message: string;
  readonly line?: number;
}

export interface ImportReport {
  readonly documents: readonly ImportedDocument[];
  /** Files in folders that do not describe an API. */
  readonly passedOver: number;
  /** Manifests that were written, or would be: new, changed and unchanged ones. */
  readonly imported: number;
  readonly dryRun: boolean;
}

export const NO_CHOICES: ImportChoices = { includeTags: [], includeOperations: [], allOperations: false };

/**
 * `mkt catalog import`: every document becomes a manifest in a catalog folder, or is reported with the reason; a
 * failure does not affect the others. Throws ImportRefused only when the import cannot start at all.
 */
export async function importCatalog(request: ImportRequest, parts: ImportParts): Promise<ImportReport> {
  const folder = await ImportFolder.open(request.out, parts.bundledDir);
  if (request.choices.slug !== undefined) folder.checkAsked(request.choices.slug);
  const sources: readonly ImportSource[] = request.mcp
    ? request.named.map((address) => ({ kind: "address", address }))
    : await listSources(request.named);
  if (request.choices.slug !== undefined && sources.length > 1) {
    throw new ImportRefused("slug", "--slug is for one document; of several each gets its own.");
  }
  const run = new ImportRun(request, parts.importer, folder);
  const documents: ImportedDocument[] = [];
  for (const [index, source] of sources.entries()) {
    const document = await run.take(source);
    if (document !== undefined) documents.push(document);
    parts.onProgress?.({ done: index + 1, total: sources.length });
  }
  return {
    documents,
    passedOver: sources.length - documents.length,
    imported: documents.filter(({ error }) => error === undefined).length,
    dryRun: request.dryRun,
  };
}

class ImportRun {
  readonly #request: ImportRequest;
  readonly #importer: DocumentImporter;
  readonly #folder: ImportFolder;

  constructor(request: ImportRequest, importer: DocumentImporter, folder: ImportFolder) {
    this.#request = request;
    this.#importer = importer;
    this.#folder = folder;
  }

  /** Undefined when it is not a description. */
  async take(source: ImportSource): Promise<ImportedDocument | undefined> {
    const file = source.kind === "file" ? source.path : withoutCredentials(source.address);
    try {
      if (source.kind === "file") {
        return await this.#takeDocument(file, { kind: "file", path: source.path }, source.found);
      }
      return await this.#takeAddress(file, source.address);
    } catch (error) {
      const { rule, message, line } = toRefused(error);
      return {
        file,
        endpoints: 0,
        skipped: [],
        error: { rule, message, ...(line !== undefined && { line }) },
      };
    }
  }

  async #takeAddress(file: string, address: string): Promise<ImportedDocument | undefined> {
    const { access, mcp } = this.#request;
    if (mcp) return await this.#takeServer(file, address);
    if (!isAddress(address)) throw new ImportRefused("address", "Only http and https addresses are read, and files.");
    let fetched;
    try {
      fetched = await fetchDescription(address, access);
    } catch (error) {
      if (!(error instanceof ImportRefused) || error.rule !== "not-acceptable") throw error;
      // An MCP server answers a plain GET like this. If it is not one either, the first error is reported.
      return await this.#takeServer(file, address).catch(() => {
        throw error;
      });
    }
    return await this.#takeDocument(file, { kind: "bytes", ...fetched }, false);
  }

  async #takeDocument(
    file: string,
    source: DocumentSource,
    passesOver: boolean,
  ): Promise<ImportedDocument | undefined> {
    const ref = refOf(source);
    const { known, choices } = await this.#choose(ref);
    const asked = { ...choices, ...(known !== undefined && { slug: known.slug }) };
    const converted = await this.#importer.convert({ source, choices: asked, passesOver });
    if (converted.kind === "other") return undefined;
    const slug = known?.slug ?? this.#folder.freeSlug(converted.slug);
    const composed = await this.#importer.compose({
      slug,
      choices,
      today: this.#request.today,
      ...(await this.#existing(known)),
    });
    return await this.#finish(file, slug, composed);
  }

  async #takeServer(file: string, address: string): Promise<ImportedDocument | undefined> {
    const { access } = this.#request;
    const { readMcpServer } = await import("./mcp/read-mcp-server.ts");
    const listing = await readMcpServer(address, access);
    return await this.#takeDocument(file, toolSource(listing, access), false);
  }

  /** The existing manifest for a re-import, and the choices: those given now, otherwise the earlier ones. */
  async #choose(ref: string): Promise<{ known?: KnownManifest; choices: ImportChoices }> {
    const { choices } = this.#request;
    const known = choices.slug === undefined ? this.#folder.findBySource(ref) : this.#folder.find(choices.slug);
    if (known === undefined) return { choices: { ...NO_CHOICES, ...choices } };
    const before = (await this.#folder.readRecord(known.slug))?.choices;
    return { known, choices: { ...NO_CHOICES, ...(before !== undefined && repeatable(before, choices)), ...choices } };
  }

  async #existing(known: KnownManifest | undefined) {
    return known === undefined ? {} : { existing: await this.#folder.readExisting(known) };
  }

  async #finish(file: string, slug: string, composed: ComposedManifest): Promise<ImportedDocument> {
    const { source } = composed.record.manifest as { readonly source?: NonNullable<KnownManifest["source"]> };
    const manifest = this.#request.dryRun
      ? this.#folder.fileOf(slug, composed.isJson)
      : await this.#folder.write(slug, composed);
    this.#folder.remember(slug, composed.isJson, source);
    const { provider, endpoints, skipped, ...summary } = composed.summary;
    return { file, provider, manifest, endpoints: endpoints.length, skipped, summary };
  }
}

/** The choices of an earlier import that still apply: a new selection of operations replaces the old one. */
function repeatable(before: ImportChoices, said: Partial<ImportChoices>): Partial<ImportChoices> {
  const { includeTags, includeOperations, allOperations } = said;
  const isSelected = includeTags !== undefined || includeOperations !== undefined || allOperations !== undefined;
  return isSelected ? { ...before, ...NO_CHOICES } : before;
}

function refOf(source: DocumentSource): string {
  switch (source.kind) {
    case "file":
      return source.path;
    case "bytes":
      return source.address;
    case "tools":
    case "market":
      return source.listing.ref;
  }
}

/** Whatever happens with one document, the others are still imported. */
function toRefused(error: unknown): ImportRefused {
  if (error instanceof ImportRefused) return error;
  const words = errorText(error);
  return new ImportRefused("unforeseen", `Something unforeseen went wrong with it: ${words}`);
}

function withoutCredentials(address: string): string {
  if (!isAddress(address)) return address;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.href;
}
