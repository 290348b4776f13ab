/**
 * What an importer makes of one description, before it is written: plain data of a manifest, with the words that a person
 * needs beside it. Importers are pure; reading, writing and keeping a person's edits are others' (`import-catalog.ts`).
 */
export interface ImportedProvider {
  /** A manifest as its file will say it, members in the order in which a person reads them. */
  readonly manifest: ImportedManifest;
  /** Comments for the file: the place (`endpoints`, `/search`, `price`) and one line. */
  readonly comments: readonly ImportComment[];
  /** Operations that were left out, each with why and, where there is one, the way to have it all the same. */
  readonly skipped: readonly SkippedOperation[];
  /** What a person should know of the whole document: cut cycles, a guessed base address, ignored servers. */
  readonly notes: readonly string[];
  /** Public paths whose price nobody knows yet. */
  readonly pricesToSet: readonly string[];
}

/** Members of `Manifest` as it is written: strict keys, defaults left out. The check of the catalog judges it. */
export interface ImportedManifest {
  readonly mkt: 1;
  readonly provider: string;
  readonly endpoints: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly [member: string]: unknown;
}

export interface ImportComment {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

export interface SkippedOperation {
  /** Such as `GET /users/{id}`, or the name of a tool. */
  readonly operation: string;
  readonly why: string;
}

/** What decides which operations are taken and how they are named. */
export interface ImportChoices {
  /** Slug of the provider; absent: made of the title. */
  readonly slug?: string;
  /** Only operations with one of these tags; empty: all. */
  readonly includeTags: readonly string[];
  /** Only these operations, by operationId or `GET /path`; empty: all. */
  readonly includeOperations: readonly string[];
  /** No cap of 50 operations a document. */
  readonly allOperations: boolean;
  /** USD a call, for what names no price; absent: free, or billed by the provider where a key is needed, and said in `pricesToSet`. */
  readonly priceUsd?: number;
  /** Address of the provider where the document has none that is whole. */
  readonly baseUrl?: string;
}

/** A description that cannot be taken at all: what is wrong, where, and what to do. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
  /** Short name of what is wrong, the same for all documents with the same trouble: reports count by it. */
  readonly rule: string;
  /** First line is 1; absent where no line is known. */
  readonly line?: number;

  constructor(rule: string, message: string, line?: number) {
    super(message);
    this.rule = rule;
    if (line !== undefined) this.line = line;
  }
}
