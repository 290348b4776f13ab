import { z } from "zod";
import { runStatuses } from "../run-status.ts";
import { atMost } from "./at-most.ts";
import { closedObject } from "./closed-object.ts";
import { DateTime, ErrorBody, Money, MoneyGiven, NextCursor, textOfLength } from "./common.ts";
import { RunApproval } from "./approvals.ts";
import { BlockingControl, BudgetAlert } from "./controls.ts";
import { DamagedRuns } from "./damaged-runs.ts";
import { Hints } from "./hints.ts";
import { Cost, RunBilling, RunPrice } from "./price.ts";
import { ResourceType } from "./resource-type.ts";
import { RunOfSchedule } from "./run-of-schedule.ts";
import { RouteOfRun } from "./route-members.ts";
import { RunAtMarket } from "./run-at-market.ts";

export const RunStatus = z.enum(runStatuses).meta({
  id: "RunStatus",
  description: "Upper case. Terminal: COMPLETED, FAILED, BLOCKED, STOPPED, TIMED_OUT.",
});
export type RunStatus = z.infer<typeof RunStatus>;

const InputPart = z.record(z.string(), z.unknown());

export const RunInput = z
  .strictObject({
    body: InputPart.optional(),
    queryParams: InputPart.optional(),
    pathParams: InputPart.optional(),
  })
  .meta({ id: "RunInput", description: "Composite input; every part optional." });
export type RunInput = z.infer<typeof RunInput>;

export const RunInputFlat = z.record(z.string(), z.unknown()).meta({
  id: "RunInputFlat",
  description:
    "Flat form: any object whose keys are not all composite keys; each key goes to the part of the input that declares it.",
});
export type RunInputFlat = z.infer<typeof RunInputFlat>;

const MAX_TAGS = 10;
const RunTags = atMost(MAX_TAGS, z.record(textOfLength(1, 64), textOfLength(0, 256)).meta({ maxProperties: MAX_TAGS }));

/** Of what comes from another market. docs/markets.md, "No loops" */
export const HopsHeaders = z.object({
  "x-mkt-hops": z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: "Ids of the markets that it came through, separated by blanks; our own markets send it." }),
});

/** Body of POST /v1/run. Unknown members are refused. docs/contract.md, "Starting a run" and "Closed bodies". */
export const RunRequest = closedObject({
  provider: z.string().min(1),
  endpoint: z.string().min(1).meta({ description: "Path; a missing leading slash is added." }),
  input: z
    .union([RunInput, RunInputFlat])
    .optional()
    .meta({ description: "May be left out, which means no input (the reference client does so)." }),
  maxCost: MoneyGiven.optional().meta({
    description: "Refused with 402, before any call, if the run could cost more.",
  }),
  tags: RunTags.optional().meta({ description: "The caller's own labels, stored with the run." }),
  deadlineMs: z
    .int()
    .min(1_000)
    .optional()
    .meta({ description: "Milliseconds until the run is TIMED_OUT; at most the endpoint's own deadline." }),
  maxPages: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ description: "The most pages of a list that the run reads; at most the endpoint's own limit." }),
  wait: z
    .number()
    .min(0)
    .max(60)
    .optional()
    .meta({ description: "Seconds to wait for an async run before answering 202." }),
  maxAge: z.int().min(0).max(31_536_000).optional().meta({
    description:
      "Seconds. An answer of an earlier run of the workspace that is at most this old is taken instead of a call, where the endpoint allows it; 0: never.",
  }),
  allowUncertainRepeats: z.boolean().optional().meta({
    description:
      "Only for a route: go on to its next member also where the one before may have been executed, and may charge for it.",
  }),
}).meta({ id: "RunRequest" });
export type RunRequest = z.infer<typeof RunRequest>;

/**
 * Present only if the provider answered; `error` only when that answer was not 2xx. docs/contract.md, "End of a run".
 */
export const ProviderResponse = z
  .object({
    httpStatus: z.int().meta({ description: "Status the provider answered. Never send this object without it." }),
    error: z
      .looseObject({
        status: z.int(),
        message: z.string(),
        body: z.unknown().optional().meta({ description: "What the provider sent, cut to a stated size." }),
      })
      .optional()
      .meta({ description: "Present only for a non-2xx answer." }),
  })
  .meta({ id: "ProviderResponse" });
export type ProviderResponse = z.infer<typeof ProviderResponse>;

export const RunResourceEffect = z
  .object({
    action: z.enum(["PROVISIONED", "PROVISION_FAILED", "RELEASED", "RELEASE_FAILED"]),
    resourceId: z.string().min(1),
    resourceType: ResourceType,
    identifier: z.string().min(1),
  })
  .meta({ id: "RunResourceEffect" });
export type RunResourceEffect = z.infer<typeof RunResourceEffect>;

export const RunError = z
  .object({
    source: z.string().optional(),
    message: z.string().optional(),
    errorCode: z.string().optional().meta({ description: "As in the body of an error, such as NOT_CONNECTED." }),
    next: z.string().optional().meta({ description: "The command of mkt that sets up what was missing." }),
  })
  .meta({ id: "RunError", description: "Read by the reference client on a FAILED run." });
export type RunError = z.infer<typeof RunError>;

/** One call to the provider, as recorded with the run. */
export const RunAttempt = z
  .object({
    at: DateTime,
    httpStatus: z.int().optional(),
    error: z.string().optional(),
    durationMs: z.number().min(0),
  })
  .meta({ id: "RunAttempt" });
export type RunAttempt = z.infer<typeof RunAttempt>;

/** How far a run read a list that the provider gives in pages. docs/contract.md, "Pages of a list". */
export const RunPages = z
  .object({
    read: z.int().min(0).meta({ description: "Pages that were read; each is a call of the provider." }),
    more: z.boolean().meta({ description: "There is more, or may be." }),
    stoppedBy: z.enum(["maxPages", "cost", "size", "loop", "failure"]).exactOptional().meta({
      description:
        "Why reading stopped: the limit of pages, the hold, the size of one answer, a page that leads back, or a page that could not be read.",
    }),
    next: RunInput.exactOptional().meta({ description: "The part of the input that goes on with the next page." }),
  })
  .meta({ id: "RunPages" });
export type RunPages = z.infer<typeof RunPages>;

/** Whose answer a run has that its provider was not called for. docs/contract.md, "Answers of earlier runs". */
export const AnsweredFrom = z
  .object({
    runId: z.string(),
    completedAt: DateTime.meta({ description: "When that run ended." }),
    ageSeconds: z.number().min(0).meta({ description: "How old the answer was when this run was given it." }),
    saved: Money.meta({ description: "What that run was charged; this one cost 0." }),
  })
  .meta({ id: "AnsweredFrom" });
export type AnsweredFrom = z.infer<typeof AnsweredFrom>;

const ResultCount = z.number().min(0).nullable().meta({ description: "null when there are no results." });
const BilledUnits = z.number().min(0);
const RunFailure = z.union([z.string(), RunError]);

const RetryOf = z.string().optional().meta({
  description:
    "The earlier run with the same Idempotency-Key, which certainly never reached the provider and so did not use up the key.",
});

/** Our own members that every full run may have. docs/contract.md, "Further members". */
const runAdditions = {
  maxCost: Money.optional(),
  tags: z.record(z.string(), z.string()).optional(),
  manifestHash: z.string().optional().meta({ description: "Version of the catalog entry that the run was made with." }),
  providerMayHaveCharged: z
    .boolean()
    .optional()
    .meta({ description: "The service stopped while the provider was being called; the outcome is unknown." }),
  retryOf: RetryOf,
  schedule: RunOfSchedule.optional().meta({ description: "The schedule that made it." }),
  overrun: Money.optional().meta({ description: "What the run cost above its hold, borne by the operator." }),
  notes: z.array(z.string()).optional().meta({ description: "What was not measured, and what was cut." }),
  alerts: z
    .array(BudgetAlert)
    .optional()
    .meta({ description: "Budgets that this run's charge brought to 50, 80 or 100 percent." }),
  attempts: z.array(RunAttempt).optional(),
  pages: RunPages.optional(),
  answeredFrom: AnsweredFrom.optional(),
  market: RunAtMarket.optional().meta({ description: "For an endpoint of another market." }),
  route: RouteOfRun.optional().meta({ description: "If a route was asked for: the members that were tried." }),
};

const Approved = RunApproval.optional().meta({
  description: "The approval of a person that the run needs or needed; absent when it needs none.",
});

/**
 * Answer of POST /v1/run when the run ended within the request. `providerResponse` is absent when the provider gave no
 * answer (FAILED, TIMED_OUT); everything else is always present. docs/contract.md, "Starting a run".
 */
export const RunCompleted = z
  .object({
    runId: z.string(),
    provider: z.string(),
    providerName: z.string().optional(),
    endpoint: z.string(),
    status: RunStatus,
    output: z.unknown().meta({ description: "Provider data; null on a provider error." }),
    providerResponse: ProviderResponse.optional(),
    price: RunPrice,
    billing: RunBilling,
    cost: Cost.optional().meta({ description: "reportedCost in dollars." }),
    resultCount: ResultCount,
    billedUnits: BilledUnits.optional(),
    resources: z.array(RunResourceEffect).optional(),
    stopRequestedAt: DateTime.optional(),
    createdAt: DateTime,
    completedAt: DateTime,
    error: RunFailure.optional(),
    approval: Approved,
    hints: Hints.optional(),
    ...runAdditions,
  })
  .meta({
    id: "RunCompleted",
    description:
      "Answer of POST /v1/run when the run ended within the request. For a TIMED_OUT or FAILED run the same members, with providerResponse absent when there was no answer.",
  });
export type RunCompleted = z.infer<typeof RunCompleted>;

export const RunErrorBody = RunCompleted.extend(ErrorBody.shape).meta({
  id: "RunErrorBody",
  description: "The whole run plus code and message.",
});
export type RunErrorBody = z.infer<typeof RunErrorBody>;

/**
 * The Idempotency-Key was used before, and the answer to its first request is not known yet.
 * docs/contract.md, "Idempotency".
 */
export const RunUnderWay = ErrorBody.extend({
  runId: z.string().optional().meta({ description: "The run to read or wait for; absent until it is recorded." }),
}).meta({ id: "RunUnderWay", description: "An Idempotency-Key whose run is in flight." });
export type RunUnderWay = z.infer<typeof RunUnderWay>;

/** A control refused the run before any call. Terminal, never billed. docs/contract.md, "Blocked runs". */
export const RunBlocked = z
  .object({
    runId: z.string(),
    status: z.enum(["BLOCKED"]),
    provider: z.string(),
    providerName: z.string().optional(),
    endpoint: z.string(),
    reason: z.string(),
    price: RunPrice,
    controls: z.array(BlockingControl),
    createdAt: DateTime,
    completedAt: DateTime,
    retryOf: RetryOf,
    approval: Approved,
    hints: Hints.optional(),
    route: RouteOfRun.optional(),
  })
  .meta({ id: "RunBlocked" });
export type RunBlocked = z.infer<typeof RunBlocked>;

export const RunAccepted = z
  .object({
    runId: z.string(),
    provider: z.string(),
    endpoint: z.string(),
    status: z.enum(["RUNNING", "READY"]).meta({ description: "RUNNING unless the run is still queued." }),
    price: RunPrice,
    createdAt: DateTime,
    approval: Approved,
    hints: Hints.optional(),
    route: RouteOfRun.optional(),
  })
  .meta({ id: "RunAccepted" });
export type RunAccepted = z.infer<typeof RunAccepted>;

const runListMembers = {
  runId: z.string(),
  caller: z.string().meta({ description: "Prefixed actor id such as USER#<id> or API_KEY#<fingerprint>." }),
  owner: z.string().optional().meta({ description: "User id that is billed; may be absent." }),
  provider: z.string(),
  providerName: z.string().optional(),
  endpoint: z.string(),
  status: RunStatus,
  stoppable: z.boolean().optional(),
  providerResponse: ProviderResponse.optional(),
  price: RunPrice,
  cost: Cost.optional(),
  resultCount: ResultCount.optional(),
  billedUnits: BilledUnits.optional(),
  createdAt: DateTime,
  startedAt: DateTime.optional(),
  completedAt: DateTime.optional(),
  tags: z.record(z.string(), z.string()).optional(),
  answeredFrom: AnsweredFrom.optional(),
  approval: Approved,
  route: RouteOfRun.optional(),
};

export const RunListItem = z.object(runListMembers).meta({ id: "RunListItem" });
export type RunListItem = z.infer<typeof RunListItem>;

/** A part of a large output. docs/contract.md, "Large outputs". */
export const OutputPart = z
  .object({
    of: z.string().meta({ description: "The list or the text that is read in parts, such as output.days." }),
    unit: z.enum(["items", "characters"]),
    offset: z.int().min(0),
    count: z.int().min(0),
    total: z.int().min(0),
    next: z.int().exactOptional().meta({ description: "The offset of what comes next; absent at the end." }),
  })
  .meta({ id: "OutputPart" });
export type OutputPart = z.infer<typeof OutputPart>;

/** The full record of a run. `output` and `resultCount` are null until it is terminal. docs/contract.md, "Reading a run". */
export const Run = z
  .object({
    ...runListMembers,
    reason: z.string().optional(),
    controls: z.array(BlockingControl).optional(),
    input: RunInput,
    output: z.unknown().meta({ description: "null until the run is terminal, and on a provider error." }),
    resultCount: ResultCount,
    billing: RunBilling.optional(),
    resources: z.array(RunResourceEffect).optional(),
    stopRequestedAt: DateTime.optional(),
    error: RunFailure.optional(),
    hints: Hints.optional(),
    ...runAdditions,
    part: OutputPart.optional().meta({ description: "Which part of its output this is, where one was asked for." }),
    progress: z
      .union([z.number(), z.string()])
      .optional()
      .meta({ description: "The provider's own progress text, while the run is in progress." }),
    progressUnit: z.string().optional().meta({
      description:
        "What a numeric progress counts: percent, fraction (of 1), or a word such as pages. Absent: unknown.",
    }),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

export const RunPage = z
  .object({ items: z.array(RunListItem), damaged: DamagedRuns, cursor: NextCursor, hints: Hints.optional() })
  .meta({ id: "RunPage" });
export type RunPage = z.infer<typeof RunPage>;

export const RunStopAccepted = z
  .object({ runId: z.string(), status: z.enum(["STOPPING"]), message: z.string() })
  .meta({ id: "RunStopAccepted" });
export type RunStopAccepted = z.infer<typeof RunStopAccepted>;
