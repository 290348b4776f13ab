import type { ControlRun } from "../../shared/contract/controls.ts";
import type { Run, RunAttempt } from "../../shared/contract/runs.ts";
import { isTerminal } from "../../shared/run-status.ts";
import { durationWords } from "../../shared/words/duration-words.ts";
import { dollars } from "../../shared/words/money-words.ts";
import { statusText, type Tone, toneOf } from "../words/statuses.ts";

/** One thing that happened to a run. */
export interface StoryStep {
  readonly title: string;
  readonly tone: Tone;
  readonly at?: string | undefined;
  readonly text?: string | undefined;
}

/** A run from its acceptance to its end, in the order in which it happened. Pure. */
export function storyOf(run: Run, controls: readonly ControlRun[]): readonly StoryStep[] {
  const gates = controls.length > 0 ? controls : (run.controls ?? []).map((one) => ({ ...one, status: "BLOCKED" }));
  return [
    { title: "Accepted", tone: "quiet", at: run.createdAt, text: originOf(run) },
    ...gates.map(gateStep),
    ...approvalSteps(run),
    ...(run.answeredFrom === undefined
      ? []
      : [
          {
            title: "Answered from an earlier run",
            tone: "good" as const,
            text: `${run.answeredFrom.runId}, which cost ${dollars(run.answeredFrom.saved.value)}`,
          },
        ]),
    ...(run.route?.attempts ?? []).map(({ provider, endpoint, at, outcome, reason }) => ({
      title: `${outcome === "left" ? "Left" : "Tried"} ${provider}${endpoint}`,
      tone: outcome === "left" ? ("warn" as const) : ("quiet" as const),
      at,
      text: reason,
    })),
    ...(run.attempts ?? []).map(attemptStep),
    ...(run.pages === undefined
      ? []
      : [
          {
            title: `Read ${run.pages.read} pages`,
            tone: "quiet" as const,
            text: run.pages.more ? `There is more; stopped by ${run.pages.stoppedBy ?? "the end"}` : undefined,
          },
        ]),
    ...(run.stopRequestedAt === undefined
      ? []
      : [{ title: "Asked to stop", tone: "warn" as const, at: run.stopRequestedAt }]),
    ...(isTerminal(run) ? [endStep(run)] : [{ title: statusText(run.status), tone: "busy" as const }]),
    ...(run.alerts ?? []).map(({ percent, period, spent, limit }) => ({
      title: `Budget at ${percent} %`,
      tone: "warn" as const,
      text: `${dollars(spent.value)} of ${dollars(limit.value)} of this ${period.toLowerCase()}`,
    })),
    ...(run.notes ?? []).map((text) => ({ title: "Note", tone: "quiet" as const, text })),
  ];
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
    text: amount === undefined ? undefined : `Limit ${dollars(amount)}`,
  };
}

function approvalSteps({ approval }: Run): readonly StoryStep[] {
  if (approval === undefined) return [];
  const { status, maximum, above, decidedAt, decidedBy, decidedByKey, reason } = approval;
  const asked: StoryStep = {
    title: "Needs approval",
    tone: "warn",
    text: `It may cost ${dollars(maximum.value)}, more than ${dollars(above.value)}`,
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

function attemptStep({ at, httpStatus, error, durationMs }: RunAttempt): StoryStep {
  const isGood = error === undefined && httpStatus !== undefined && httpStatus < 400;
  return {
    title: httpStatus === undefined ? "Called the provider" : `Provider answered ${httpStatus}`,
    tone: isGood ? "good" : "bad",
    at,
    text: [`after ${durationWords(durationMs)}`, error ?? ""].filter((part) => part !== "").join(": "),
  };
}

function endStep(run: Run): StoryStep {
  const cost = run.cost === undefined ? undefined : `Charged ${dollars(run.cost.value)}`;
  return { title: statusText(run.status), tone: toneOf(run.status), at: run.completedAt, text: cost };
}
