import type { DocumentImporter, ProviderSummary } from "./steps/import-steps.ts";
import { ImportRefused } from "./conversion/imported-provider.ts";
import { NO_CHOICES } from "./import-catalog.ts";
import { ImportFolder } from "./import-folder.ts";

/** A document that came as a text, with what somebody said about it. */
export interface TextImport {
  readonly document: string;
  /** Only a name: nothing of that name is read. */
  readonly fileName: string;
  /** Absent: made of the document's title, with a number where that is taken. */
  readonly slug?: string;
  readonly priceUsd?: number;
  readonly baseUrl?: string;
  /** False: nothing is written. */
  readonly writes: boolean;
  /** Such as `2026-11-21`. */
  readonly today: string;
}

export interface TextImportParts {
  readonly importer: DocumentImporter;
  /** The catalog folder in which the provider file would be. */
  readonly out: string;
  readonly bundledDir?: string | undefined;
  /** Whether a provider of this slug is in the catalog, from whichever folder. */
  readonly isServed: (slug: string) => boolean;
}

export interface ImportedText {
  /** Where the provider file is, or would be. */
  readonly file: string;
  readonly text: string;
  readonly summary: ProviderSummary;
}

/**
 * Makes a new provider of one OpenAPI document. It fetches nothing, reads no file for the document and replaces none; changing a
 * provider that is there is the work of `mkt catalog import`. Throws ImportRefused, with the rule `slug` for a name that is taken.
 */
export async function importText(request: TextImport, parts: TextImportParts): Promise<ImportedText> {
  const { document, fileName, slug: asked, priceUsd, baseUrl } = request;
  const folder = await ImportFolder.open(parts.out, parts.bundledDir);
  const owner = asked === undefined ? undefined : ownerOf(asked, folder, parts);
  if (owner !== undefined) throw new ImportRefused("slug", `"${asked}" is taken: it is ${owner}. Choose another name.`);
  const choices = {
    ...NO_CHOICES,
    ...(asked !== undefined && { slug: asked }),
    ...(priceUsd !== undefined && { priceUsd }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
  const source = { kind: "bytes", bytes: Buffer.from(document), address: fileName, uploaded: true } as const;
  const converted = await parts.importer.convert({ source, choices, passesOver: false });
  if (converted.kind === "other") throw new ImportRefused("unknown", "It does not describe an API.");
  const slug = asked ?? freeSlug(converted.slug, folder, parts);
  const composed = await parts.importer.compose({ slug, choices, today: request.today });
  const file = request.writes ? await folder.writeNew(slug, composed) : folder.fileOf(slug, composed.isJson);
  return { file, text: composed.text, summary: composed.summary };
}

function ownerOf(slug: string, folder: ImportFolder, { isServed }: TextImportParts): string | undefined {
  return folder.ownerOf(slug) ?? (isServed(slug) ? "a provider of another folder" : undefined);
}

function freeSlug(wanted: string, folder: ImportFolder, { isServed }: TextImportParts): string {
  let slug = folder.freeSlug(wanted);
  for (let number = 2; isServed(slug); number += 1) slug = folder.freeSlug(`${wanted.slice(0, 50)}-${number}`);
  return slug;
}
