import type { ResourceRecord } from "../ledger/records/resource-record.ts";
import type { Line } from "../ledger/transaction/transaction.ts";
import type { HistoryPart } from "./history-part.ts";

/** What a back end provides for its history. */
export interface HistoryLines<Where> {
  /** All present parts of the journal, in any order. */
  parts(): readonly HistoryPart<Where>[];
  /**
   * The line that ended a run may refer to its input (`from`). Rejects with `LineMoved` if the line has moved; then look it
   * up in the parts again.
   */
  readLine(where: Where): Promise<Line>;
  /** Many of them at once, in any order and without those that are not found. Absent: they are read one by one. */
  readLines?(places: readonly Where[]): Promise<readonly { readonly where: Where; readonly line: Line }[]>;
  /** The same as `readLine`, and the line has its input. */
  readWhole(where: Where): Promise<Line>;
  /** Ended resources that the parts may not know of; absent: they know of all. */
  endedBefore?(): readonly ResourceRecord[];
}
