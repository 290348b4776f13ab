import type { RunResourceEffect } from "../../../shared/contract/runs.ts";
import type { Guard } from "../../ledger/transaction/commit-errors.ts";
import type { ProviderAnswer } from "../../providers/protocol/provider.ts";
import {
  notProvisioned,
  provisioned,
  released,
  releaseFailed,
  wantedAgain,
} from "../../resources/resource-lifecycle.ts";
import { isLive, type ProviderId, type ResourceRecord } from "../../ledger/records/resource-record.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";

/** What an answered run did to resources. Pure. docs/contract.md, "Life of a resource". */
export interface ResourceOutcome {
  readonly effects: readonly RunResourceEffect[];
  /** The resources as they are after it. */
  readonly changed: readonly ResourceRecord[];
  /** Ensure that the resources did not change after the outcome was computed. */
  readonly guards: readonly Guard[];
  readonly notes: readonly string[];
  /** False: no new resource is known, so no first rent is charged. */
  readonly isRented: boolean;
}

export interface KnownResources {
  /** The resources that the run ends, in their present state. */
  readonly touched: readonly ResourceRecord[];
  /** The resource, of any workspace, that already has the id of what the provider made. */
  readonly holder: ResourceRecord | undefined;
}

export function resourceOutcome(
  run: RunRecord,
  at: string,
  answer: ProviderAnswer,
  { touched, holder }: KnownResources,
): ResourceOutcome {
  const ending = touched.filter(isLive);
  const ended = ending.map((resource) => endOf(resource, run, at, answer));
  // If the run itself ended the resource with this id, the provider has made a new one with the same id.
  const there = ended.some((one) => one.resourceId === holder?.resourceId && !isLive(one)) ? undefined : holder;
  const made = answer.success ? madeBy(run, at, answer, there) : NOTHING_MADE;
  const id = idOfMade(run, answer);
  return {
    effects: [...made.effects, ...ended.map((resource) => effectOf(resource, endAction(resource)))],
    changed: [...made.changed, ...ended],
    guards: [
      ...(id === undefined ? [] : [{ kind: "holderOfId" as const, id, resourceId: holder?.resourceId }]),
      ...[...made.found, ...ending].map(
        ({ resourceId, revision }) => ({ kind: "resourceRevision", resourceId, revision }) as const,
      ),
    ],
    notes: made.notes,
    isRented: made.isRented,
  };
}

/** The provider's id of the resource that a run made; undefined if it made none, or if the id could not be read. */
export function idOfMade(
  { provider, resourcePlan }: RunRecord,
  { success, provisioned: made }: ProviderAnswer,
): ProviderId | undefined {
  const plan = resourcePlan?.provisions;
  if (plan === undefined || made === undefined || !success) return undefined;
  return { provider, resource: plan.resource, externalId: made.externalId };
}

/** Notes about resources for a run that ended without knowing what the provider did. */
export function unknownResourceNotes({ resourcePlan }: RunRecord): string[] {
  const plan = resourcePlan?.provisions;
  if (plan === undefined) return [];
  return [
    `The provider may have made a resource (${plan.displayName}) that this service does not know of. Its rent was not charged; look for it at the provider.`,
  ];
}

interface Made {
  readonly effects: readonly RunResourceEffect[];
  readonly changed: readonly ResourceRecord[];
  /** In their state before. */
  readonly found: readonly ResourceRecord[];
  readonly notes: readonly string[];
  readonly isRented: boolean;
}

const NOTHING_MADE: Made = { effects: [], changed: [], found: [], notes: [], isRented: true };

/**
 * What happens to the object that the provider returned. An id is one object at the provider, whoever asks for it, and
 * it belongs to the workspace that made it first. docs/contract.md, "One thing".
 *
 *   its id is        resource of the run        rent      note
 *   unreadable       PROVISION_FAILED           none      yes
 *   nobody's         a new one, ACTIVE          charged   -
 *   the workspace's  the same as before         none      yes; a release that is not due yet is withdrawn
 *   another's        none                       none      yes, which names nothing of the owner
 */
function madeBy(
  run: RunRecord,
  at: string,
  { provisioned: made }: ProviderAnswer,
  holder: ResourceRecord | undefined,
): Made {
  const plan = run.resourcePlan?.provisions;
  if (plan === undefined) return NOTHING_MADE;
  if (made === undefined) {
    const reason = `The provider's answer has no usable id of the resource (${plan.displayName})`;
    const failed = notProvisioned(plan, reason, run, at);
    return {
      effects: [effectOf(failed, "PROVISION_FAILED")],
      changed: [failed],
      found: [],
      notes: [`${reason}. Its rent was not charged.`],
      isRented: false,
    };
  }
  if (holder === undefined) {
    const born = provisioned(plan, made, run, at);
    return { ...NOTHING_MADE, effects: [effectOf(born, "PROVISIONED")], changed: [born] };
  }
  const unpaid = plan.rent === undefined ? "" : " No rent was charged.";
  if (holder.workspaceId !== run.workspaceId) {
    const note = `The provider's answer names a resource (${plan.displayName}) that is not this workspace's; it got none.`;
    return { ...NOTHING_MADE, notes: [`${note}${unpaid}`], isRented: false };
  }
  const after = wantedAgain(holder, at);
  const note = `The provider gave a resource (${plan.displayName}) that this workspace has already: it is still one.`;
  return {
    effects: [effectOf(holder, "PROVISIONED")],
    changed: after === holder ? [] : [after],
    found: after === holder ? [] : [holder],
    notes: [`${note}${unpaid}${standing(holder, after)}`],
    isRented: false,
  };
}

function standing(before: ResourceRecord, after: ResourceRecord): string {
  if (after !== before) return " Its release was withdrawn.";
  if (after.state === "EXPIRING") return " It is being given back to the provider; run this again once it is RELEASED.";
  return after.state === "SUSPENDED" ? " It is SUSPENDED: its rent is not paid." : "";
}

function endOf(resource: ResourceRecord, run: RunRecord, at: string, answer: ProviderAnswer): ResourceRecord {
  if (answer.success) {
    return released(resource, at, { code: "RUN", reason: `Run ${run.runId} gave it back`, by: run.caller });
  }
  const why = answer.error?.message ?? `The provider answered ${answer.httpStatus}`;
  return releaseFailed(resource, at, `Run ${run.runId} could not give it back: ${why}`);
}

function endAction({ state }: ResourceRecord): RunResourceEffect["action"] {
  return state === "RELEASED" ? "RELEASED" : "RELEASE_FAILED";
}

function effectOf(
  { resourceId, resourceType, identifier }: ResourceRecord,
  action: RunResourceEffect["action"],
): RunResourceEffect {
  return { action, resourceId, resourceType, identifier };
}
