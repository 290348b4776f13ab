import { createHash } from "node:crypto";
import { keptUnder } from "../../ledger/records/reuse-record.ts";
import type { Line } from "../../ledger/transaction/transaction.ts";
import { hasOutput } from "../line-index.ts";
import { lineBody } from "../journal/segments/line-codec.ts";
import { entryOf, type RunEntry } from "../run-entry.ts";
import { termsOf } from "../run-terms.ts";

type RunDone = Extract<Line, { t: "run.done" }>;
export type OutputReference = NonNullable<RunDone["out"]>;

/** Where a line is. */
export interface LinePlace {
  readonly month: number;
  readonly n: number;
}

/** A line as it is written: what stays in memory, its text, and the text of an output, which has a table of its own. */
export interface PreparedLine {
  readonly line: Line;
  readonly body: string;
  readonly output?: string;
}

/** Of a piece of an output, in UTF-16 units. */
const PIECE_LENGTH = 256 * 1_024;
/** Between the terms of a run in one text. */
export const TERM_END = "\n";

/** Shares nothing with the line that it is made of. Throws a TypeError if the line cannot be written. */
export function prepareLine(line: Line): PreparedLine {
  if (line.t !== "run.done" || !hasOutput(line)) return prepared(line);
  const output = JSON.stringify(line.rec.output);
  const out: OutputReference = { sha256: digestOf(output), bytes: Buffer.byteLength(output) };
  return { ...prepared({ ...line, rec: { ...line.rec, output: null }, out }), output };
}

function prepared(line: Line): PreparedLine {
  const body = lineBody(line).json;
  return { line: JSON.parse(body) as Line, body };
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Text that a column can have: without NUL and halves of characters. Of what is compared, both sides are made so. */
export function columnText(text: string): string {
  return text.replace(/[\0\n\p{Surrogate}]/gu, "\uFFFD");
}

/** So long may a term be; an index holds texts of at most 2,712 bytes, at four bytes a character. */
const TERM_LENGTH = 600;

/** As `columnText`, for what has an index: of a longer one the beginning and a hash. */
export function columnTerm(term: string): string {
  const text = columnText(term);
  return text.length <= TERM_LENGTH ? text : columnText(`${text.slice(0, TERM_LENGTH - 64)}${digestOf(text)}`);
}

/** Columns of a finished run beside its line. */
export interface RunRow {
  readonly n: number;
  readonly accepted: number;
  readonly runId: string;
  readonly workspaceId: string;
  readonly createdMs: number;
  readonly terms: string;
  readonly facts: string;
  readonly idempotencyKey: string | null;
  readonly keptKey: string | null;
}

export function runRowOf({ rec }: RunDone, n: number, accepted: number): RunRow {
  const entry = entryOf<never>(rec, accepted);
  return {
    n,
    accepted,
    runId: rec.runId,
    workspaceId: rec.workspaceId,
    createdMs: Number.isFinite(entry.createdAtMs) ? entry.createdAtMs : 0,
    terms: termsOf(entry).map(columnTerm).join(TERM_END),
    facts: JSON.stringify(entry),
    idempotencyKey: rec.idempotency?.key ?? null,
    keptKey: keptUnder(rec) ?? null,
  };
}

export function entryFrom<Where>(facts: string, where: Where): RunEntry<Where> {
  return { ...(JSON.parse(facts) as RunEntry<never>), where };
}

export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE_LENGTH, text.length);
    // Not between the two halves of one character.
    if (to < text.length && /[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}
