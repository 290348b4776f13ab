import { setImmediate } from "node:timers/promises";
import { GuardFailed } from "../commit-errors.ts";
import type { ResourceRecord } from "../resources/resource-record.ts";
import type { ResourceStore } from "../resources/resource-store.ts";
import { type RunEvent, type RunStep, transition } from "./run-lifecycle.ts";
import type { RunRecord } from "./run-record.ts";

/**
 * Takes an event: what it brings about is durable when this resolves; `commit` gives the run as it was made durable. A run
 * that ends resources ends them as they are at that moment: where one changed in between (its rent was charged), the step
 * is worked out anew.
 */
export async function takeEvent(
  store: Pick<ResourceStore, "findResource">,
  run: RunRecord,
  event: RunEvent,
  commit: (step: RunStep) => Promise<RunRecord>,
): Promise<RunStep> {
  for (;;) {
    const step = transition(run, await withResources(store, run, event));
    try {
      return { ...step, run: await commit(step) };
    } catch (error) {
      if (!(error instanceof GuardFailed) || error.guard.kind !== "resourceRevision") throw error;
      // What changed it is readable once it is durable.
      await setImmediate();
    }
  }
}

async function withResources(
  store: Pick<ResourceStore, "findResource">,
  run: RunRecord,
  event: RunEvent,
): Promise<RunEvent> {
  const ids = run.resourcePlan?.releases ?? [];
  if (event.type !== "answered" || ids.length === 0) return event;
  const found = await Promise.all(ids.map(async (id) => await store.findResource(run.workspaceId, id)));
  return { ...event, resources: found.filter((resource): resource is ResourceRecord => resource !== undefined) };
}
