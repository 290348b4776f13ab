import type { SegmentSpan } from "../storage/journal/index-file.ts";

/** What is looked at, in this order. */
export const CHECKS = [
  "folder",
  "format",
  "documents",
  "journal",
  "ledger",
  "runs",
  "idempotency",
  "resources",
  "indexes",
  "snapshots",
  "blobs",
] as const;
export type Check = (typeof CHECKS)[number];

/** What a repair can do about a finding, and nothing of it touches what was acknowledged unless the finding says so. */
export type Mend =
  /** The journal ends where its last whole line does. */
  | { readonly kind: "cut" }
  /** The index is made from its segment. */
  | { readonly kind: "index"; readonly span: SegmentSpan }
  /** `file` is of no use: a start makes it again, or nothing asks for it. */
  | { readonly kind: "remove"; readonly file: string };

export interface Finding {
  readonly check: Check;
  /** `damage`: something is wrong. `note`: a start or a repair puts it right, and nothing is lost. */
  readonly kind: "damage" | "note";
  /** In the data folder, with `/` between names. */
  readonly file?: string;
  /** Bytes from the beginning of the file. */
  readonly offset?: number;
  readonly message: string;
  /** Absent: only a person can. */
  readonly mend?: Mend;
}

/** So many are told of each kind; a folder that is wrong in every line says so once more in the count. */
const MOST_TOLD = 100;

/** Gathers what was found and how much was looked at. */
export class Findings {
  readonly all: Finding[] = [];
  readonly looked = new Map<Check, string>();
  readonly #counts = new Map<Check, number>();

  damage(check: Check, message: string, place: Pick<Finding, "file" | "offset" | "mend"> = {}): void {
    this.#add({ check, kind: "damage", message, ...place });
  }

  note(check: Check, message: string, place: Pick<Finding, "file" | "offset" | "mend"> = {}): void {
    this.#add({ check, kind: "note", message, ...place });
  }

  /** Of a check, those that were not told included. */
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
