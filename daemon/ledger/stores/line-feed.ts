import type { KeyRecord } from "../records/identity-records.ts";
import type { ScheduleState } from "../records/schedule-records.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { Line } from "../transaction/transaction.ts";

/** A line that readers see from now on. */
export interface SettledLine {
  readonly line: Line;
  /** +1 each, the same for all daemons on one store, also after a restart. */
  readonly number: number;
  /** The run of the line, as it is after it. */
  readonly run?: RunRecord | undefined;
  /** The key that the line is about, as it is after it. */
  readonly key?: KeyRecord | undefined;
  /** The schedule of the line, as it is after it; of a line that deletes it, as it was. */
  readonly schedule?: ScheduleState | undefined;
}

/** Every line that becomes durable, of whichever daemon, in the order of their numbers. */
export interface LineFeed {
  /** The listener must not throw. Returns what ends it. */
  followLines(listener: (settled: SettledLine) => void): () => void;
}
