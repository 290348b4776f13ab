import { cleanLine } from "./conversion/clean-text.ts";
import { composeManifest, type ConvertedFacts } from "./composing/compose-manifest.ts";
import type { Description } from "./documents/description.ts";
import type {
  ComposedManifest,
  ComposeRequest,
  ConvertedDocument,
  ConvertRequest,
  DocumentImporter,
  DocumentSource,
  MarketSource,
  ToolSource,
} from "./steps/import-steps.ts";
import { type ImportChoices, ImportRefused } from "./conversion/imported-provider.ts";
import { convertTools } from "./mcp/convert-tools.ts";
import { printTools } from "./mcp/print-tools.ts";
import { convertMarket } from "./market/convert-market.ts";
import { printMarket } from "./market/print-market.ts";
import { convertOpenApi } from "./openapi/convert-openapi.ts";
import { type OperationPrints, printOperations } from "./documents/operation-prints.ts";
import { readDescriptionBytes, readDescriptionFile } from "./documents/read-description.ts";

/** Reads and converts in this process, without limits of time and memory; runs inside the worker process. */
export class InProcessImporter implements DocumentImporter {
  #description: Description | undefined;
  #tools: ToolSource | undefined;
  #market: MarketSource | undefined;
  #facts: (ConvertedFacts & { readonly choices: ImportChoices }) | undefined;

  async convert({ source, choices, passesOver }: ConvertRequest): Promise<ConvertedDocument> {
    this.#facts = undefined;
    this.#tools = source.kind === "tools" ? source : undefined;
    this.#market = source.kind === "market" ? source : undefined;
    if (source.kind === "tools" || source.kind === "market") return { kind: "provider", slug: this.#slugOf(choices) };
    const description = await read(source, passesOver);
    if (description === undefined || (passesOver && !isDescription(description.value))) return { kind: "other" };
    this.#description = description;
    return { kind: "provider", slug: this.#slugOf(choices) };
  }

  /** Converts again when another slug or other choices are wanted. */
  async compose(request: ComposeRequest): Promise<ComposedManifest> {
    const known = this.#facts;
    const choices = { ...request.choices, slug: request.slug };
    const fits =
      known?.imported.manifest.provider === request.slug &&
      JSON.stringify({ ...known.choices, slug: request.slug }) === JSON.stringify(choices);
    return await composeManifest(fits ? known : this.#convertAs(choices), request);
  }

  async print(source: DocumentSource): Promise<{ sha256: string; operations: OperationPrints }> {
    if (source.kind === "tools") return { sha256: source.listing.sha256, operations: printTools(source.listing) };
    if (source.kind === "market") return { sha256: source.listing.sha256, operations: printMarket(source.listing) };
    const description = await read(source, false);
    if (description === undefined) throw new ImportRefused("unknown", "It does not describe an API.");
    return { sha256: description.sha256, operations: printOperations(description) };
  }

  async close(): Promise<void> {}

  #slugOf(choices: ImportChoices): string {
    return this.#convertAs(choices).imported.manifest.provider;
  }

  #convertAs(choices: ImportChoices) {
    this.#facts = { ...this.#convert(choices), choices };
    return this.#facts;
  }

  #convert(choices: ImportChoices): ConvertedFacts {
    if (this.#tools !== undefined) {
      const { listing, access } = this.#tools;
      return { imported: convertTools(listing, choices, access), operations: printTools(listing) };
    }
    if (this.#market !== undefined) {
      const { listing, taken, access } = this.#market;
      return { imported: convertMarket(listing, taken, { choices, access }), operations: printMarket(listing) };
    }
    const description = this.#description;
    if (description === undefined) throw new Error("nothing was converted before");
    const converted = convertOpenApi(description, choices);
    const imported = { ...converted, notes: [...(description.notes ?? []), ...converted.notes] };
    const version = versionOf(description.value);
    return { imported, operations: printOperations(description), ...(version !== undefined && { version }) };
  }
}

async function read(
  source: Exclude<DocumentSource, ToolSource | MarketSource>,
  passesOver: boolean,
): Promise<Description | undefined> {
  if (source.kind === "bytes") return await readDescriptionBytes(source.bytes, source.address, source.uploaded);
  return await readDescriptionFile(source.path, passesOver ? { onlyIf: mentionsDescription } : {});
}

/** A cheap check for thousands of files that are not descriptions. */
function mentionsDescription(text: string): boolean {
  return /^\s*</.test(text) || /(?:openapi|swagger)["']?\s*:/i.test(text);
}

function isDescription(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("openapi" in value || "swagger" in value);
}

function versionOf(value: unknown): string | undefined {
  const info: unknown = typeof value === "object" && value !== null && "info" in value ? value.info : undefined;
  if (typeof info !== "object" || info === null || !("version" in info)) return undefined;
  const { version } = info;
  return typeof version === "string" || typeof version === "number" ? cleanLine(String(version), 60) : undefined;
}
