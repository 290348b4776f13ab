/**
 * The result of converting one description, before it is written: the plain data of a manifest, and notes for a person.
 * Converters are pure; reading, writing and keeping a person's edits is done elsewhere (`import-catalog.ts`).
 */
export interface ImportedProvider {
  /** A manifest as it will be written, with members in the order that is easiest to read. */
  readonly manifest: ImportedManifest;
  /** Comments for the file: the location (`endpoints`, `/search`, `price`) and one line. */
  readonly comments: readonly ImportComment[];
  /** Operations that were left out, each with the reason and, if there is one, a way to include it. */
  readonly skipped: readonly SkippedOperation[];
  /** Notes on the whole document: cut cycles, a guessed base address, ignored servers. */
  readonly notes: readonly string[];
  /** Public paths whose price is still unknown. */
  readonly pricesToSet: readonly string[];
}

/** Members of `Manifest` as they are written: strict keys, without defaults. The catalog check validates it. */
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

/** The choice of operations and names. */
export interface ImportChoices {
  /** Slug of the provider; absent: derived from the title. */
  readonly slug?: string;
  /** Only operations with one of these tags; empty: all. */
  readonly includeTags: readonly string[];
  /** Only these operations, by operationId or `GET /path`; empty: all. */
  readonly includeOperations: readonly string[];
  /** Disables the limit of 50 operations for each document. */
  readonly allOperations: boolean;
  /**
   * USD for each call, where the document gives no price; absent: free, or billed by the provider when a key is needed,
   * and listed in `pricesToSet`.
   */
  readonly priceUsd?: number;
  /** Address of the provider, if the document has no complete one. */
  readonly baseUrl?: string;
}

/** A description that cannot be imported at all: what is wrong, where, and what to do. */
export class ImportRefused extends Error {
  override readonly name = "ImportRefused";
  /** Short name of the problem, the same for all documents with the same problem: reports count by it. */
  readonly rule: string;
  /** First line is 1; absent where no line is known. */
  readonly line?: number;

  constructor(rule: string, message: string, line?: number) {
    super(message);
    this.rule = rule;
    if (line !== undefined) this.line = line;
  }
}
