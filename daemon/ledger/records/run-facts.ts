import type { RunId } from "../../base/ids.ts";
import type { MicroDollars } from "../../../shared/micro-dollars.ts";
import type { RunRecord } from "./run-record.ts";

/** The few facts of a run that sums need; money in micro-dollars, 0 until it has ended. */
export interface RunFacts {
  /** Number of the line that created the run, which gives the order of acceptance. */
  readonly seq: number;
  readonly runId: RunId;
  readonly status: RunRecord["status"];
  readonly provider: string;
  readonly endpoint: string;
  readonly keyId?: string;
  /** The key's present label. */
  readonly keyLabel?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  readonly charged: MicroDollars;
  /** What it cost the service. */
  readonly cost: MicroDollars;
  /** What it cost above its hold, borne by the operator. */
  readonly overrun: MicroDollars;
  /** What was not charged since it was answered from an earlier run; absent: it was not answered from one. */
  readonly saved?: MicroDollars;
}
