import type { Hints } from "../../../shared/contract/hints.ts";
import type { RunBilling } from "../../../shared/contract/price.ts";
import type {
  Run,
  RunAccepted,
  RunBlocked,
  RunCompleted,
  RunListItem,
  RunStopAccepted,
} from "../../../shared/contract/runs.ts";
import { type MicroDollars, toMoney } from "../../../shared/micro-dollars.ts";
import { toRunPrice } from "../../billing/public-price.ts";
import { toOutcome, toRunApproval } from "../../approvals/approval-wire.ts";
import { toBlockingControl, toBudgetAlert } from "../../controls/control-wire.ts";
import { controlsOf } from "../../ledger/records/met-controls.ts";
import { toRouteName, toRouteOfRun } from "./route-wire.ts";
import { isStoppable } from "../lifecycle/run-lifecycle.ts";
import { toRunAtMarket } from "../market/market-wire.ts";
import { isTerminal, type RunRecord } from "../../ledger/records/run-record.ts";
import type { RunSchedule } from "../../ledger/records/schedule-records.ts";
import type { RunSummary } from "../../ledger/stores/run-store.ts";

/**
 * The run as GET returns it. `hints` only if there are any. docs/contract.md, "Reading a run" and "Further members".
 */
export function toRun(run: RunRecord, hints: Hints | undefined): Run {
  return {
    ...toRunListItem(run),
    input: run.route?.input ?? run.input,
    output: run.output,
    resultCount: run.resultCount,
    ...(run.status === "BLOCKED" && { reason: run.reason ?? "", controls: blockingControls(run) }),
    ...(run.stopRequestedAt !== undefined && { stopRequestedAt: run.stopRequestedAt }),
    ...(isTerminal(run) && run.billing !== undefined && { billing: toBilling(run.billing) }),
    ...(run.error !== undefined && { error: run.error }),
    ...additions(run),
    ...(!isTerminal(run) && progressOf(run)),
    ...(hints !== undefined && { hints }),
  };
}

/** The progress that the provider reports, and its unit if the manifest names one. */
function progressOf({ job }: RunRecord): Pick<Run, "progress" | "progressUnit"> {
  if (job?.progress === undefined) return {};
  return { progress: job.progress, ...(job.progressUnit !== undefined && { progressUnit: job.progressUnit }) };
}

export function toRunListItem(run: RunSummary): RunListItem {
  return {
    runId: run.runId,
    caller: run.caller,
    owner: run.owner,
    provider: run.provider,
    providerName: run.providerName,
    endpoint: run.endpoint,
    status: run.status,
    stoppable: isStoppable(run),
    ...(run.providerResponse !== undefined && { providerResponse: run.providerResponse }),
    price: toRunPrice(run.price),
    ...(run.billing !== undefined && { cost: toMoney(run.billing.reported) }),
    resultCount: run.resultCount,
    ...(run.billedUnits !== undefined && { billedUnits: run.billedUnits }),
    createdAt: run.createdAt,
    ...(run.startedAt !== undefined && { startedAt: run.startedAt }),
    ...(run.completedAt !== undefined && { completedAt: run.completedAt }),
    ...(run.tags !== undefined && { tags: run.tags }),
    ...toAnsweredFrom(run),
    ...approvalOf(run),
    ...toRouteName(run),
  };
}

function toAnsweredFrom({ answeredFrom, completedAt }: RunSummary): Pick<Run, "answeredFrom"> {
  if (answeredFrom === undefined || completedAt === undefined) return {};
  const { runId, completedAt: sourceAt, savedMicroDollars } = answeredFrom;
  const ageSeconds = Math.max(0, Date.parse(completedAt) - Date.parse(sourceAt)) / 1_000;
  return { answeredFrom: { runId, completedAt: sourceAt, ageSeconds, saved: toMoney(savedMicroDollars) } };
}

/** A run that ended within the request. docs/contract.md, "Starting a run". */
export function toRunCompleted(run: RunRecord, hints: Hints | undefined): RunCompleted {
  if (run.billing === undefined || run.completedAt === undefined) {
    throw new Error(`run ${run.runId} has not ended`);
  }
  return {
    runId: run.runId,
    provider: run.provider,
    providerName: run.providerName,
    endpoint: run.endpoint,
    status: run.status,
    output: run.output,
    ...(run.providerResponse !== undefined && { providerResponse: run.providerResponse }),
    price: toRunPrice(run.price),
    billing: toBilling(run.billing),
    cost: toMoney(run.billing.reported),
    resultCount: run.resultCount,
    ...(run.billedUnits !== undefined && { billedUnits: run.billedUnits }),
    ...(run.stopRequestedAt !== undefined && { stopRequestedAt: run.stopRequestedAt }),
    createdAt: run.createdAt,
    completedAt: run.completedAt,
    ...approvalInAnswer(run),
    ...(run.error !== undefined && { error: run.error }),
    ...additions(run),
    ...(hints !== undefined && { hints }),
  };
}

/** A run that a control refused. docs/contract.md, "Blocked runs". */
export function toRunBlocked(run: RunRecord, hints: Hints | undefined): RunBlocked {
  return {
    runId: run.runId,
    status: "BLOCKED",
    provider: run.provider,
    providerName: run.providerName,
    endpoint: run.endpoint,
    reason: run.reason ?? "",
    price: toRunPrice(run.price),
    controls: blockingControls(run),
    createdAt: run.createdAt,
    completedAt: run.completedAt ?? run.createdAt,
    ...approvalInAnswer(run),
    ...(run.idempotency?.retryOf !== undefined && { retryOf: run.idempotency.retryOf }),
    ...toRouteOfRun(run),
    ...(hints !== undefined && { hints }),
  };
}

/** Notes besides the answer itself, for example why the output was removed. */
function notesOf({ notes, outputRemovedAt }: RunRecord): Pick<Run, "notes"> {
  const all = outputRemovedAt === undefined ? notes : [...notes, `The output was kept until ${outputRemovedAt}`];
  return all.length === 0 ? {} : { notes: all };
}

/** Every control that refused the run; those that it passed are listed by a route of their own. */
function blockingControls(run: RunRecord): RunBlocked["controls"] {
  return controlsOf(run)
    .filter(({ isBlocking }) => isBlocking)
    .map(toBlockingControl);
}

/**
 * An open run, as it was accepted: RUNNING, or READY when it waits for approval. Of a run through a route always its first member,
 * so that a replay is the same when the run has gone on.
 */
export function toRunAccepted(run: RunRecord, hints: Hints | undefined): RunAccepted {
  const { provider, endpoint, price } = run.route?.first ?? run;
  return {
    runId: run.runId,
    provider,
    endpoint,
    status: run.status === "READY" ? "READY" : "RUNNING",
    price: toRunPrice(price),
    createdAt: run.createdAt,
    ...approvalInAnswer(run),
    ...toRouteName(run),
    ...(hints !== undefined && { hints }),
  };
}

export function toStopAccepted(run: RunRecord): RunStopAccepted {
  return {
    runId: run.runId,
    status: "STOPPING",
    message: "The stop is recorded; the run ends as STOPPED, or COMPLETED if the provider was quicker",
  };
}

function additions(run: RunRecord): Partial<
  Pick<
    Run,
    | "maxCost"
    | "tags"
    | "manifestHash"
    | "retryOf"
    | "schedule"
    | "overrun"
    | "notes"
    | "alerts"
    | "resources"
    | "pages"
    | "answeredFrom"
    | "market"
    | "route"
  >
> & {
  providerMayHaveCharged?: true;
  attempts?: NonNullable<Run["attempts"]>;
} {
  return {
    ...(run.maxCostMicroDollars !== undefined && { maxCost: toMoney(run.maxCostMicroDollars) }),
    ...(run.tags !== undefined && { tags: run.tags }),
    manifestHash: run.manifestHash,
    ...(run.providerMayHaveCharged === true && { providerMayHaveCharged: true as const }),
    ...(run.idempotency?.retryOf !== undefined && { retryOf: run.idempotency.retryOf }),
    ...(run.schedule !== undefined && { schedule: toRunOfSchedule(run.schedule) }),
    ...(run.overrunMicroDollars !== undefined && { overrun: toMoney(run.overrunMicroDollars) }),
    ...notesOf(run),
    ...(run.alerts !== undefined && { alerts: run.alerts.map(toBudgetAlert) }),
    ...(run.attempts.length > 0 && { attempts: run.attempts }),
    ...toRouteOfRun(run),
    ...(run.resources !== undefined && { resources: run.resources }),
    ...(run.pages !== undefined && { pages: run.pages }),
    ...toAnsweredFrom(run),
    ...(run.market !== undefined && { market: toRunAtMarket(run.market, run.job?.externalId) }),
  };
}

/** The same for the one who started it, who learns of names only by reading the run. */
function approvalInAnswer(run: RunRecord): Pick<Run, "approval"> {
  return run.approval === undefined ? {} : { approval: toOutcome(run, run.approval) };
}

/** The approval that it needed, and who decided. */
function approvalOf(run: RunSummary): Pick<Run, "approval"> {
  return run.approval === undefined ? {} : { approval: toRunApproval(run, run.approval) };
}

function toRunOfSchedule({ scheduleId, dueAt, missed }: RunSchedule): NonNullable<Run["schedule"]> {
  return { scheduleId, ...(dueAt !== undefined && { dueAt }), ...(missed !== undefined && { missed }) };
}

function toBilling(billing: NonNullable<RunRecord["billing"]>): RunBilling {
  const cost = (value: MicroDollars) => ({ value, unit: "MICRO_DOLLAR", currency: "USD" }) as const;
  return {
    calculatedCost: cost(billing.calculated),
    actualCost: cost(billing.actual),
    reportedCost: cost(billing.reported),
  };
}
