import { setImmediate } from "node:timers/promises";
import { type Guard, GuardFailed } from "../../ledger/transaction/commit-errors.ts";
import type { ResourceRecord } from "../../ledger/records/resource-record.ts";
import type { ResourceStore } from "../../ledger/stores/resource-store.ts";
import { type RunEvent, type RunStep, transition } from "./run-lifecycle.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import { idOfMade } from "./run-resources.ts";

type ResourceReads = Pick<ResourceStore, "findResource" | "findHolder">;

/**
 * Processes an event. Its results are durable when this resolves; `commit` returns the run as it was made durable. A
 * run ends resources in the state that they have at that moment, and makes a resource only while nobody has its id. If
 * something changed in between (a rent was charged, another run was quicker), the step is computed again.
 */
export async function takeEvent(
  store: ResourceReads,
  run: RunRecord,
  event: RunEvent,
  commit: (step: RunStep) => Promise<RunRecord>,
): Promise<RunStep> {
  for (;;) {
    const facts = needsResources(run, event) ? await withResources(store, run, event) : event;
    const step = transition(run, facts);
    try {
      return { ...step, run: await commit(step) };
    } catch (error) {
      if (!(error instanceof GuardFailed) || !RETRIED.has(error.guard.kind)) throw error;
      // The change is readable once it is durable.
      await setImmediate();
    }
  }
}

const RETRIED: ReadonlySet<Guard["kind"]> = new Set(["resourceRevision", "holderOfId"]);

type Answered = Extract<RunEvent, { type: "answered" }>;

function needsResources(run: RunRecord, event: RunEvent): event is Answered {
  return event.type === "answered" && run.resourcePlan !== undefined;
}

async function withResources(store: ResourceReads, run: RunRecord, event: Answered): Promise<RunEvent> {
  const ids = run.resourcePlan?.releases ?? [];
  const found = await Promise.all(ids.map(async (id) => await store.findResource(run.workspaceId, id)));
  const made = idOfMade(run, event.answer);
  const holder = made === undefined ? undefined : await store.findHolder(made);
  return {
    ...event,
    resources: found.filter((resource): resource is ResourceRecord => resource !== undefined),
    ...(holder !== undefined && { holder }),
  };
}
