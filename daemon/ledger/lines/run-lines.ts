import { z } from "zod";
import { ApprovalDecision } from "../records/approval-records.ts";
import { Postings } from "../money/postings.ts";
import { RecordedAmount } from "../money/recorded-amount.ts";
import { ResourceRecord } from "../records/resource-record.ts";
import { AttemptRecord, JobRecord, RunRecord } from "../records/run-record.ts";
import { LeftMember } from "../records/run-route.ts";
import { RecordedEvents } from "../records/webhook-records.ts";

/**
 * Journal lines of runs. `led` entries are micro-dollars and sum to 0. Source: docs/storage.md, "A line" and
 * "Runs and money on the disk".
 */
const common = { v: z.literal(1), at: z.string(), ws: z.string(), run: z.string() };

/**
 * Durable before the provider is called. Its record is READY (waits for a slot) or RUNNING (is called at once). Version 2: it
 * waits for a person's approval, and a daemon that does not know that must not begin it. Version 3: it is at a market, or may
 * turn to one, and a daemon that does not know that would forget what it asked for, and what it may cost.
 */
export const RunAcceptedLine = z.object({
  t: z.literal("run.accepted"),
  ...common,
  v: z.literal([1, 2, 3]),
  rec: RunRecord,
  led: Postings,
  events: RecordedEvents,
});
/** Somebody approved a waiting run; `of` repeats what they approved. Without approval it ends with `run.done`. */
export const RunApprovedLine = z.object({
  t: z.literal("run.approved"),
  ...common,
  decision: ApprovalDecision,
  of: z.object({
    caller: z.string(),
    manifestHash: z.string(),
    inputDigest: z.string(),
    heldMicroDollars: RecordedAmount,
  }),
});
/** A waiting run got its slot at the provider. */
export const RunGoLine = z.object({ t: z.literal("run.go"), ...common });
/** The provider accepted the job, or reported something about it that must survive a restart. */
export const RunJobLine = z.object({ t: z.literal("run.job"), ...common, job: JobRecord });
/**
 * A member of a route was left; the run waits for a slot at the next one. Durable before that one is called, so that a start
 * knows which member may have been. docs/routes.md, "After a crash".
 */
export const RunNextLine = z.object({
  t: z.literal("run.next"),
  ...common,
  left: LeftMember,
  attempts: z.array(AttemptRecord),
});
export const RunStopLine = z.object({ t: z.literal("run.stop"), ...common });
/** Self-contained, but for what is large: lists, the ledger and indexes need this line alone. */
export const RunDoneLine = z.object({
  t: z.literal("run.done"),
  ...common,
  /** 3: a run that was answered at once from an earlier one, which no other line accepted. */
  v: z.literal([1, 2, 3]),
  rec: RunRecord,
  led: Postings,
  /** Resources as they are after it: made, released. */
  res: z.array(ResourceRecord).exactOptional(),
  events: RecordedEvents,
  /**
   * A large output is in a file of its own, named after its SHA-256 (hex); the record's is null. docs/storage.md, "Outputs".
   */
  out: z.object({ sha256: z.string(), bytes: z.int() }).exactOptional(),
  /**
   * Version 2: a large input is in the line that accepted the run, which is here in the same segment (bytes); the record's
   * has no parts. docs/storage.md, "Large inputs".
   */
  from: z.object({ offset: z.int(), length: z.int() }).exactOptional(),
});

export const RunLine = z.discriminatedUnion("t", [
  RunAcceptedLine,
  RunApprovedLine,
  RunGoLine,
  RunJobLine,
  RunNextLine,
  RunStopLine,
  RunDoneLine,
]);
export type RunLine = z.infer<typeof RunLine>;
