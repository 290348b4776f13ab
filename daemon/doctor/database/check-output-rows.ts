import { countWords } from "../../../shared/count-words.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import type { Queries } from "../../storage/postgres/connection.ts";
import type { OutputReference } from "../../storage/postgres/line-rows.ts";
import type { Findings } from "../finding.ts";

type RunDone = Extract<Line, { t: "run.done" }>;

/** Of outputs that the database adds up in one statement. */
const MAX_BYTES = 64 * 1_024 * 1_024;

/** The database makes the sums, so that no output has to come here. */
export const SUMS = `
select n, sum(octet_length(body)) as bytes, encode(sha256(convert_to(string_agg(body, '' order by piece), 'UTF8')), 'hex') as sha256
from outputs where n > $1 and n <= $2 group by n order by n`;

interface SumRow extends Record<string, unknown> {
  readonly n: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Each output that a line refers to is there and unchanged, unless retention removed it, and there is no other. */
export class OutputRowsCheck {
  readonly #queries: Queries;
  readonly #findings: Findings;
  /** Outputs of runs that ended before it are removed, or being removed. */
  readonly #removedBefore: string;
  #waiting = new Map<number, { readonly reference: OutputReference; readonly isRemoved: boolean }>();
  #looked = 0;

  static async begin(queries: Queries, findings: Findings): Promise<OutputRowsCheck> {
    const [row] = await queries.query<{ before: string | null }>("select max(before) as before from removals");
    return new OutputRowsCheck(queries, findings, row?.before ?? "");
  }

  private constructor(queries: Queries, findings: Findings, removedBefore: string) {
    this.#queries = queries;
    this.#findings = findings;
    this.#removedBefore = removedBefore;
  }

  take({ out, rec, at }: RunDone, n: number): void {
    if (out === undefined) return;
    this.#waiting.set(n, { reference: out, isRemoved: (rec.completedAt ?? at) < this.#removedBefore });
    this.#looked += 1;
  }

  /** All lines after `from`, up to `to`, were taken. */
  async compare(from: number, to: number): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    let [after, bytes] = [from, 0];
    for (const [n, { reference }] of waiting) {
      bytes += reference.bytes;
      if (bytes < MAX_BYTES) continue;
      await this.#compareRows(waiting, after, n);
      [after, bytes] = [n, 0];
    }
    await this.#compareRows(waiting, after, to);
    for (const [n, { isRemoved }] of waiting) {
      if (!isRemoved) this.#findings.damage("blobs", "the output that it refers to is missing", { row: `line ${n}` });
    }
  }

  end(): void {
    this.#findings.looked.set("blobs", countWords(this.#looked, "output"));
  }

  async #compareRows(
    waiting: Map<number, { readonly reference: OutputReference; readonly isRemoved: boolean }>,
    after: number,
    to: number,
  ): Promise<void> {
    for (const { n, bytes, sha256 } of await this.#queries.query<SumRow>(SUMS, [after, to])) {
      const known = waiting.get(n);
      waiting.delete(n);
      const place = { row: `line ${n}` };
      if (known === undefined) this.#findings.note("blobs", "there is an output to which it does not refer", place);
      else if (!known.isRemoved && (known.reference.sha256 !== sha256 || known.reference.bytes !== Number(bytes)))
        this.#findings.damage("blobs", "its output is not what was written", place);
    }
  }
}
