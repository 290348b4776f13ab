import type { SegmentSpan } from "../storage/journal/segments/segment.ts";

/** The checks, in this order. */
export const CHECKS = [
  "folder",
  "format",
  "documents",
  "journal",
  "ledger",
  "runs",
  "idempotency",
  "resources",
  "schedules",
  "webhooks",
  "indexes",
  "snapshots",
  "blobs",
] as const;
export type Check = (typeof CHECKS)[number];

/** What a repair can do about a finding. It does not touch acknowledged data unless the finding says so. */
export type Mend =
  /** Cuts the journal after its last complete line. */
  | { readonly kind: "cut" }
  /** Rebuilds the index from its segment. */
  | { readonly kind: "index"; readonly span: SegmentSpan }
  /** `file` is not needed: a start makes it again, or nothing uses it. */
  | { readonly kind: "remove"; readonly file: string };

export interface Finding {
  readonly check: Check;
  /** `damage`: something is wrong. `note`: a start or a repair fixes it, and nothing is lost. */
  readonly kind: "damage" | "note";
  /** In the data folder, with `/` between names. */
  readonly file?: string;
  /** In a database: which row, in words. */
  readonly row?: string;
  /** Bytes from the beginning of the file. */
  readonly offset?: number;
  readonly message: string;
  /** Absent: only a person can fix it. */
  readonly mend?: Mend;
}

export type FindingPlace = Pick<Finding, "file" | "row" | "offset" | "mend">;

/** The maximum number of reported findings of each kind; further ones are only counted. */
const MOST_TOLD = 100;

/** Collects the findings and how much was checked. */
export class Findings {
  readonly all: Finding[] = [];
  readonly looked = new Map<Check, string>();
  readonly #counts = new Map<Check, number>();

  damage(check: Check, message: string, place: FindingPlace = {}): void {
    this.#add({ check, kind: "damage", message, ...place });
  }

  note(check: Check, message: string, place: FindingPlace = {}): void {
    this.#add({ check, kind: "note", message, ...place });
  }

  /** The number of findings of a check, including those that were not reported. */
  countOf(check: Check): number {
    return this.#counts.get(check) ?? 0;
  }

  get hasDamage(): boolean {
    return this.all.some(({ kind }) => kind === "damage");
  }

  #add(finding: Finding): void {
    const count = this.countOf(finding.check) + 1;
    this.#counts.set(finding.check, count);
    if (count <= MOST_TOLD || finding.mend !== undefined) this.all.push(finding);
  }
}
