import type { RunResourceEffect } from "../../shared/contract/runs.ts";
import type { Guard } from "../commit-errors.ts";
import type { ProviderAnswer } from "../providers/provider.ts";
import { notProvisioned, provisioned, released, releaseFailed } from "../resources/resource-lifecycle.ts";
import type { ResourceRecord } from "../resources/resource-record.ts";
import type { RunRecord } from "./run-record.ts";

/** What a run that was answered did to resources. Pure. Contract semantics, 12. */
export interface ResourceOutcome {
  readonly effects: readonly RunResourceEffect[];
  /** The resources as they are after it. */
  readonly changed: readonly ResourceRecord[];
  /** They must still be as they were when the outcome was worked out. */
  readonly guards: readonly Guard[];
  readonly notes: readonly string[];
  /** False: what the provider made could not be read, so its rent is not charged. */
  readonly isRented: boolean;
}

/** `touched`: the resources that the run is to end, as they are now. */
export function resourceOutcome(
  run: RunRecord,
  at: string,
  answer: ProviderAnswer,
  touched: readonly ResourceRecord[],
): ResourceOutcome {
  const ending = touched.filter(({ state }) => state !== "RELEASED");
  const ended = ending.map((resource) => endOf(resource, run, at, answer));
  const made = answer.success ? madeBy(run, at, answer) : undefined;
  const changed = [...(made === undefined ? [] : [made]), ...ended];
  const isMissing = made?.state === "PROVISION_FAILED";
  return {
    effects: changed.map((resource) => effectOf(resource)),
    changed,
    guards: ending.map(({ resourceId, revision }) => ({ kind: "resourceRevision", resourceId, revision })),
    notes: isMissing ? [`${made.releaseReason}. Its rent was not charged.`] : [],
    isRented: !isMissing,
  };
}

/** What a run leaves open that ended while nobody knows what the provider did. */
export function unknownResourceNotes({ resourcePlan }: RunRecord): string[] {
  const plan = resourcePlan?.provisions;
  if (plan === undefined) return [];
  return [
    `The provider may have made a resource (${plan.displayName}) that this service does not know of. Its rent was not charged; look for it at the provider.`,
  ];
}

function madeBy(run: RunRecord, at: string, { provisioned: made }: ProviderAnswer): ResourceRecord | undefined {
  const plan = run.resourcePlan?.provisions;
  if (plan === undefined) return undefined;
  if (made !== undefined) return provisioned(plan, made, run, at);
  return notProvisioned(plan, `The provider's answer has no usable id of the resource (${plan.displayName})`, run, at);
}

function endOf(resource: ResourceRecord, run: RunRecord, at: string, answer: ProviderAnswer): ResourceRecord {
  if (answer.success) {
    return released(resource, at, { code: "RUN", reason: `Run ${run.runId} gave it back`, by: run.caller });
  }
  const why = answer.error?.message ?? `The provider answered ${answer.httpStatus}`;
  return releaseFailed(resource, at, `Run ${run.runId} could not give it back: ${why}`);
}

const ACTIONS = { ACTIVE: "PROVISIONED", PROVISION_FAILED: "PROVISION_FAILED", RELEASED: "RELEASED" } as const;

function effectOf({ resourceId, resourceType, identifier, state, revision }: ResourceRecord): RunResourceEffect {
  const isNew = revision === 1;
  const action = state === "RELEASED" || isNew ? ACTIONS[state as keyof typeof ACTIONS] : "RELEASE_FAILED";
  return { action, resourceId, resourceType, identifier };
}
