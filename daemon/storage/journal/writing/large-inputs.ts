import type { RunRecord } from "../../../ledger/records/run-record.ts";
import type { Line } from "../../../ledger/transaction/transaction.ts";
import type { LineAddress } from "./journal.ts";
import { lineBody, type LineBody } from "../segments/line-codec.ts";

/*
 * A large input is written once. The line that ends a run refers to the one that accepted it, when that is in the same
 * segment, so that each segment can be read alone; otherwise the input is written again. Lists, the ledger, indexes and
 * recovery need the last line alone. Source: docs/storage.md, "Large inputs".
 */

/** Size of the line that accepted a run, in bytes, above which the input is not written again. */
const LARGE_BYTES = 4_096;

type RunDone = Extract<Line, { t: "run.done" }>;
type RunAccepted = Extract<Line, { t: "run.accepted" }>;

/** Runs under way with a large input whose first line is in the segment that lines are added to. */
export class LargeInputs {
  readonly #accepted = new Map<string, { readonly input: RunRecord["input"]; readonly address: LineAddress }>();

  /** The line is durable. */
  settle(line: Line, address: LineAddress): void {
    if (line.t === "run.done") this.#accepted.delete(line.run);
    else if (line.t === "run.accepted" && address.length > LARGE_BYTES) {
      this.#accepted.set(line.run, { input: line.rec.input, address });
    }
  }

  /** Another segment was begun. */
  clear(): void {
    this.#accepted.clear();
  }

  /** The text of a line, without the input where that can be left out. Throws as `lineBody`. */
  bodyOf(line: Line): LineBody {
    const known = line.t === "run.done" ? this.#accepted.get(line.run) : undefined;
    if (line.t !== "run.done" || known === undefined || !isSame(line.rec.input, known.input)) return lineBody(line);
    const { segment, offset, length } = known.address;
    const short = lineBody({ ...line, v: 2, rec: { ...line.rec, input: {} }, from: { offset, length } });
    // The input that is left out is a part of that line.
    const bytes = short.bytes + length;
    return { json: short.json, bytes, onlyIn: { segment, bytes: short.bytes, otherwise: () => lineBody(line).json } };
  }
}

/** The line as it would be with its input. */
export function withInput({ from: _from, ...line }: RunDone, accepted: RunAccepted): RunDone {
  return { ...line, v: 1, rec: { ...line.rec, input: accepted.rec.input } };
}

/** Whether two values of JSON are the same, names in any order. */
function isSame(one: unknown, other: unknown): boolean {
  // The record of an accepted run is shared and never changed: docs/decisions/2026-11-28-what-a-run-shares.md.
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return Object.is(one, other);
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isSame(memberOf(one, name), memberOf(other, name)));
}

function memberOf(value: object, name: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[name];
}
