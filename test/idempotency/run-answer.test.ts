import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endOfWaitMs, isAnswerKnown, runAnswer, type RunAsked } from "../../daemon/runs/answers/run-answer.ts";
import type { RunRecord } from "../../daemon/ledger/records/run-record.ts";
import { makeRun } from "../support/make-run.ts";

const createdAt = "2026-11-21T10:00:00.000Z";
const at = (ms: number) => new Date(Date.parse(createdAt) + ms).toISOString();
const noMoney = { calculated: 0, actual: 0, reported: 0 };

function ended(ms: number, members: Partial<RunRecord> = {}): RunRecord {
  return makeRun({
    mode: "async",
    status: "COMPLETED",
    completedAt: at(ms),
    billing: noMoney,
    providerResponse: { httpStatus: 200 },
    ...members,
  });
}

const open = makeRun({ mode: "async" });
const asked = (waitSeconds: number, others: Partial<RunAsked> = {}): RunAsked => ({
  waitSeconds,
  client: "api",
  ...others,
});
const statusOf = (run: RunRecord, of: RunAsked) => runAnswer(run, of, undefined).status;

describe("the answer to a run", () => {
  test.each([
    ["of a sync run is the run, however late it ended", ended(90_000, { mode: "sync" }), asked(0), 200],
    ["of a sync run that timed out is 408", ended(1, { mode: "sync", status: "TIMED_OUT" }), asked(0), 408],
    ["of an async run nobody waits for is 202, also once it has ended", ended(0), asked(0), 202],
    ["of an async run that ended within the wait is the run", ended(1_999), asked(2), 200],
    ["of an async run that ended with the wait is the run", ended(2_000), asked(2), 200],
    ["of an async run that ended a millisecond later is 202", ended(2_001), asked(2), 202],
    ["of an async run that goes on is 202", open, asked(2), 202],
    ["counts parts of a second", ended(501), asked(0.5), 202],
    [
      "mirrors the provider's status for those who asked while that was set",
      mirrored(404),
      asked(0, { mirrored: true }),
      404,
    ],
    ["mirrors 402 as 502", mirrored(402), asked(0, { mirrored: true }), 502],
    ["does not mirror otherwise", mirrored(404), asked(0), 200],
  ])("%s", (_title, run, of, status) => {
    expect(statusOf(run, of)).toBe(status);
  });

  test("that a run was accepted does not say what became of it since", () => {
    const first = runAnswer(open, asked(0), undefined);

    const later = [ended(5), { ...open, status: "STOPPING" as const, stopRequestedAt: at(3) }].map((run) =>
      runAnswer(run, asked(0), undefined),
    );

    expect(later).toEqual([first, first]);
  });
});

describe("whether the answer is known", () => {
  test.each([
    ["a sync run that is open: no", makeRun(), asked(0), 60_000, false],
    ["a sync run that has ended: yes", ended(5, { mode: "sync" }), asked(0), 6, true],
    ["an async run that nobody waits for: yes, at once", open, asked(0), 0, true],
    ["an async run that is open within the wait: no", open, asked(2), 1_999, false],
    ["an async run that is open in the very last moment of the wait: no", open, asked(2), 2_000, false],
    ["an async run that is open when the wait is over: yes", open, asked(2), 2_001, true],
    ["an async run that ended within the wait: yes", ended(5), asked(2), 6, true],
  ])("%s", (_title, run, of, nowMs, known) => {
    expect(isAnswerKnown(run, of, Date.parse(createdAt) + nowMs)).toBe(known);
  });

  test("an answer once known never changes, whenever the run ends", () => {
    const milliseconds = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(milliseconds, milliseconds, milliseconds, (waitMs, askedMs, endMs) => {
        const of = asked(waitMs / 1_000);
        const nowMs = endOfWaitMs(open, 0) + askedMs;
        // What has not happened by now is stamped later than now.
        const seenNow = endMs <= askedMs ? ended(endMs) : open;
        fc.pre(isAnswerKnown(seenNow, of, nowMs));

        expect(runAnswer(ended(endMs), of, undefined)).toEqual(runAnswer(seenNow, of, undefined));
      }),
    );
  });
});

function mirrored(httpStatus: number): RunRecord {
  const error = { status: httpStatus, message: "no" };
  return ended(5, { mode: "sync", providerResponse: { httpStatus, error } });
}
