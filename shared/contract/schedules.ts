import { z } from "zod";
import { atMost } from "./at-most.ts";
import { closedObject } from "./closed-object.ts";
import { DateTime, Money, MoneyGiven, NextCursor, textOfLength } from "./common.ts";
import { ControlPeriod } from "./controls.ts";
import { RunInput, RunInputFlat, RunStatus } from "./runs.ts";

/** One tag of a run is the schedule's own. */
const MAX_TAGS = 9;
const MAX_FAILURES = 1_000;

const Cron = textOfLength(1, 200).meta({
  description:
    "Minute, hour, day of the month, month and day of the week; six fields begin with the second. Read in the time zone.",
});
const TimeZone = textOfLength(1, 64).meta({ description: "A name of the IANA database, such as Europe/Lisbon." });
const MissedRule = z.enum(["SKIP", "ONCE"]).meta({
  description: "What happens to due times that came while nothing could run: none of them runs, or the last one.",
});

const Input = z.union([RunInput, RunInputFlat]);
const Tags = atMost(MAX_TAGS, z.record(textOfLength(1, 64), textOfLength(0, 256)).meta({ maxProperties: MAX_TAGS }));
const MaxPages = z.int().min(1).meta({ description: "The most pages that each run reads of a list." });
const MaxAge = z.int().min(0).max(31_536_000).meta({
  description:
    "Seconds: each run takes the answer of an earlier one that is at most this old, where the endpoint allows it.",
});
const AllowUncertainRepeats = z.boolean().meta({
  description:
    "Only for a route: each run goes on to the next member also where the one before may have been executed.",
});
const Budget = closedObject({ amount: MoneyGiven, period: ControlPeriod });
const Failures = z.int().min(1).max(MAX_FAILURES);

/** Body of POST /v1/schedules. Unknown members are refused. docs/contract.md, "Schedules" and "Closed bodies". */
export const ScheduleRequest = closedObject({
  name: textOfLength(1, 100).optional().meta({ description: "For people; several may have the same." }),
  cron: Cron,
  timeZone: TimeZone.optional().meta({ description: "UTC when omitted." }),
  provider: z.string().min(1),
  endpoint: z.string().min(1).meta({ description: "Path; a missing leading slash is added." }),
  input: Input.optional(),
  maxCost: MoneyGiven.optional().meta({ description: "What each run may cost at most." }),
  maxPages: MaxPages.optional(),
  maxAge: MaxAge.optional(),
  allowUncertainRepeats: AllowUncertainRepeats.optional(),
  tags: Tags.optional(),
  deadlineMs: z.int().min(1_000).optional(),
  missed: MissedRule.optional().meta({ description: "SKIP when omitted." }),
  overlap: z
    .boolean()
    .optional()
    .meta({ description: "true: a run begins even while an earlier one is still open. false when omitted." }),
  budget: Budget.optional().meta({
    description: "What its runs may spend and hold together in each window of the period.",
  }),
  pauseAfterFailures: Failures.optional().meta({
    description: "It is paused after this many failures in a row; 5 when omitted.",
  }),
}).meta({ id: "ScheduleRequest" });
export type ScheduleRequest = z.infer<typeof ScheduleRequest>;

/** Body of PATCH /v1/schedules/{scheduleId}: what is left out stays, and null takes it away. docs/contract.md, "Life of a schedule". */
export const SchedulePatchRequest = closedObject({
  name: textOfLength(1, 100).nullable().optional(),
  cron: Cron.optional(),
  timeZone: TimeZone.optional(),
  input: Input.optional().meta({ description: "The whole input, in place of the former one." }),
  maxCost: MoneyGiven.nullable().optional(),
  maxPages: MaxPages.nullable().optional(),
  maxAge: MaxAge.nullable().optional(),
  allowUncertainRepeats: AllowUncertainRepeats.nullable().optional(),
  tags: Tags.nullable().optional().meta({ description: "All tags, in place of the former ones." }),
  deadlineMs: z.int().min(1_000).nullable().optional(),
  missed: MissedRule.optional(),
  overlap: z.boolean().optional(),
  budget: Budget.nullable().optional(),
  pauseAfterFailures: Failures.optional(),
  revision: z.int().min(0).optional().meta({
    description:
      "That of the schedule as it was read: 409 if somebody has changed it since. Without it the change is made anyway.",
  }),
})
  .refine(({ revision: _revision, ...change }) => Object.values(change).some((value) => value !== undefined), {
    error: "name what is to change, such as cron, input or budget",
  })
  .meta({ id: "SchedulePatchRequest", minProperties: 1 });
export type SchedulePatchRequest = z.infer<typeof SchedulePatchRequest>;

export const SchedulePauseReason = z.enum(["ASKED", "FAILURES", "KEY", "RIGHTS", "TIMES"]).meta({
  id: "SchedulePauseReason",
  description:
    "By somebody; after failures; its key has ended; its key may not run this; its times cannot be computed any more.",
});

export const Schedule = z
  .object({
    scheduleId: z.string(),
    name: z.string().optional(),
    status: z.enum(["ACTIVE", "PAUSED"]),
    pause: z.object({ reason: SchedulePauseReason, message: z.string(), at: DateTime }).optional(),
    cron: z.string(),
    timeZone: z.string(),
    next: z.array(DateTime).meta({ description: "The next three due times; none while it is paused." }),
    provider: z.string(),
    endpoint: z.string(),
    input: RunInput,
    maxCost: Money.optional(),
    maxPages: z.int().optional(),
    maxAge: z.int().optional(),
    allowUncertainRepeats: z.literal(true).optional(),
    tags: z.record(z.string(), z.string()).optional(),
    deadlineMs: z.int().optional(),
    missed: MissedRule,
    overlap: z.boolean(),
    budget: z
      .object({
        amount: Money,
        period: ControlPeriod,
        spent: Money,
        held: Money,
        left: Money,
        resetsAt: DateTime.meta({ description: "When the next window begins." }),
      })
      .optional(),
    pauseAfterFailures: z.int(),
    failures: z.int().meta({ description: "Failures since the last success." }),
    actsAs: z.string().meta({ description: "The key that its runs are made with, as API_KEY#<fingerprint>." }),
    takenOverFrom: z.string().optional().meta({
      description:
        "In the answer to a change or a resumption: the key that it acted as before, if that was another one.",
    }),
    revision: z.int().meta({ description: "How often it was changed." }),
    createdAt: DateTime,
    updatedAt: DateTime,
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

export const SchedulePage = z.object({ items: z.array(Schedule), cursor: NextCursor }).meta({ id: "SchedulePage" });
export type SchedulePage = z.infer<typeof SchedulePage>;

/** What became of a due time. docs/contract.md, "Schedules". */
export const ScheduleOccurrence = z
  .object({
    dueAt: DateTime.optional().meta({ description: "Absent for a run that somebody asked for besides." }),
    decidedAt: DateTime,
    outcome: z.enum(["RUN", "MISSED", "OVERLAP", "REFUSED"]),
    runId: z.string().optional(),
    runStatus: RunStatus.optional().meta({ description: "How its run ended; absent while that goes on." }),
    missed: z.int().optional().meta({ description: "How many due times before it had no run either; at most 100." }),
    message: z.string().optional(),
    failed: z.boolean().optional().meta({ description: "true: it counts towards the failures that pause it." }),
  })
  .meta({ id: "ScheduleOccurrence" });
export type ScheduleOccurrence = z.infer<typeof ScheduleOccurrence>;

export const ScheduleHistory = z.object({ items: z.array(ScheduleOccurrence) }).meta({ id: "ScheduleHistory" });
export type ScheduleHistory = z.infer<typeof ScheduleHistory>;
