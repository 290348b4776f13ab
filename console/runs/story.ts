import type { ControlRun } from "../../shared/contract/controls.ts";
import type { Run, RunAttempt } from "../../shared/contract/runs.ts";
import { isTerminal } from "../../shared/run-status.ts";
import { moneyText, toMicros } from "../words/amounts.ts";
import { durationText } from "../words/durations.ts";
import { statusText, type Tone, toneOf } from "../words/statuses.ts";

/** One thing that happened to a run. */
export interface StoryStep {
  readonly title: string;
  readonly tone: Tone;
  readonly at?: string | undefined;
  readonly text?: string | undefined;
}

/**
 * A run from its acceptance to its end, in the order in which it happened: what has no time of its own stands behind what
 * stands before it here. Pure.
 */
export function storyOf(run: Run, controls: readonly ControlRun[]): readonly StoryStep[] {
  const gates = controls.length > 0 ? controls : (run.controls ?? []).map((one) => ({ ...one, status: "BLOCKED" }));
  const began: StoryStep[] = [
    { title: "Accepted", tone: "quiet", at: run.createdAt, text: originOf(run) },
    ...gates.map(gateStep),
    ...approvalSteps(run),
    ...answeredFromSteps(run),
  ];
  const worked: StoryStep[] = [
    ...(run.route?.attempts ?? []).map(({ provider, endpoint, at, outcome, reason, market }) => ({
      title: `${outcome === "left" ? "Left" : "Tried"} ${provider}${endpoint}`,
      tone: outcome === "left" ? ("warn" as const) : ("quiet" as const),
      at,
      text:
        market?.runId === undefined
          ? reason
          : `${reason ?? ""} Its run there: ${market.host}, run ${market.runId}`.trim(),
    })),
    ...(run.attempts ?? []).map(attemptStep),
    ...pageSteps(run),
    ...(run.stopRequestedAt === undefined
      ? []
      : [{ title: "Asked to stop", tone: "warn" as const, at: run.stopRequestedAt }]),
  ];
  return [...inOrderOfTime([...began, ...worked]), ...endSteps(run)];
}

function inOrderOfTime(steps: readonly StoryStep[]): readonly StoryStep[] {
  let last = -Infinity;
  const timed = steps.map((step) => {
    if (step.at !== undefined) last = Date.parse(step.at);
    return { step, at: last };
  });
  return timed.toSorted((a, b) => a.at - b.at).map(({ step }) => step);
}

function originOf(run: Run): string | undefined {
  if (run.schedule !== undefined) return `By schedule ${run.schedule.scheduleId}`;
  return run.retryOf === undefined ? undefined : `Repeats ${run.retryOf}, which never reached the provider`;
}

function gateStep({ controlType, status, snapshot }: ControlRun): StoryStep {
  const limit = snapshot?.["limitAmount"];
  const amount = typeof limit === "number" ? limit : (limit as { value?: number } | undefined)?.value;
  const name = controlType === "WORKSPACE_BUDGET" ? "Budget" : "Run cap";
  const isBlocked = status === "BLOCKED";
  return {
    title: `${name} ${isBlocked ? "refused it" : "let it through"}`,
    tone: isBlocked ? "bad" : "good",
    text: amount === undefined ? undefined : `Limit ${dollarText(amount)}`,
  };
}

function approvalSteps({ approval, createdAt }: Run): readonly StoryStep[] {
  if (approval === undefined) return [];
  const { status, maximum, above, decidedAt, decidedBy, decidedByKey, reason } = approval;
  const asked: StoryStep = {
    title: "Needs approval",
    tone: "warn",
    at: createdAt,
    text: `It may cost ${dollarText(maximum.value)}, more than ${dollarText(above.value)}`,
  };
  if (status === "WAITING") return [asked];
  const by = decidedByKey ?? decidedBy;
  return [
    asked,
    {
      title: statusText(status),
      tone: toneOf(status),
      at: decidedAt,
      text: [by === undefined ? "" : `By ${by}`, reason ?? ""].filter((part) => part !== "").join(": ") || undefined,
    },
  ];
}

function answeredFromSteps({ answeredFrom }: Run): readonly StoryStep[] {
  if (answeredFrom === undefined) return [];
  const { runId, saved } = answeredFrom;
  return [
    {
      title: "Answered from an earlier run",
      tone: "good",
      text: `${runId}, which cost ${dollarText(saved.value)}`,
    },
  ];
}

function attemptStep({ at, httpStatus, error, durationMs }: RunAttempt): StoryStep {
  const isGood = error === undefined && httpStatus !== undefined && httpStatus < 400;
  return {
    title: httpStatus === undefined ? "Called the provider" : `Provider answered ${httpStatus}`,
    tone: isGood ? "good" : "bad",
    at,
    text: [`after ${durationText(durationMs)}`, error ?? ""].filter((part) => part !== "").join(": "),
  };
}

function pageSteps({ pages }: Run): readonly StoryStep[] {
  if (pages === undefined) return [];
  return [
    {
      title: pages.read === 1 ? "Read 1 page" : `Read ${pages.read} pages`,
      tone: "quiet",
      text: pages.more ? `There is more; stopped by ${pages.stoppedBy ?? "the end"}` : undefined,
    },
  ];
}

/** The end, and what came of it; of a run that goes on, how it stands. */
function endSteps(run: Run): readonly StoryStep[] {
  const isWaiting = run.approval?.status === "WAITING";
  if (!isTerminal(run)) return isWaiting ? [] : [{ title: statusText(run.status), tone: "busy" }];
  return [
    {
      title: statusText(run.status),
      tone: toneOf(run.status),
      at: run.completedAt,
      text: run.cost === undefined ? undefined : `Charged ${dollarText(run.cost.value)}`,
    },
    ...(run.alerts ?? []).map(({ percent, period, spent, limit }) => ({
      title: `Budget at ${percent} %`,
      tone: "warn" as const,
      text: `${dollarText(spent.value)} of ${dollarText(limit.value)} of this ${period.toLowerCase()}`,
    })),
    ...(run.notes ?? []).map((text) => ({ title: "Note", tone: "quiet" as const, text })),
  ];
}

function dollarText(dollars: number): string {
  return moneyText(toMicros(dollars));
}
